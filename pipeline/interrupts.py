"""Ctrl-C, and the signals that ask a program to end: what was said is kept, and nobody sees a traceback."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def install() -> None:
    """Take care of Ctrl-C from the first moment on, and treat the end of a terminal or service like it."""
    signal.signal(signal.SIGINT, _interrupt)
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP. A parent may have said that it is to be ignored (nohup).
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def say_interrupted() -> None:
    """Write the one line that an interrupted command ends with."""
    sys.stderr.write("innervoice: interrupted\n")


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _is_importing(frame):
        # Libraries swallow exceptions while they load, and nothing has begun that could be lost.
        say_interrupted()
        os._exit(INTERRUPTED)
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
