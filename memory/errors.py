"""Errors that a person reads."""

from __future__ import annotations


class UserError(Exception):
    """Something the person who runs the program can mend.

    The message is one line that names the file, the key or the device and says
    what to do. Commands print it and end with exit code 2, without a stack trace.
    """
