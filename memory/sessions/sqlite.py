"""Inner states in SQLite, sealed with the user's key: the default session store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memory.inner_state import InnerState
from memory.privacy import KeyRing
from memory.sessions.base import SessionWriteError, StaleVersion, check_order, state_context
from memory.sqlite_file import SQLiteFile

_KIND = 0x49565331  # "IVS1"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS states (
    user TEXT NOT NULL, session TEXT NOT NULL, version INTEGER NOT NULL, saved_at REAL NOT NULL,
    sealed BLOB NOT NULL, PRIMARY KEY (user, session, version))
"""


class SQLiteSessionStore:
    """Keeps the contract of ``SessionStore``; every saved version stays readable.

    Args:
        path: The database file, made on first use.
        keys: The users' keys.
        clock: Seconds since the epoch.

    Raises:
        UserError: The file cannot be opened; one line names it.
    """

    def __init__(self, path: Path, keys: KeyRing, clock: Callable[[], float]) -> None:
        self._keys = keys
        self._clock = clock
        # States come several a turn, and follow from words that the journal has synced.
        self._file = SQLiteFile(path, _SCHEMA, _KIND, write_error=SessionWriteError, synced=False)

    def load(self, user_id: str, session_id: str) -> tuple[InnerState, int] | None:
        """See ``SessionStore.load``."""
        rows = self._file.rows(
            "SELECT version, sealed FROM states WHERE user = ? AND session = ? ORDER BY version DESC LIMIT 1",
            (self._keys.row_key(user_id), session_id),
        )
        if not rows:
            return None
        version, sealed = rows[0]
        return self._open(user_id, session_id, version, sealed), version

    def save(
        self, user_id: str, session_id: str, state: InnerState, version: int, between: Sequence[InnerState] = ()
    ) -> int:
        """See ``SessionStore.save``."""
        states = (*between, state)
        check_order(version, states)
        user = self._keys.row_key(user_id)
        with self._file.transaction() as database:
            (stored,) = database.execute(
                "SELECT max(version) FROM states WHERE user = ? AND session = ?", (user, session_id)
            ).fetchone()
            if (stored or 0) != version:
                raise StaleVersion(stored or 0)
            if stored == state.version:
                return version
            sealer = self._keys.sealer(user_id, create=stored is None)
            now = self._clock()
            database.executemany(
                "INSERT INTO states (user, session, version, saved_at, sealed) VALUES (?, ?, ?, ?, ?)",
                [
                    (user, session_id, each.version, now, sealer.seal(each.to_json().encode(), context))
                    for each in states
                    for context in (state_context(session_id, each.version),)
                ],
            )
        return state.version

    def versions(self, user_id: str, session_id: str) -> list[InnerState]:
        """See ``SessionStore.versions``."""
        rows = self._file.rows(
            "SELECT version, sealed FROM states WHERE user = ? AND session = ? ORDER BY version",
            (self._keys.row_key(user_id), session_id),
        )
        return [self._open(user_id, session_id, version, sealed) for version, sealed in rows]

    def sessions(self, user_id: str) -> list[str]:
        """See ``SessionStore.sessions``."""
        rows = self._file.rows(
            "SELECT session FROM states WHERE user = ? GROUP BY session ORDER BY max(saved_at), max(rowid)",
            (self._keys.row_key(user_id),),
        )
        return [session for (session,) in rows]

    def latest(self, user_id: str) -> tuple[str, InnerState, float] | None:
        """See ``SessionStore.latest``."""
        rows = self._file.rows(
            "SELECT session, version, saved_at, sealed FROM states WHERE user = ? "
            "ORDER BY saved_at DESC, rowid DESC LIMIT 1",
            (self._keys.row_key(user_id),),
        )
        if not rows:
            return None
        session_id, version, saved_at, sealed = rows[0]
        return session_id, self._open(user_id, session_id, version, sealed), saved_at

    def forget(self, user_id: str) -> None:
        """See ``SessionStore.forget``."""
        with self._file.transaction() as database:
            database.execute("DELETE FROM states WHERE user = ?", (self._keys.row_key(user_id),))
        self._file.erase_traces()

    def close(self) -> None:
        """Close the file; everything acknowledged is on disk already."""
        self._file.close()

    def _open(self, user_id: str, session_id: str, version: int, sealed: bytes) -> InnerState:
        plain = self._keys.sealer(user_id, create=False).open(sealed, state_context(session_id, version))
        return InnerState.from_json(plain)
