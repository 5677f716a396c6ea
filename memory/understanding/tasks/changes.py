"""Facts that change: what comes, what can no longer hold, and which of them names the thing spoken of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.state_events import FactsDropped, FactsStated, StateEvent
from memory.understanding.tasks.slots import replaced_keys
from memory.understanding.tasks.topics import topic_named

if TYPE_CHECKING:
    from memory.state_model import InnerState

CODED = ("room", "order", "flight", "booking", "hotel", "restaurant", "airline")
"""Keys of facts whose value names the thing that is booked or tracked, and types of subjects that are one."""
FINISHED = ("completed", "failed", "cancelled")
"""Statuses of a task that is over."""


def is_open(state: InnerState) -> bool:
    """Whether more can be said about the current task; a question that was answered can be followed up."""
    if not state.task:
        return False
    return state.status not in FINISHED or (state.status == "completed" and topic_named(state.topic).lookup)


def code_in(facts: dict[str, str]) -> str:
    """The code among the facts; empty where there is none."""
    return next((facts[key] for key in CODED if key in facts), "")


def code_key(facts: dict[str, str], code: str) -> str:
    """What kind of thing a code among the facts names."""
    return next((key for key in CODED if facts.get(key) == code), "order")


def changed_facts(facts: dict[str, str], state: InnerState) -> list[StateEvent]:
    """The events that state these facts for the current task."""
    if not facts:
        return []
    return [*dropped_facts(facts, state), FactsStated(facts)]


def dropped_facts(facts: dict[str, str], state: InnerState, resumed: str = "") -> list[StateEvent]:
    """The event that drops what cannot hold beside these facts, in the current task or in one taken up again."""
    known = set(state.facts)
    if resumed:
        known = {key for entry in state.bookkeeping.shelved if entry.task == resumed for key in entry.facts}
    gone = tuple(key for key in replaced_keys(facts) if key in known)
    return [FactsDropped(gone)] if gone else []
