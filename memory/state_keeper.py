"""The inner state of one conversation: changed at once in memory, saved in order behind it.

Saves carry the version they started from. When another process saved the same session in between (``StaleVersion``),
its state is loaded and the events that were not saved yet happen again on top of it: events, not states, are merged.
What changes nothing there any more is dropped. A session that the store itself has lost is saved anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loguru import logger

from memory.inner_state import InnerState, StateHistory
from memory.sessions.base import SessionStore, SessionWriteError, StaleVersion
from memory.state_events import RolledBack, StateEvent
from memory.write_queue import WriteQueue

# More than this in a row, and two programs fight over one session: it is tried again later.
_MAX_MERGES = 20


@dataclass(frozen=True, slots=True)
class _Change:
    events: tuple[StateEvent, ...]
    turn_id: int
    states: tuple[InnerState, ...]


class StateKeeper:
    """Holds, changes, and saves the inner state.

    Args:
        store: Where it is saved.
        writes: The conversation's writes.
        user_id: Whose state.
        session_id: Of which session.
        history: What the session starts with.
        stored_version: The version the store holds; 0 for none.
    """

    def __init__(
        self,
        store: SessionStore,
        writes: WriteQueue,
        *,
        user_id: str,
        session_id: str,
        history: StateHistory,
        stored_version: int,
    ) -> None:
        self._store = store
        self._writes = writes
        self._user_id = user_id
        self._session_id = session_id
        self._history = history
        self._stored_version = stored_version
        self._unsaved: deque[_Change] = deque()

    @property
    def current(self) -> InnerState:
        """The state now."""
        return self._history.current

    @property
    def history(self) -> StateHistory:
        """The state and its earlier versions."""
        return self._history

    def apply(self, events: Sequence[StateEvent], turn_id: int) -> InnerState:
        """Let events happen and queue the save. An event that cannot be applied is logged and left out.

        Returns:
            The state after them.
        """
        states = []
        for event in events:
            before = self.current
            try:
                self._history.apply(event, turn_id)
            except Exception:
                logger.exception("a state event was left out: {}", type(event).__name__)
            if self.current is not before:
                states.append(self.current)
        if states:
            self._unsaved.append(_Change(tuple(events), turn_id, tuple(states)))
            self._writes.put(self._save)
        return self.current

    async def _save(self) -> None:
        merges = 0
        while self._unsaved:
            states, version = self._unsaved[0].states, self._stored_version
            if version == 0:
                # All of it: what carried over, or what the store has lost.
                states = tuple(state for state in self._history.versions if state.version < states[0].version) + states
            try:
                self._stored_version = await self._writes.run(_saver(self._store, self._ids, states, version))
            except StaleVersion as stale:
                merges += 1
                if merges > _MAX_MERGES:
                    raise SessionWriteError(f"session {self._session_id}: others save it all the time") from None
                if stale.lost:
                    logger.error("session {}: the store has lost it; saving it anew", self._session_id)
                    self._stored_version = 0
                    continue
                logger.warning(
                    "session {}: version {} was saved elsewhere; merging onto it", self._session_id, stale.current
                )
                await self._merge()
                continue
            # A merge while this change was being saved cannot happen: jobs run one at a time.
            self._unsaved.popleft()

    async def _merge(self) -> None:
        """Load what was saved elsewhere and let the unsaved events happen on it."""
        saved = await self._writes.run(lambda: self._store.versions(*self._ids))
        history = StateHistory(saved)
        self._stored_version = history.current.version if saved else 0
        unsaved: deque[_Change] = deque()
        for change in self._unsaved:
            states = []
            for event in change.events:
                before = history.current
                # Taking back is about what this writer did last; on top of another's change it would take that back.
                if not isinstance(event, RolledBack) or unsaved:
                    history.apply(event, change.turn_id)
                if history.current is not before:
                    states.append(history.current)
            if states:
                unsaved.append(_Change(change.events, change.turn_id, tuple(states)))
            else:
                names = ", ".join(type(event).__name__ for event in change.events)
                logger.warning("session {}: turn {}: dropped as stale: {}", self._session_id, change.turn_id, names)
        self._history, self._unsaved = history, unsaved

    @property
    def _ids(self) -> tuple[str, str]:
        return self._user_id, self._session_id


def _saver(
    store: SessionStore, ids: tuple[str, str], states: tuple[InnerState, ...], version: int
) -> Callable[[], int]:
    return lambda: store.save(*ids, states[-1], version, states[:-1])
