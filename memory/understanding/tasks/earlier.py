"""Tasks from earlier in the session that are taken up again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import TaskStarted, TaskStatus, TopicChanged
from memory.understanding.tasks.changes import code_in
from memory.understanding.tasks.topics import Topic, topic_of
from memory.understanding.values.codes import code_type, codes_in

if TYPE_CHECKING:
    from memory.state_model import InnerState


_GOES_ON = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|sure|okay|ok|right|please|so|well|and|hello|hi)\b\W*)*(?:please |let(?:'|’)?s |let us "
    r"|we (?:can|should) |i(?:'|’)?d like to |i want to |can we |shall we |could we )*"
    r"(?:go on|continue|carry on|pick (?:it|that|this) (?:back )?up|pick up|finish|resume|get back)\b"
    r"(?! (?:talking|telling|speaking|reading))"
    r"|^[^，。！？]{0,6}[，。！？]?(?:我们|咱们|那|就|请)?(?:接着|继续)(?!.{0,4}(?:说|讲|念|读))",
    re.IGNORECASE,
)


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


def taken_up(text: str, state: InnerState) -> TaskStarted | TopicChanged | None:
    """The event that goes back to what the words name: "back to the room", 说回燃气费.

    The open task whose name shares most words with the text is taken, else the last one with its topic; what waited
    for a yes waits again.
    """
    topic = topic_of(text)
    said = _words(text)
    entries = [entry for entry in state.bookkeeping.shelved if topic is None or entry.topic == topic.name]
    shared = [(len(_words(entry.task) & said), place, entry) for place, entry in enumerate(entries)]
    best = max(shared, key=lambda found: found[:2], default=None)
    if best and (best[0] or topic) and not (topic and topic.name == state.topic and not best[0]):
        entry = best[2]
        status: TaskStatus = next((record.status for record in state.tasks if record.task == entry.task), "in_progress")
        return TaskStarted(entry.task, entry.topic, status)
    if topic is None or topic.name == state.topic:
        return None
    earlier = earlier_task(topic, "", state)
    return TaskStarted(earlier, topic.name) if earlier else TopicChanged(topic.name)


def taken_up_from_before(text: str, state: InnerState) -> TaskStarted | None:
    """The event that goes on with what an earlier session left open: "let's finish that", 接着办吧.

    Only while nothing else is being done. The task that was set aside last is meant.
    """
    left = state.open_from_before()
    if state.task or not left or not _GOES_ON.search(text):
        return None
    entry = left[-1]
    status: TaskStatus = next((record.status for record in state.tasks if record.task == entry.task), "in_progress")
    return TaskStarted(entry.task, entry.topic, status)


def _words(text: str) -> set[str]:
    """Words that can tell one task from another: English ones of four letters, pairs of Han characters."""
    han = re.findall(r"[一-鿿]", text)
    pairs = {a + b for a, b in zip(han, han[1:], strict=False)} - {"帮我", "一下", "回到", "说回"}
    return {word.lower() for word in re.findall(r"[A-Za-z]{4,}", text)} - {"back", "with", "that", "this"} | pairs


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
