"""What tools leave in an inner state: options to choose from, calls that wait for a yes, the last result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_OPTIONS = 10
MAX_AWAITED = 3
MAX_RESULT_CHARS = 800

CallStatus = Literal["completed", "failed", "timed_out", "cancelled"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Option(_Record):
    """One of several things that a tool listed; "the first one" and "the one by the window" mean one of them.

    Attributes:
        type: Kind of thing, such as ``room``: the key of the fact that names the chosen one.
        id: What names it, such as ``A302``.
        description: What sets it apart, in the words it is told in.
        details: Its other values, as text.
    """

    type: str = ""
    id: str = ""
    description: str = ""
    details: Mapping[str, str] = Field(default_factory=dict)


class AwaitedCall(_Record):
    """A risky call that waits for the user's yes.

    Attributes:
        tool: Name of the tool.
        arguments: Exactly what will be run.
        facts: The task's facts it was made from.
        asked: Whether the user has heard the question.
        stale: Whether the user changed a fact since.
    """

    tool: str
    arguments: Mapping[str, Any] = Field(default_factory=dict)
    facts: Mapping[str, str] = Field(default_factory=dict)
    asked: bool = False
    stale: bool = False


class ToolResult(_Record):
    """What the last call came to.

    Attributes:
        tool: Name of the tool.
        arguments: What it was called with.
        text: The result in bounded JSON, or what went wrong.
        status: How it ended.
    """

    tool: str
    arguments: Mapping[str, Any] = Field(default_factory=dict)
    text: str = Field(default="", max_length=MAX_RESULT_CHARS)
    status: CallStatus = "completed"
