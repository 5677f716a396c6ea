"""The inner state itself: an immutable record with bounds, and its two JSON forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memory.state_events import TaskStatus
from memory.state_tools import MAX_AWAITED, MAX_OPTIONS, AwaitedCall, Option, ToolResult

MAX_FACTS = 8
MAX_PENDING = 5
MAX_STEPS = 10
MAX_TASKS = 8
MAX_PREFERENCES = 12
MAX_SUMMARY_CHARS = 1000
# A key, and any other single text, in characters.
MAX_KEY_CHARS = 40
MAX_TEXT_CHARS = 160

FINISHED: frozenset[TaskStatus] = frozenset({"completed", "failed", "cancelled"})


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Subject(_Record):
    """What "it" and "that one" point to."""

    type: str = ""
    id: str = ""
    description: str = ""


class TaskRecord(_Record):
    """A task of this session and how it went."""

    task: str
    status: TaskStatus = "in_progress"
    result: str = ""


class ShelvedTask(_Record):
    """All that is needed to take up a replaced task again."""

    task: str
    topic: str = ""
    facts: Mapping[str, str] = Field(default_factory=dict)
    user_facts: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    subject: Subject = Subject()
    options: tuple[Option, ...] = ()
    awaiting: tuple[AwaitedCall, ...] = ()


class Bookkeeping(_Record):
    """What the contract does not show.

    Attributes:
        user_facts: Keys of facts that the user stated; only the user changes them.
        user_preferences: Keys of preferences that the user stated.
        shelved: Replaced tasks that can be taken up again, oldest first.
        restored_from: The version whose content this one brought back, if a rollback made it.
        options: What a tool listed last, in the order in which it was told.
        awaiting: Risky calls that run when the user says yes.
        tool_result: What the last call came to.
        from_before: Tasks that were open when the user came back to a new session.
    """

    user_facts: tuple[str, ...] = ()
    user_preferences: tuple[str, ...] = ()
    shelved: tuple[ShelvedTask, ...] = ()
    restored_from: int | None = None
    options: tuple[Option, ...] = Field(default=(), max_length=MAX_OPTIONS)
    awaiting: tuple[AwaitedCall, ...] = Field(default=(), max_length=MAX_AWAITED)
    tool_result: ToolResult | None = None
    from_before: tuple[str, ...] = ()


class InnerState(_Record):
    """Working memory of one session. Never changed in place: ``reduce`` makes the next one.

    Attributes:
        version: Grows by one with every change.
        task: What is being done, in the user's language; empty for none.
        status: How far it is; ``not_started`` when there is no task.
        facts: Values for the task, the longest untouched first.
        pending: What is still to be asked or done.
        steps: What was done for the task, oldest first.
        preference: What the user likes in general.
        history_summary: Lines about what went before.
        tasks: All tasks of the session, the current one too; open ones can be resumed.
        topic: One word such as ``room``.
        subject: What "it" points to.
        bookkeeping: What the contract does not show.
    """

    version: int = Field(default=0, ge=0)
    task: str = ""
    status: TaskStatus = "not_started"
    facts: Mapping[str, str] = Field(default_factory=dict, max_length=MAX_FACTS)
    pending: tuple[str, ...] = Field(default=(), max_length=MAX_PENDING)
    steps: tuple[str, ...] = Field(default=(), max_length=MAX_STEPS)
    preference: Mapping[str, str] = Field(default_factory=dict, max_length=MAX_PREFERENCES)
    history_summary: str = Field(default="", max_length=MAX_SUMMARY_CHARS)
    tasks: tuple[TaskRecord, ...] = Field(default=(), max_length=MAX_TASKS)
    topic: str = ""
    subject: Subject = Subject()
    bookkeeping: Bookkeeping = Bookkeeping()

    def open_from_before(self) -> list[ShelvedTask]:
        """Tasks of an earlier session that are still open, and that nobody has taken up or dropped since."""
        return [entry for entry in self.bookkeeping.shelved if entry.task in self.bookkeeping.from_before]

    def to_contract(self) -> dict[str, Any]:
        """The state as ``session.jsonl`` shows it: plain dicts, lists and strings."""
        return self.model_dump(mode="json", exclude={"bookkeeping"})

    def to_json(self) -> str:
        """Everything, for a session store."""
        return self.model_dump_json()

    @staticmethod
    def from_json(text: str | bytes) -> InnerState:
        """What :meth:`to_json` wrote; keys of newer versions are left out.

        Raises:
            ValueError: Not an inner state, or one outside the bounds.
        """
        return InnerState.model_validate_json(text)


def clean(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """One line of at most ``limit`` characters, without control characters and half surrogates."""
    line = " ".join("".join(ch if ch.isprintable() or ch.isspace() or _is_format(ch) else " " for ch in text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _is_format(ch: str) -> bool:
    # Joiners that Indic scripts, Persian and emoji need; not printable by Python's definition.
    return ch in "\u200c\u200d"
