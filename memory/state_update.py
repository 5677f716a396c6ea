"""A language model's ``state_update`` as events: checked, cut to size, and weaker than the user's own words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import get_args

from memory.state_events import (
    FactsDropped,
    FactsStated,
    PendingChanged,
    PreferenceStated,
    StateEvent,
    StepDone,
    SubjectSet,
    SummaryAdded,
    TaskStarted,
    TaskStatus,
    TaskStatusChanged,
    TopicChanged,
)
from memory.state_model import MAX_KEY_CHARS, MAX_SUMMARY_CHARS, MAX_TEXT_CHARS, clean

_STATUSES: frozenset[str] = frozenset(get_args(TaskStatus))
# More entries than this in one field are a model that runs away.
_MAX_ENTRIES = 16
_EXPECTED = ": expected "


@dataclass(frozen=True, slots=True)
class TaskProposed(TaskStarted):
    """The model's word for the task: renames an open one, replaces it only with another topic."""


@dataclass(frozen=True, slots=True)
class StatusProposed(TaskStatusChanged):
    """The model's word for how far the task is; what waits for the user's yes goes on waiting."""


@dataclass(frozen=True, slots=True)
class PreferenceProposed(PreferenceStated):
    """What the model takes for a preference; never changes one that the user stated."""


def parse_update(raw: object) -> tuple[list[StateEvent], list[str]]:
    """Read a ``state_update`` object. Never raises, whatever a model writes.

    Keys are those of the contract. ``null`` as a fact's value drops the fact; ``pending`` is a list of
    what is new, or ``{"add": [...], "done": [...]}``; ``result`` goes with ``status``.

    Args:
        raw: Decoded JSON; None stands for no update.

    Returns:
        Events in the order to apply them, and one line for everything that was ignored.
    """
    if raw is None:
        return [], []
    if not isinstance(raw, Mapping):
        return [], [f"state_update{_EXPECTED}an object, found {_kind(raw)}"]
    reader = _Reader()
    for key in raw:
        if not isinstance(key, str) or key not in KNOWN_KEYS:
            name = clean(key, MAX_KEY_CHARS) if isinstance(key, str) else _kind(key)
            reader.problems.append(f"{name}: unknown key, ignored")
    topic = reader.text(raw, "topic")
    task = reader.text(raw, "task")
    if task:
        reader.events.append(TaskProposed(task, topic))
    if topic:
        reader.events.append(TopicChanged(topic))
    for key, read in _FIELDS.items():
        if raw.get(key) is not None:
            read(reader, key, raw[key])
    reader.status(raw)
    return reader.events, reader.problems


def is_wrong_type(problem: str) -> bool:
    """Whether a line of ``parse_update`` speaks of a value of the wrong type, and not of a key or word it ignored."""
    return _EXPECTED in problem


class _Reader:
    """Collects events and problems while the fields of one update are read."""

    def __init__(self) -> None:
        self.events: list[StateEvent] = []
        self.problems: list[str] = []

    def wrong(self, key: str, expected: str, found: object) -> None:
        self.problems.append(f"{key}{_EXPECTED}{expected}, found {_kind(found)}")

    def text(self, raw: Mapping[object, object], key: str, limit: int = MAX_TEXT_CHARS) -> str:
        value = raw.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.wrong(key, "a string", value)
            return ""
        return clean(value, limit)

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            self.wrong(key, "a list of strings", value)
            return ()
        if len(value) > _MAX_ENTRIES:
            self.problems.append(f"{key}: {len(value)} entries, only {_MAX_ENTRIES} read")
        found = []
        for entry in value[:_MAX_ENTRIES]:
            if not isinstance(entry, str):
                self.wrong(key, "a list of strings", entry)
            elif text := clean(entry):
                found.append(text)
        return tuple(found)

    def table(self, key: str, value: object) -> tuple[dict[str, str], tuple[str, ...]]:
        """Key -> value for scalars, and the keys whose value is null."""
        if not isinstance(value, Mapping):
            self.wrong(key, "an object of strings", value)
            return {}, ()
        if len(value) > _MAX_ENTRIES:
            self.problems.append(f"{key}: {len(value)} entries, only {_MAX_ENTRIES} read")
        stated: dict[str, str] = {}
        dropped: list[str] = []
        for name, entry in list(value.items())[:_MAX_ENTRIES]:
            label = clean(name, MAX_KEY_CHARS) if isinstance(name, str) else ""
            text = _scalar(entry)
            if not label:
                self.problems.append(f"{key}: an entry without a name, ignored")
            elif entry is None:
                dropped.append(label)
            elif text is None:
                self.wrong(f"{key}.{label}", "a string", entry)
            elif text:
                stated[label] = text
        return stated, tuple(dropped)

    def facts(self, key: str, value: object) -> None:
        stated, dropped = self.table(key, value)
        if dropped:
            self.events.append(FactsDropped(dropped, source="model"))
        if stated:
            self.events.append(FactsStated(stated, source="model"))

    def preference(self, key: str, value: object) -> None:
        stated, dropped = self.table(key, value)
        self.problems.extend(f"{key}.{name}: null cannot take a preference back" for name in dropped)
        if stated:
            self.events.append(PreferenceProposed(stated))

    def pending(self, key: str, value: object) -> None:
        if isinstance(value, Mapping):
            self.problems.extend(f"{key}: expected add and done only" for name in value if name not in ("add", "done"))
            add, done = (self.texts(f"{key}.{name}", value.get(name, ())) for name in ("add", "done"))
        else:
            add, done = self.texts(key, value), ()
        if add or done:
            self.events.append(PendingChanged(add, done))

    def steps(self, key: str, value: object) -> None:
        self.events.extend(StepDone(step) for step in self.texts(key, value))

    def subject(self, key: str, value: object) -> None:
        if not isinstance(value, Mapping):
            self.wrong(key, "an object with type, id and description", value)
            return
        parts = [self.text(value, name) for name in ("type", "id", "description")]
        if parts[1] or parts[2]:
            self.events.append(SubjectSet(*parts))

    def summary(self, key: str, value: object) -> None:
        if not isinstance(value, str):
            self.wrong(key, "a string", value)
        else:
            lines = [clean(line) for line in value[:MAX_SUMMARY_CHARS].splitlines()]
            if any(lines):
                self.events.append(SummaryAdded("\n".join(filter(None, lines))))

    def status(self, raw: Mapping[object, object]) -> None:
        status = raw.get("status")
        result = self.text(raw, "result")
        if status is None:
            if result:
                self.problems.append("result: only together with status, ignored")
        elif isinstance(status, str) and status in _STATUSES:
            self.events.append(StatusProposed(status, result))  # type: ignore[arg-type]
        elif isinstance(status, str):
            self.problems.append(f"status: unknown value {clean(status, MAX_KEY_CHARS)!r}, ignored")
        else:
            self.wrong("status", "a string", status)


_FIELDS: Mapping[str, Callable[[_Reader, str, object], None]] = {
    "facts": _Reader.facts,
    "pending": _Reader.pending,
    "steps": _Reader.steps,
    "preference": _Reader.preference,
    "subject": _Reader.subject,
    "history_summary": _Reader.summary,
}
KNOWN_KEYS = frozenset({"task", "topic", "status", "result", *_FIELDS})


def _scalar(value: object) -> str | None:
    """A JSON scalar as text; None for anything else."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return clean(str(value)) if abs(value) < 10**30 else None
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return None


def _kind(value: object) -> str:
    return {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number" if isinstance(value, int | float) else type(value).__name__
    )
