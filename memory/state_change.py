"""Small changes of an inner state, and its summary; what every part of the reducer is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory.state_model import MAX_SUMMARY_CHARS, InnerState, clean


def changed(state: InnerState, **changes: Any) -> InnerState:
    """The state with other values."""
    return state.model_copy(update=changes)


def noted(state: InnerState, **changes: Any) -> InnerState:
    """The state with other values in its bookkeeping."""
    return changed(state, bookkeeping=state.bookkeeping.model_copy(update=changes))


def same(one: str, other: str) -> bool:
    """Whether two names are alike but for their case."""
    return one.casefold() == other.casefold()


def with_task_line(state: InnerState) -> InnerState:
    """One line about the current task, in place of an earlier one about it."""
    head = f"{state.task} ["
    result = next((record.result for record in state.tasks if same(record.task, state.task)), "")
    parts = [f"{key}: {value}" for key, value in state.facts.items()]
    if result:
        parts.append(result)
    lines = [line for line in state.history_summary.split("\n") if not line.startswith(head)]
    line = f"{head}{state.status}] " + "; ".join(parts)
    return changed(state, history_summary=summary_of([*lines, line]))


def with_lines(state: InnerState, lines: Iterable[str]) -> InnerState:
    """The state with lines in its summary that it did not have."""
    known = state.history_summary.split("\n")
    new = [line for line in (clean(line, MAX_SUMMARY_CHARS) for line in lines) if line and line not in known]
    return changed(state, history_summary=summary_of([*known, *new])) if new else state


def summary_of(lines: list[str]) -> str:
    """The newest lines that fit."""
    kept: list[str] = []
    room = MAX_SUMMARY_CHARS
    for line in reversed([line.strip()[:MAX_SUMMARY_CHARS] for line in lines]):
        if len(line) > room:
            break
        if line:
            kept.append(line)
            room -= len(line) + 1
    return "\n".join(reversed(kept))
