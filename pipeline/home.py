"""The home folder in paths that people write."""

from __future__ import annotations

from pathlib import Path

from memory.errors import UserError


def expand(path: Path, key: str) -> Path:
    """Put the home folder in place of ``~``.

    Args:
        path: As it was written.
        key: Where it was written, for the message.

    Raises:
        UserError: Nobody knows the home folder, as in a container that runs under a number.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        raise UserError(f"{key}: {path}: there is no home folder here; set HOME, or name a whole path") from None
