"""Writes one structured record per turn, as soon as the turn has closed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from memory.errors import UserError
from processors.turn_record import TurnRecord


class TurnLog:
    """``session.jsonl``: one line per turn, flushed at once, so that a killed process keeps what was said."""

    def __init__(self, path: Path) -> None:
        """Create the file.

        Args:
            path: Where to write; an older file is replaced.

        Raises:
            UserError: The file cannot be written.
        """
        self._path = path
        try:
            self._file: TextIO | None = path.open("w", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path}: cannot write: {error.strerror}") from None

    def write(self, turn: TurnRecord) -> None:
        """Append a closed turn.

        Raises:
            UserError: The disk is full or the file cannot be written any more.
        """
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(turn.to_json(), ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise UserError(f"{self._path}: cannot write: {error.strerror}") from None

    def close(self) -> None:
        """Close the file; safe to call twice."""
        if self._file is not None:
            self._file.close()
            self._file = None
