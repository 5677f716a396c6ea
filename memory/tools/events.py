"""What the end of a call changes in the inner state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.state_events import (
    FactsStated,
    OptionsListed,
    StateEvent,
    StepDone,
    TaskStatusChanged,
    ToolReported,
)
from memory.state_model import clean
from memory.state_tools import MAX_RESULT_CHARS, CallStatus, ToolResult
from memory.tools.names import kind_of, phrase_of, step_of, topics_of
from memory.tools.outcome import Outcome
from memory.tools.spec import ToolSpec
from memory.understanding.tasks.topics import topic_named


def ended(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    status: CallStatus,
    outcome: Outcome | None,
    *,
    reason: str,
    task: str,
    topic: str,
    is_current: bool,
    language: str,
) -> list[StateEvent]:
    """The events of a call that has come to an end.

    Args:
        spec: The tool.
        arguments: What it was called with.
        status: How it ended; what was cancelled changes nothing.
        outcome: What it returned.
        reason: What went wrong.
        task: The task it was made for.
        topic: Of the current task; where people only look something up, the task is over with the result.
        is_current: Whether that is still the current task; steps, facts and options are of no use to another one.
        language: Of the step's words.
    """
    if status == "cancelled":
        return []
    text = outcome.text if outcome is not None and status == "completed" else reason
    report = ToolReported(ToolResult(tool=spec.name, arguments=arguments, text=text[:MAX_RESULT_CHARS], status=status))
    if status != "completed":
        failed = TaskStatusChanged("failed", f"{phrase_of(spec, language)}: {reason}", task)
        return [report, failed] if spec.risky else [report]
    events: list[StateEvent] = [report]
    if is_current:
        events.append(StepDone(_step(spec, topic, language)))
        if outcome is not None and outcome.facts:
            events.append(FactsStated(dict(outcome.facts), source="tool"))
        if outcome is not None and outcome.count is not None:
            events.append(OptionsListed(outcome.options))
    looked_up = is_current and kind_of(spec) == "find" and topic_named(topic).lookup
    if spec.risky or looked_up:
        events.append(TaskStatusChanged("completed", _result_text(outcome), task))
    return events


def _step(spec: ToolSpec, topic: str, language: str) -> str:
    known = topic_named(topic).found if kind_of(spec) == "find" and topic in topics_of(spec) else {}
    return known.get(language) or step_of(spec, language)


def _result_text(outcome: Outcome | None) -> str:
    if outcome is None or outcome.value is None:
        return ""
    return ", ".join(f"{key} {value}" for key, value in outcome.facts.items()) or clean(outcome.text, 120)
