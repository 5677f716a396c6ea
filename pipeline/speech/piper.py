"""A Piper voice that knows when each of its words ends.

Piper (VITS) draws a length for every phoneme; the words' phonemes, spoken alone, are matched with those of
the sentence, so that words that run together ("in the") and numbers that unfold ("10:30") are timed as well.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import onnxruntime
from google.protobuf.message import DecodeError
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, InvalidGraph, InvalidProtobuf
from piper.config import PiperConfig, SynthesisConfig
from piper.voice import AudioChunk

from memory.errors import UserError
from pipeline.speech.alignment import map_boundaries, share_out
from pipeline.speech.clauses import TITLES
from pipeline.speech.espeak import PatientPiperEngine
from pipeline.speech.piper_graph import reproducible_graph
from pipeline.speech.voice import SpokenChunk, SpokenWord, sounding, timed_words
from pipeline.speech.words import has_words, split_words

# Phonemes that are no sound of a word: pauses, stress, quotes, the sentence's begin and end.
_NO_SOUND = frozenset(" ,.;:?!…—-'\"“”()ˈˌ^$_")
# espeak ends a sentence at the full stop of a title; "[[" would start Piper's phoneme input.
_TITLE_STOP = re.compile(rf"\b({'|'.join(sorted(TITLES))})\.(?=\s)", re.IGNORECASE)


@dataclass(frozen=True)
class _PlannedSentence:
    """The words that end in a sentence, and after how many of its sounds each does."""

    words: list[str]
    ends: list[int]


class PiperVoice:
    """A Piper voice; a ``Voice``. The same text always gives the same audio."""

    def __init__(self, engine: PatientPiperEngine, *, name: str, language: str, speed: float = 1.0) -> None:
        self.name = name
        self.language = language
        self.sample_rate: int = engine.config.sample_rate
        self.speed = speed
        self._engine = engine
        self._synthesis = SynthesisConfig(length_scale=engine.config.length_scale / speed)

    @classmethod
    def load(cls, path: Path, *, name: str | None = None, speed: float = 1.0, threads: int = 2) -> PiperVoice:
        """Load a voice; takes about a second.

        Args:
            path: The ``.onnx`` file; its ``.onnx.json`` lies beside it.
            name: What to call the voice; the file's name by default.
            speed: 1.0 = as trained, 1.2 = a fifth faster.
            threads: CPU threads of one synthesis.

        Returns:
            The voice.

        Raises:
            UserError: If a file is missing or is no Piper voice.
        """
        config = _read_config(Path(f"{path}.json"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # A thread that waits must not take the core that the recogniser needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = onnxruntime.InferenceSession(
                reproducible_graph(path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except OSError as error:
            raise UserError(f"{path}: cannot read the voice: {error.strerror or error}") from None
        except (DecodeError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf):
            raise UserError(f"{path}: not a Piper voice; expected the .onnx file of a Piper release") from None
        language = config.espeak_voice.partition("-")[0]
        language = {"cmn": "zh"}.get(language, language)
        return cls(
            PatientPiperEngine(session=session, config=config), name=name or path.stem, language=language, speed=speed
        )

    def at_speed(self, speed: float) -> PiperVoice:
        """Return the same voice at another speed; the model is shared."""
        return PiperVoice(self._engine, name=self.name, language=self.language, speed=speed)

    def warm_up(self) -> None:
        """Speak a word to nobody."""
        for _ in self.synthesize("Hello."):
            pass

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Speak, a chunk per sentence as espeak sees them; see ``Voice.synthesize``."""
        if not has_words(text):
            return
        spoken = _for_espeak(text)
        sentences = [sentence for sentence in self._engine.phonemize(spoken) if sentence]
        plan = self._plan(text, sentences)
        chunks = self._engine.synthesize(spoken, self._synthesis, include_alignments=True)
        for sentence, chunk in zip(plan, chunks, strict=False):
            yield _spoken_chunk(sentence, chunk)

    def _plan(self, text: str, sentences: list[list[str]]) -> list[_PlannedSentence]:
        """Say of every word in which sentence it ends, and after which of the sentence's sounds."""
        words = [word.text for word in split_words(text)]
        alone = [self._sounds(word) for word in words]
        in_sentences = [[phoneme for phoneme in sentence if phoneme not in _NO_SOUND] for sentence in sentences]
        ends = map_boundaries(
            [sound for sounds in alone for sound in sounds],
            [sound for sounds in in_sentences for sound in sounds],
            list(accumulate(map(len, alone))),
        )
        sentence_ends = list(accumulate(map(len, in_sentences)))
        plan = [_PlannedSentence([], []) for _ in sentences]
        for word, end in zip(words, ends, strict=True):
            index = min(bisect_left(sentence_ends, end), len(plan) - 1)
            plan[index].words.append(word)
            plan[index].ends.append(end - (sentence_ends[index - 1] if index else 0))
        return plan

    def _sounds(self, word: str) -> list[str]:
        return [p for sentence in self._engine.phonemize(_for_espeak(word)) for p in sentence if p not in _NO_SOUND]


def _for_espeak(text: str) -> str:
    return _TITLE_STOP.sub(r"\1", f"{text} ").replace("[[", "[").strip()


def _spoken_chunk(sentence: _PlannedSentence, chunk: AudioChunk) -> SpokenChunk:
    audio = chunk.audio_int16_array
    sound_ends = _sound_ends(chunk)
    if sound_ends is not None:
        ends = [sound_ends[min(end, len(sound_ends) - 1)] for end in sentence.ends]
    else:
        weights = np.diff([0, *sentence.ends])
        ends = share_out([float(weight) for weight in weights], *sounding(audio)) if sentence.words else []
    words: list[SpokenWord] = timed_words(sentence.words, ends, len(audio))
    return SpokenChunk(audio, words, exact=sound_ends is not None)


def _sound_ends(chunk: AudioChunk) -> list[int] | None:
    """Samples after which 0, 1, 2 … sounds have been spoken; None if the voice does not tell."""
    if chunk.phoneme_alignments is None:
        return None
    ends, position = [0], 0
    for aligned in chunk.phoneme_alignments:
        position += int(aligned.num_samples)
        if aligned.phoneme not in _NO_SOUND:
            ends.append(position)
    return ends


def _read_config(path: Path) -> PiperConfig:
    try:
        return PiperConfig.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UserError(f"{path}: cannot read the voice's configuration: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: not a Piper voice's configuration; expected the .onnx.json of a release") from None
