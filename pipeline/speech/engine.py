"""A loaded Whisper model with a thread of its own, shared by any number of conversations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from faster_whisper import WhisperModel

from memory.errors import UserError
from pipeline.speech.decoder import Decoder, ShortContextDecoder
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest
from pipeline.speech.language import LanguageChoice
from pipeline.speech.script import ChineseScript

T = TypeVar("T")

_PUNCTUATION = ".,;:!?\"'()"
_FILES = ("model.bin", "config.json", "tokenizer.json")


class Ticket:
    """One conversation's place in the queue. It may become urgent while it waits."""

    def __init__(self) -> None:
        self.urgent = False
        self._granted: asyncio.Future[None] | None = None


class DecodeQueue:
    """Who may use the model next: who is urgent, then who has waited longest.

    Every conversation has at most one ticket in it, so a busy one cannot crowd out the others.
    """

    def __init__(self, places: int = 1) -> None:
        """Open the queue.

        Args:
            places: How many may use the model at once.
        """
        self._free = places
        self._waiting: list[Ticket] = []

    @property
    def is_urgent(self) -> bool:
        """Whether somebody who waits is urgent."""
        return any(ticket.urgent for ticket in self._waiting)

    @asynccontextmanager
    async def turn(self, ticket: Ticket) -> AsyncIterator[None]:
        """Wait for the model and have it for the length of the block.

        Args:
            ticket: The conversation's.
        """
        if self._free:
            self._free -= 1
        else:
            ticket._granted = asyncio.get_running_loop().create_future()
            self._waiting.append(ticket)
            try:
                await ticket._granted
            except asyncio.CancelledError:
                if ticket in self._waiting:
                    self._waiting.remove(ticket)
                else:
                    self._pass_on()
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        """Give the place to the next who is still there."""
        while self._waiting:
            ticket = min(self._waiting, key=lambda waiting: not waiting.urgent)
            self._waiting.remove(ticket)
            if ticket._granted is not None and not ticket._granted.done():
                ticket._granted.set_result(None)
                return
        self._free += 1


class Recogniser(Protocol):
    """Whatever decodes for any number of conversations: a model on this machine, or an endpoint.

    Attributes:
        queue: Who may decode next.
    """

    queue: DecodeQueue

    def decoder(self, script: ChineseScript) -> Decoder:
        """A decoder for one conversation."""

    def check_language(self, language: str | None) -> None:
        """Raise ``UserError`` if the language is not known; None to detect it."""

    def is_ordinary(self, word: str) -> bool:
        """Whether a Latin word is common."""

    async def run(self, function: Callable[..., T], *args: object) -> T:
        """Call a function in a thread of its own. The caller has the turn."""

    def close(self) -> None:
        """Let the threads end."""


class WhisperEngine:
    """The model, its thread, and the queue in front of them."""

    def __init__(self, model: WhisperModel) -> None:
        """Take over a loaded model.

        Args:
            model: From ``load``.
        """
        self.model = model
        self.path: Path | None = None
        self.executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="whisper")
        self.queue = DecodeQueue()

    @classmethod
    def load(cls, path: Path, compute_type: str = "int8", device: str = "cpu", threads: int = 2) -> WhisperEngine:
        """Load a model from a folder. Asks no network.

        Args:
            path: A folder with a Whisper model for CTranslate2.
            compute_type: CTranslate2's: int8, float32, float16 …
            device: cpu, cuda or auto.
            threads: CPU threads of one decode.

        Returns:
            The engine.

        Raises:
            UserError: The folder holds no Whisper model, or this machine cannot run it so.
        """
        check_model_folder(path)
        try:
            model = WhisperModel(
                str(path), device=device, compute_type=compute_type, cpu_threads=threads, local_files_only=True
            )
        except Exception as error:
            # The boundary to three libraries that read the files, one of which raises nothing more special.
            raise UserError(
                f"{path}: cannot load this as a Whisper model with asr.device={device}, "
                f"asr.compute_type={compute_type}: {_first_line(error)}"
            ) from None
        engine = cls(model)
        engine.path = path
        return engine

    def decoder(self, script: ChineseScript) -> Decoder:
        """A decoder for one conversation.

        Args:
            script: Chinese characters are written in it.
        """
        return ShortContextDecoder(self.model, script)

    def check_language(self, language: str | None) -> None:
        """See whether the model knows a language.

        Args:
            language: Its code; None to detect it.

        Raises:
            UserError: The model knows English only.
        """
        if language not in {"en", None} and not self.model.model.is_multilingual:
            raise UserError(
                f"asr.language: {language}: asr.model knows English only; name a multilingual Whisper model"
            )

    def is_ordinary(self, word: str) -> bool:
        """Whether a word is so common that the model has one token for it.

        Args:
            word: A Latin word; punctuation at its ends is passed over.
        """
        bare = word.strip(_PUNCTUATION)
        return not bare or len(self.model.hf_tokenizer.encode(f" {bare}", add_special_tokens=False).ids) == 1

    def warm_up(self) -> None:
        """Decode a second of faint noise, so that the first turn finds everything allocated.

        Raises:
            UserError: The model cannot decode: its files do not belong together.
        """
        noise = np.random.default_rng(0).integers(-30, 30, SAMPLE_RATE, dtype=np.int16)
        choice = LanguageChoice("en", ("en",), detect=False)
        try:
            ShortContextDecoder(self.model, ChineseScript()).decode(DecodeRequest(noise, choice))
        except Exception as error:
            # As in ``load``: what does not fit together shows in the first decode.
            raise UserError(f"{self.path or 'asr.model'}: not a Whisper model: {_first_line(error)}") from None

    async def run(self, function: Callable[..., T], *args: object) -> T:
        """Call a function in the engine's thread. The caller has the turn."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, function, *args)

    def close(self) -> None:
        """Let the thread end after the decode that may be running."""
        self.executor.shutdown(wait=False, cancel_futures=True)


def check_model_folder(path: Path) -> None:
    """See whether a folder can be a Whisper model before anything is loaded.

    Args:
        path: The folder.

    Raises:
        UserError: It is missing, a file of it is, or its configuration is not Whisper's.
    """
    if not path.is_dir():
        raise UserError(f"asr.model: {path}: no such folder; name a CTranslate2 Whisper model, or run: weights pull")
    missing = [name for name in _FILES if not (path / name).is_file()]
    if not (any(path.glob("vocabulary.*"))):
        missing.append("vocabulary.json")
    if missing:
        raise UserError(f"asr.model: {path}: not a CTranslate2 Whisper model: {', '.join(missing)} missing")
    try:
        configuration = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"asr.model: {path / 'config.json'}: not readable as JSON: {error}") from None
    if not isinstance(configuration, dict) or "suppress_ids" not in configuration:
        raise UserError(f"asr.model: {path}: a CTranslate2 model, but not a Whisper model")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
