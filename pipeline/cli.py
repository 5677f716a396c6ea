"""Where ``innervoice`` begins and ends. It loads almost nothing, so that Ctrl-C is heard from the first moment on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pipeline import interrupts


def main() -> None:
    """Run a command and leave with its exit code."""
    interrupts.install()
    _open_missing_streams()
    try:
        from pipeline.command_line import run

        code = run()
    except KeyboardInterrupt:
        interrupts.say_interrupted()
        code = interrupts.INTERRUPTED
    if code == interrupts.INTERRUPTED:
        # The files are closed. A thread that waits for the keyboard or for a model need not end first.
        os._exit(code)
    sys.exit(code)


def _open_missing_streams() -> None:
    """A program may be started without standard streams (``<&- >&- 2>&-``); in this order each gets its number."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
