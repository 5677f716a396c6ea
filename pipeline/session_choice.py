"""Which session a conversation belongs to: the one that was left a moment ago, or a new one.

A call that was dropped, a process that was killed, a page that was reloaded: whoever is back within
``session.idle_timeout_s`` goes on where it stopped. Whoever comes later begins a new session, with preferences
and open tasks of the last one; that one is archived: it stays readable and changes no more.
"""

from __future__ import annotations

import uuid

from memory.past_turns import goes_on
from pipeline.memory_stores import MemoryStores
from pipeline.settings import Settings


def new_session_id() -> str:
    """An id that says nothing about anybody."""
    return uuid.uuid4().hex[:12]


def choose_session(stores: MemoryStores, settings: Settings, now: float) -> str:
    """The session of somebody who begins to talk; blocking.

    Args:
        stores: Where memory lives.
        settings: Who it is, and how long a session may be silent.
        now: The conversation's own time, seconds since the epoch.

    Returns:
        The id of the session that goes on, else a new one.

    Raises:
        UserError: Memory cannot be read.
    """
    user = settings.agent.user
    last = stores.journal.last(user)
    if last is None:
        # Another machine has the words; the states are shared.
        latest = stores.sessions.latest(user)
        last = None if latest is None else (latest[0], latest[2])
    if last is not None and goes_on(last[1], now, settings.session.idle_timeout_s):
        return last[0]
    return new_session_id()
