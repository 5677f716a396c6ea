"""Where inner states live between turns and between processes: the contract every store keeps.

A state carries its own version, and the version a writer started from decides whether it may write. So two
devices or a background task on one session never lose a change: the slower one is told, loads, and repeats.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from memory.errors import UserError
from memory.inner_state import InnerState


class StaleVersion(Exception):
    """Somebody else saved in between; load again and repeat the change.

    Attributes:
        current: The version that is stored now; 0 for none.
        lost: Whether the store has lost the session, though nobody asked for it to be forgotten.
    """

    def __init__(self, current: int, *, lost: bool = False) -> None:
        super().__init__(f"stale version: {current} is stored")
        self.current = current
        self.lost = lost


class SessionWriteError(UserError):
    """The state cannot be written now; what is stored is unharmed."""


class SessionStore(Protocol):
    """Inner states by user and session. Thread-safe and blocking; several processes may share one store."""

    def load(self, user_id: str, session_id: str) -> tuple[InnerState, int] | None:
        """The newest state and its version; None for an unknown session.

        Raises:
            UserError: The store cannot be read.
        """
        ...

    def save(
        self, user_id: str, session_id: str, state: InnerState, version: int, between: Sequence[InnerState] = ()
    ) -> int:
        """Keep a state. When this returns, it survives ``kill -9``.

        Args:
            user_id: Whose session.
            session_id: Which session.
            state: Its version is greater than ``version``; the same version means nothing changed.
            version: The version the writer started from; 0 for a new session.
            between: Versions that lie between the two, oldest first; kept with it, all or none.

        Returns:
            The version that is stored now: ``state.version``.

        Raises:
            StaleVersion: ``version`` is not what is stored; nothing was written.
            SessionWriteError: The store cannot be written.
            ValueError: The versions do not grow from ``version`` on.
        """
        ...

    def versions(self, user_id: str, session_id: str) -> list[InnerState]:
        """Every state that was saved, oldest first."""
        ...

    def sessions(self, user_id: str) -> list[str]:
        """Ids of the user's sessions that have a state, the longest untouched first."""
        ...

    def latest(self, user_id: str) -> tuple[str, InnerState, float] | None:
        """The user's last session: id, newest state, and when it was saved, seconds since the epoch."""
        ...

    def forget(self, user_id: str) -> None:
        """Delete all states of a user; the bytes are gone when this returns.

        Raises:
            SessionWriteError: The store cannot be written.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


def check_order(version: int, states: Sequence[InnerState]) -> None:
    """Refuse versions that do not grow; the same version as before is no change.

    Raises:
        ValueError: They do not.
    """
    numbers = [version, *(state.version for state in states)]
    if numbers[-1] < version or any(after <= before for before, after in pairwise(numbers[1:])):
        raise ValueError(f"state {numbers[-1]} is older than {version}, which it is said to come from: {numbers}")


def state_context(session_id: str, version: int) -> bytes:
    """Where a sealed state belongs, so that it cannot be moved to another session or version."""
    return json.dumps(("state", session_id, version)).encode()
