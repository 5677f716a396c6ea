"""Whether the files of a folder are the pinned ones: hashed once, then trusted by size and modification time."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loguru import logger

from memory.errors import UserError
from pipeline.weights_manifest import WeightFile

State = Literal["present", "absent", "damaged"]

STAMP = ".verified.json"


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that cannot be used as it is.

    Attributes:
        file: Its name.
        state: ``absent`` or ``damaged``.
    """

    file: str
    state: State


def faults(folder: Path, files: Mapping[str, WeightFile]) -> list[Fault]:
    """The files that are not as they should be. Reads a whole file only when nothing is remembered of it.

    Args:
        folder: Where they are.
        files: Name -> what it must be.

    Raises:
        UserError: A file cannot be read.
    """
    remembered = _remembered(folder)
    found, fresh = [], []
    for name, wanted in files.items():
        path = folder / name
        try:
            if remembered.get(name) == _mark(path, wanted):
                continue
            if path.stat().st_size == wanted.bytes and sha256(path) == wanted.sha256:
                fresh.append(name)
            else:
                found.append(Fault(name, "damaged"))
        except (FileNotFoundError, NotADirectoryError):
            found.append(Fault(name, "absent"))
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    if fresh:
        remember(folder, files, fresh)
    return found


def remember(folder: Path, files: Mapping[str, WeightFile], verified: Iterable[str]) -> None:
    """Write down that files were hashed and right. In a folder that cannot be written they are hashed every time."""
    marks = {name: _mark(folder / name, files[name]) for name in verified}
    stamp = folder / STAMP
    temporary = stamp.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    try:
        temporary.write_text(json.dumps({**_remembered(folder), **marks}), encoding="utf-8")
        temporary.replace(stamp)
    except OSError as error:
        logger.debug("{}: {}", stamp, error.strerror)


def sha256(path: Path) -> str:
    """SHA-256 of a file, as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mark(path: Path, wanted: WeightFile) -> list[object]:
    """What must stay the same for a file to be trusted without reading it."""
    status = path.stat()
    return [wanted.sha256, status.st_size, status.st_mtime_ns]


def _remembered(folder: Path) -> dict[str, object]:
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}
