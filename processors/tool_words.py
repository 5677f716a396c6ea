"""What the agent says of its tools in this turn, and what it must not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.inner_state import InnerState
from memory.state_tools import CallStatus
from memory.tools import wording
from memory.tools.spec import ToolSpec
from processors.reply_guard import ReplyGuard
from processors.tool_record import CallRecord

# Facts that say what a task is about, for a question without a call.
_TELLING = ("amount", "person", "room", "order")

Specs = Mapping[str, ToolSpec]


def question(state: InnerState, specs: Specs, language: str) -> str:
    """The question that the waiting calls put to the user."""
    awaiting = state.bookkeeping.awaiting
    if not awaiting:
        known = {key: value for key, value in state.facts.items() if key in _TELLING}
        described = [wording.describe(None, "", known, state.task, language)] if state.task else []
        return wording.question(described, language)
    task = state.task if len(awaiting) == 1 else ""
    return wording.question(
        [
            wording.describe(specs.get(call.tool), call.tool, call.arguments, task, language, state.facts)
            for call in awaiting
        ],
        language,
    )


def failure(call: CallRecord, specs: Specs, language: str) -> str:
    """Says what went wrong with a call."""
    status: CallStatus = "timed_out" if call.status == "timed_out" else "failed"
    described = _describe(specs, call.name, call.arguments, call.task if call.risky else "", language)
    return wording.failed(described, status, call.reason, risky=call.risky, language=language)


def guard(
    state: InnerState, calls: Sequence[CallRecord], specs: Specs, *, has_acted: bool, language: str
) -> ReplyGuard | None:
    """What keeps a reply from claiming what was not done.

    Args:
        state: Now.
        calls: Of this turn.
        specs: The tools, by name.
        has_acted: Whether a risky call was done in this conversation.
        language: Of the reply.

    Returns:
        None where nothing can be claimed.
    """
    risky = [call for call in calls if call.risky]
    failed = next((call for call in reversed(risky) if call.status in ("failed", "timed_out")), None)
    acted = any(call.status == "completed" for call in risky)
    awaiting = state.bookkeeping.awaiting
    if awaiting or (state.status == "waiting_confirmation" and not acted):
        return ReplyGuard(question(state, specs, language), must_ask=any(not call.asked for call in awaiting))
    if failed is not None and not acted:
        return ReplyGuard(failure(failed, specs, language))
    if any(spec.risky for spec in specs.values()) and not has_acted:
        return ReplyGuard(wording.question([], language), own_only=True)
    return None


def _describe(specs: Specs, name: str, arguments: Mapping[str, Any], task: str, language: str) -> str:
    return wording.describe(specs.get(name), name, arguments, task, language)
