"""Tasks from earlier in the session that are taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.understanding.tasks.changes import code_in
from memory.understanding.tasks.topics import Topic, topic_of
from memory.understanding.values.codes import code_type, codes_in

if TYPE_CHECKING:
    from memory.state_model import InnerState


def earlier_task(topic: Topic, code: str, state: InnerState) -> str:
    """The task of that topic to take up again; empty where there is none."""
    for entry in reversed(state.bookkeeping.shelved):
        known = code_in(dict(entry.facts))
        if entry.topic == topic.name and (not code or not known or code == known):
            return entry.task
    for record in reversed(state.tasks):
        named = topic_of(record.task)
        codes = codes_in(record.task)
        fits = not code or not codes or codes[0].value == code
        if named and named.name == topic.name and topic.name == "order" and fits:
            return record.task
    return ""


def remembered_code(kind: str, state: InnerState) -> str:
    """The code of that kind that was last spoken of, wherever the state still holds it."""
    if state.subject.type == kind:
        return state.subject.id
    for entry in reversed(state.bookkeeping.shelved):
        if kind in entry.facts:
            return entry.facts[kind]
    said = "\n".join([*(record.task for record in state.tasks), state.history_summary])
    codes = [c.value for c in codes_in(said) if code_type(c.value, "", kind) == kind]
    return codes[-1] if codes else ""
