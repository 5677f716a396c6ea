"""What is printed: on any terminal, in any encoding, and also when nobody reads it any more."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO, cast

from rich.console import Console


def make_console(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """A console that never ends what it reports about: when its reader is gone or its disk full, it falls silent.

    Args:
        stderr: Print to standard error.
        soft_wrap: Leave long lines to the terminal.
    """
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=cast(TextIO, _Outlet(stream)), highlight=False, soft_wrap=soft_wrap)


def accept_any_character() -> None:
    """Print escapes for characters that the terminal's encoding lacks, and read no half characters."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def print_json(value: Any, indent: int | None = None) -> None:
    """Print one JSON document on standard output, in ASCII where the encoding has no more.

    Raises:
        OSError: It cannot be written.
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    sys.stdout.write(json.dumps(value, ensure_ascii=not encoding.startswith("utf"), indent=indent) + "\n")
    sys.stdout.flush()


class _Outlet:
    """A text stream that swallows what cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_deaf = False

    def write(self, text: str) -> int:
        if not self._is_deaf:
            try:
                return self._stream.write(text)
            except (OSError, ValueError):
                self._fall_silent()
        return len(text)

    def flush(self) -> None:
        if not self._is_deaf:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._fall_silent()

    def _fall_silent(self) -> None:
        self._is_deaf = True
        discard(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def discard(stream: TextIO) -> None:
    """Let what is buffered go nowhere, so that Python's own last flush is content."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # Not a real stream, or closed: nothing will be flushed.
        return
