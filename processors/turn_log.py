"""Writes one structured record per turn, as soon as the turn has closed."""

from __future__ import annotations

import contextlib
import json
from io import FileIO
from pathlib import Path

from memory.errors import UserError
from processors.turn_record import TurnRecord


class TurnLog:
    """``session.jsonl``: one whole line per turn, written at once, so that a killed process keeps what was said.

    A turn that does not fit on the disk is kept and tried again with the next one and at the end.
    """

    def __init__(self, path: Path) -> None:
        """Create the file.

        Args:
            path: Where to write; an older file is replaced.

        Raises:
            UserError: The file cannot be written.
        """
        self._path = path
        self._waiting: list[bytes] = []
        self._end = 0
        try:
            # Unbuffered: what was not written is known, and nothing is written behind our back.
            self._file: FileIO | None = path.open("wb", buffering=0)
        except OSError as error:
            raise UserError(f"{path}: cannot write: {error.strerror}") from None

    def write(self, turn: TurnRecord) -> None:
        """Append a closed turn.

        Raises:
            UserError: The disk is full or the file cannot be written any more.
        """
        if self._file is None:
            return
        # A lone surrogate becomes the escape that JSON has for it.
        line = json.dumps(turn.to_json(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        self._waiting.append(line)
        self._write_waiting(self._file)

    def close(self) -> None:
        """Close the file; safe to call twice.

        Raises:
            UserError: Turns are left that cannot be written.
        """
        if self._file is None:
            return
        try:
            self._write_waiting(self._file)
        finally:
            self._file.close()
            self._file = None

    def _write_waiting(self, file: FileIO) -> None:
        while self._waiting:
            rest = memoryview(self._waiting[0])
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError as error:
                # Half a line is no JSON. A device cannot be cut, and needs not.
                with contextlib.suppress(OSError):
                    file.truncate(self._end)
                    file.seek(self._end)
                raise UserError(f"{self._path}: cannot write: {error.strerror}") from None
            self._end += len(self._waiting.pop(0))
