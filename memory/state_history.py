"""Versions of an inner state: read any of them, take the last change back, say what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory.state_events import RolledBack, StateEvent
from memory.state_model import InnerState
from memory.state_reducer import reduce


@dataclass(frozen=True, slots=True)
class _Entry:
    state: InnerState
    turn_id: int


class StateHistory:
    """The current state and the versions before it. Not thread-safe: one conversation owns it.

    Args:
        versions: Earlier states, oldest first, such as a session store returns; none starts an empty state.
        keep: How many versions stay in memory; the store has the others.
    """

    def __init__(self, versions: Iterable[InnerState] = (), keep: int = 512) -> None:
        self._entries = [_Entry(state, 0) for state in versions][-keep:] or [_Entry(InnerState(), 0)]
        self._keep = keep

    @property
    def current(self) -> InnerState:
        """The newest version."""
        return self._entries[-1].state

    @property
    def versions(self) -> list[InnerState]:
        """All versions in memory, oldest first."""
        return [entry.state for entry in self._entries]

    def version(self, number: int) -> InnerState:
        """An earlier state as it was.

        Raises:
            KeyError: No such version in memory.
        """
        index = self._index(number)
        if index is None:
            raise KeyError(f"no version {number}; there are {[entry.state.version for entry in self._entries]}")
        return self._entries[index].state

    def apply(self, event: StateEvent, turn_id: int = 0) -> InnerState:
        """Let an event happen.

        Args:
            event: What happened.
            turn_id: Changes of one turn are taken back together; 0 = on its own.

        Returns:
            The new current state; the same object if nothing changed.
        """
        before = self.current
        after = self._rolled_back(event.to_version) if isinstance(event, RolledBack) else reduce(before, event)
        if after is not before:
            self._entries.append(_Entry(after, turn_id))
            del self._entries[: -self._keep]
        return after

    def _index(self, number: int | None) -> int | None:
        return next((i for i, entry in enumerate(self._entries) if entry.state.version == number), None)

    def _origin(self, index: int) -> int:
        """Where the content of a version was first said: rollbacks lead back to it."""
        source = self._index(self._entries[index].state.bookkeeping.restored_from)
        return index if source is None else self._origin(source)

    def _rolled_back(self, to_version: int | None) -> InnerState:
        before = self.current
        target = self._before_last_change() if to_version is None else self._index(to_version)
        if target is None:
            return before
        restored = self._entries[self._origin(target)].state
        note = restored.bookkeeping.model_copy(
            update={"restored_from": restored.version, **_of_tools(before, restored)}
        )
        after = _not_waiting_for_nothing(
            restored.model_copy(update={"version": before.version, "bookkeeping": note}),
            waited=bool(restored.bookkeeping.awaiting),
        )
        if _as_restored(after, restored.version) == _as_restored(before, restored.version):
            return before
        return after.model_copy(update={"version": before.version + 1})

    def _before_last_change(self) -> int | None:
        """The version before the user's last change, or before the last change of any kind."""
        newest = index = self._origin(len(self._entries) - 1)
        while index > 0:
            if _said(self._entries[index].state) != _said(self._entries[index - 1].state):
                return self._before_turn(index)
            index = self._origin(index - 1)
        return newest - 1 if newest > 0 else None

    def _before_turn(self, index: int) -> int:
        turn_id = self._entries[index].turn_id
        while turn_id and index > 1 and self._entries[index - 1].turn_id == turn_id:
            index -= 1
        return index - 1


def _of_tools(before: InnerState, restored: InnerState) -> dict[str, object]:
    """What tools did stays done: a call that has run or was dropped does not wait again, and no yes is brought back."""
    waits = {call.tool for call in before.bookkeeping.awaiting}
    awaiting = tuple(
        call.model_copy(update={"asked": False}) for call in restored.bookkeeping.awaiting if call.tool in waits
    )
    return {"awaiting": awaiting, "options": before.bookkeeping.options, "tool_result": before.bookkeeping.tool_result}


def _not_waiting_for_nothing(state: InnerState, *, waited: bool) -> InnerState:
    """A task whose call has run in the meantime waits for no yes any more."""
    if not waited or state.bookkeeping.awaiting:
        return state
    tasks = tuple(
        record.model_copy(update={"status": "in_progress"}) if record.task == state.task else record
        for record in state.tasks
    )
    return state.model_copy(update={"status": "in_progress", "tasks": tasks})


def _as_restored(state: InnerState, version: int) -> InnerState:
    note = state.bookkeeping.model_copy(
        update={"restored_from": version, "options": (), "awaiting": (), "tool_result": None}
    )
    return state.model_copy(update={"bookkeeping": note})


def _said(state: InnerState) -> tuple[object, ...]:
    """What the user committed to: steps, open points and the like come and go without them."""
    facts = {key: state.facts[key] for key in state.bookkeeping.user_facts}
    return state.task, state.status == "cancelled", facts, state.preference


_FIELDS = ("task", "status", "pending", "steps", "history_summary", "tasks", "topic", "subject")
_TABLES = ("facts", "preference")


def diff(
    before: InnerState | Mapping[str, Any], after: InnerState | Mapping[str, Any]
) -> list[tuple[str, object, object]]:
    """What changed between two states, for reports.

    Args:
        before: A state, or one in the contract's JSON form.
        after: Likewise.

    Returns:
        ``(field, before, after)`` in the contract's order; facts and preferences one by one, as
        ``facts.date``, with None for what was not there. The version is left out.
    """
    old = before.to_contract() if isinstance(before, InnerState) else before
    new = after.to_contract() if isinstance(after, InnerState) else after
    changes: list[tuple[str, object, object]] = []
    for field in ("task", "status", *_TABLES, *_FIELDS[2:]):
        one, other = old.get(field), new.get(field)
        if one == other:
            continue
        if field in _TABLES:
            one, other = one or {}, other or {}
            for key in dict.fromkeys((*one, *other)):
                if one.get(key) != other.get(key):
                    changes.append((f"{field}.{key}", one.get(key), other.get(key)))
        else:
            changes.append((field, one, other))
    return changes
