"""Opens what memory is kept in: one folder, many people, everything sealed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory.archive import JOURNAL_FILE, KEYS_FOLDER, SESSIONS_FILE
from memory.errors import UserError
from memory.journal import Journal
from memory.privacy import KeyRing
from memory.session import MemorySession
from memory.sessions.base import SessionStore
from memory.sessions.sqlite import SQLiteSessionStore
from pipeline.clock import ConversationClock
from pipeline.conversation_models import ConversationModels
from pipeline.home import expand
from pipeline.settings import Settings


@dataclass(frozen=True)
class MemoryStores:
    """The journal, the inner states, and the keys that seal both.

    Attributes:
        folder: Where they are.
    """

    folder: Path
    keys: KeyRing
    journal: Journal
    sessions: SessionStore

    def close(self) -> None:
        """Close the files."""
        self.journal.close()
        self.sessions.close()


def memory_folder(settings: Settings, *, create: bool = True) -> Path:
    """The folder that the settings name.

    Args:
        settings: With ``memory.data_dir``.
        create: Whether it is made if it is missing.

    Raises:
        UserError: It cannot be made, or holds no memory and may not be made.
    """
    folder = expand(settings.memory.data_dir, "memory.data_dir")
    try:
        if create:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif not (folder / JOURNAL_FILE).exists():
            raise UserError(f"{folder}: no memory here; name its folder with --data")
    except OSError as error:
        raise UserError(f"{folder}: cannot open the memory folder: {error.strerror}") from None
    return folder


def open_stores(settings: Settings, *, create: bool = True) -> MemoryStores:
    """Open the stores that the settings name.

    Args:
        settings: Which stores.
        create: Whether what is missing is made.

    Raises:
        UserError: The folder or a file in it cannot be used, or the store of inner states cannot be reached.
    """
    folder = memory_folder(settings, create=create)
    keys = KeyRing(folder / KEYS_FOLDER)
    sessions = _open_sessions(settings, folder, keys)
    try:
        return MemoryStores(folder, keys, Journal(folder / JOURNAL_FILE, keys), sessions)
    except UserError:
        sessions.close()
        raise


@contextmanager
def open_sessions(settings: Settings, folder: Path) -> Iterator[SessionStore | None]:
    """The store of inner states outside of the memory folder, if the settings name one.

    Args:
        settings: With ``session.store``.
        folder: The memory folder, whose keys it needs.

    Yields:
        None if inner states live in the folder.

    Raises:
        UserError: It cannot be reached.
    """
    if settings.session.store == "sqlite":
        yield None
        return
    store = _open_sessions(settings, folder, KeyRing(folder / KEYS_FOLDER))
    try:
        yield store
    finally:
        store.close()


def _open_sessions(settings: Settings, folder: Path, keys: KeyRing) -> SessionStore:
    session = settings.session
    if session.store == "sqlite":
        return SQLiteSessionStore(folder / SESSIONS_FILE, keys, time.time)
    from memory.sessions.redis import RedisSessionStore

    return RedisSessionStore(session.store, keys, time.time, session.expire_s)


async def open_memory(
    settings: Settings, models: ConversationModels, stores: MemoryStores, session_id: str, clock: ConversationClock
) -> MemorySession:
    """Open the configured user's memory for one conversation.

    Args:
        settings: Whose memory, and how recall is bounded.
        models: Embed and understand.
        stores: Where memory lives.
        session_id: The conversation.
        clock: Gives the session's own time.

    Raises:
        UserError: Memory cannot be read.
    """
    return await MemorySession.open(
        user_id=settings.agent.user,
        session_id=session_id,
        language=settings.agent.language,
        journal=stores.journal,
        sessions=stores.sessions,
        embedder=models.embedder,
        understander=models.understander,
        deadline_ms=settings.memory.deadline_ms,
        token_budget=settings.memory.token_budget,
        top_k=settings.memory.top_k,
        now=clock.now,
        calibration=models.calibration,
    )
