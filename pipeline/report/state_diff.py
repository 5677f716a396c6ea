"""What a turn changed in the inner state, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.report.coerce import mapping, plain, sequence, text, words


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two inner states.

    Attributes:
        kind: Whether something came, went, or took another value.
        what: The place, such as ``Fact: date``.
        before: Its value before, empty if it came.
        after: Its value after, empty if it went.
    """

    kind: Literal["added", "changed", "removed"]
    what: str
    before: str = ""
    after: str = ""


def diff_states(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    """Compare two inner states (design: an inner state's fields).

    Args:
        before: The state when the turn began.
        after: The state when it was over.

    Returns:
        Changes in the order a person thinks of them: task, facts, what is left to do, preferences, the rest.
    """
    return [
        *_value("Task", before.get("task"), after.get("task")),
        *_value("Status", _status(before.get("status")), _status(after.get("status"))),
        *_entries("Fact", before.get("facts"), after.get("facts")),
        *_members("Still to do", before.get("pending"), after.get("pending")),
        *_members("Step done", before.get("steps"), after.get("steps")),
        *_entries("Preference", before.get("preference"), after.get("preference")),
        *_value("Topic", before.get("topic"), after.get("topic")),
        *_value("“It” means", _subject(before.get("subject")), _subject(after.get("subject"))),
        *_tasks(before.get("tasks"), after.get("tasks")),
        *_value("Summary", before.get("history_summary"), after.get("history_summary")),
    ]


def describe_state(state: dict[str, Any]) -> list[tuple[str, str]]:
    """The whole state as (name, value) lines, without what is empty."""
    shown = {
        "Task": state.get("task"),
        "Status": _status(state.get("status")),
        "Facts": mapping(state.get("facts")),
        "Still to do": sequence(state.get("pending")),
        "Steps done": sequence(state.get("steps")),
        "Preferences": mapping(state.get("preference")),
        "Topic": state.get("topic"),
        "“It” means": _subject(state.get("subject")),
        "Tasks": [_task(task) for task in sequence(state.get("tasks"))],
        "Summary": state.get("history_summary"),
    }
    return [(name, plain(value)) for name, value in shown.items() if value]


def _value(what: str, before: Any, after: Any) -> Iterator[Change]:
    if not before and not after or before == after:
        return
    if not before:
        yield Change("added", what, after=plain(after))
    elif not after:
        yield Change("removed", what, before=plain(before))
    else:
        yield Change("changed", what, plain(before), plain(after))


def _entries(what: str, before: Any, after: Any) -> Iterator[Change]:
    old, new = mapping(before), mapping(after)
    for key in [*new, *(key for key in old if key not in new)]:
        place = f"{what}: {words(str(key))}"
        if key not in old:
            yield Change("added", place, after=plain(new[key]))
        elif key not in new:
            yield Change("removed", place, before=plain(old[key]))
        elif old[key] != new[key]:
            yield Change("changed", place, plain(old[key]), plain(new[key]))


def _members(what: str, before: Any, after: Any) -> Iterator[Change]:
    old, new = sequence(before), sequence(after)
    for item in new:
        if item not in old:
            yield Change("added", what, after=plain(item))
    for item in old:
        if item not in new:
            yield Change("removed", what, before=plain(item))


def _tasks(before: Any, after: Any) -> Iterator[Change]:
    def by_name(tasks: Any) -> dict[str, str]:
        return {text(mapping(task).get("task")): _task(task) for task in sequence(tasks)}

    old, new = by_name(before), by_name(after)
    for name, task in new.items():
        yield from _value("Tasks", old.get(name), task)
    for name, task in old.items():
        if name not in new:
            yield from _value("Tasks", task, None)


def _task(task: Any) -> str:
    task = mapping(task)
    name, status, result = text(task.get("task")), _status(task.get("status")), text(task.get("result"))
    return "".join((name, f" ({status})" if status else "", f": {result}" if result else ""))


def _status(value: Any) -> str:
    return words(text(value))


def _subject(value: Any) -> str:
    subject = mapping(value)
    kind, name, description = (text(subject.get(key)) for key in ("type", "id", "description"))
    label = description or name
    if not label:
        return words(kind)
    return f"{label} ({', '.join(part for part in (words(kind), name if description else '') if part)})".replace(
        " ()", ""
    )
