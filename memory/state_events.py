"""What can happen to an inner state. Events are the only way to change one (see ``inner_state.reduce``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.state_tools import AwaitedCall, Option, ToolResult

TaskStatus = Literal[
    "not_started",
    "in_progress",
    "waiting_confirmation",
    "waiting_input",
    "completed",
    "failed",
    "cancelled",
]

Source = Literal["user", "model", "tool"]


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """The user wants something done; an earlier task stays resumable.

    Attributes:
        task: What is to be done, in the user's language.
        topic: One word such as ``room``, ``weather``, ``order``.
        status: What it starts as.
    """

    task: str
    topic: str = ""
    status: TaskStatus = "in_progress"


@dataclass(frozen=True, slots=True)
class TaskStatusChanged:
    """A task moved on.

    Attributes:
        status: How far it is.
        result: What came of it.
        task: Which one, if it may not be the current one any more; empty for the current one.
    """

    status: TaskStatus
    result: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class FactsStated:
    """Values for the current task: ISO dates, ``10:00-12:00``, ``84 EUR``, codes, names.

    Attributes:
        facts: Value-free key -> value.
        source: Who said so. What the user stated, only the user changes.
    """

    facts: dict[str, str] = field(default_factory=dict)
    source: Source = "user"


@dataclass(frozen=True, slots=True)
class FactsDropped:
    """Facts that no longer hold."""

    keys: tuple[str, ...]
    source: Source = "user"


@dataclass(frozen=True, slots=True)
class PendingChanged:
    """What is still to be asked or done."""

    add: tuple[str, ...] = ()
    done: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepDone:
    """A step of the task was taken."""

    step: str


@dataclass(frozen=True, slots=True)
class PreferenceStated:
    """What the user likes or wants in general; outlives the task."""

    preferences: dict[str, str]


@dataclass(frozen=True, slots=True)
class SubjectSet:
    """What "it" and "that one" point to from now on."""

    type: str
    id: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class TopicChanged:
    """The conversation moved on to something else."""

    topic: str


@dataclass(frozen=True, slots=True)
class SummaryAdded:
    """A line for the summary of what was said before."""

    text: str


@dataclass(frozen=True, slots=True)
class RolledBack:
    """Back to an earlier version ("forget that last change").

    Attributes:
        to_version: The version whose content is taken; None for the one before the last change.
    """

    to_version: int | None = None


@dataclass(frozen=True, slots=True)
class OptionsListed:
    """A tool listed things to choose from, in place of those listed before."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class CallsAwaited:
    """Risky calls wait for the user's yes, in place of those that waited before; the task waits with them."""

    calls: tuple[AwaitedCall, ...]


@dataclass(frozen=True, slots=True)
class CallsAsked:
    """The user has heard the question whether the waiting calls may run."""


@dataclass(frozen=True, slots=True)
class CallsSettled:
    """No call waits any more: they run, or never will."""


@dataclass(frozen=True, slots=True)
class ToolReported:
    """A call has ended.

    Attributes:
        result: None once the result is of no use any more.
    """

    result: ToolResult | None


StateEvent = (
    TaskStarted
    | TaskStatusChanged
    | FactsStated
    | FactsDropped
    | PendingChanged
    | StepDone
    | PreferenceStated
    | SubjectSet
    | TopicChanged
    | SummaryAdded
    | RolledBack
    | OptionsListed
    | CallsAwaited
    | CallsAsked
    | CallsSettled
    | ToolReported
)
