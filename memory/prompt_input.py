"""What a prompt is made from: one immutable record per turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memory.nouns import Recalled
from memory.state_tools import AwaitedCall, Option, ToolResult
from memory.tools.call import Call
from memory.tools.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Message:
    """One earlier turn of one side.

    Attributes:
        role: Who said it.
        text: The words; for the assistant those that were heard.
        turn_id: Number of the turn; 0 where it is not known.
    """

    role: Literal["user", "assistant"]
    text: str
    turn_id: int = 0


@dataclass(frozen=True, slots=True)
class PromptInput:
    """Everything that the prompt of one turn is made from.

    Attributes:
        agent_name: What the agent is called.
        language: ISO 639-1 code of the user's language, ``en`` or ``zh``.
        system_language: Of the fixed part in front, which stays as it was in the first turn; empty for the same.
        instructions: Added to the system prompt word for word.
        now: The session's local time.
        history: Earlier turns, oldest first, as they were heard.
        state: The inner state in the form of the contract.
        open_from_before: Tasks of an earlier session that are still open, a line each.
        recalled: What memory offers, best first.
        user_text: What the user just said.
        cut_off: When the previous reply was interrupted: what was heard of it, and what was not.
        token_budget: Estimated tokens that recalled lines may take.
        tool_result: What the last call of a tool came to.
        awaiting: Risky calls that wait for the user's yes.
        options: What was listed last, to choose from.
        tools: What can be called, for a reply that is planned without a model.
        calls: Of this turn, those that have come to something.
        before: The inner state before the user's last words.
        reply_format: ``json`` for a reply and a state update, ``plain`` for the reply alone.
    """

    agent_name: str
    language: str
    instructions: str
    now: datetime
    user_text: str
    system_language: str = ""
    history: tuple[Message, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    open_from_before: tuple[str, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    cut_off: tuple[str, str] | None = None
    token_budget: int = 430
    tool_result: ToolResult | None = None
    awaiting: tuple[AwaitedCall, ...] = ()
    options: tuple[Option, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    calls: tuple[Call, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)
    reply_format: Literal["json", "plain"] = "plain"
