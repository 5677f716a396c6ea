"""Replies to words that changed the task at hand: what holds now, and that nothing was done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.prompt_input import PromptInput
from memory.reply.known import told_facts
from memory.reply.plan import ReplyPlan
from memory.understanding.tasks import cues
from memory.understanding.tasks.topics import topic_named

_TOLD = ("room", "hotel", "restaurant", "airline", "order", "amount", "person", "city", "origin", "destination", "date")
_TIMED = ("date_range", "time", "time_range", "people", "nights")


def plan_change(prompt: PromptInput, not_done: str, language: str) -> ReplyPlan | None:
    """The reply to a yes that no tool can follow, to a change of mind, or to another value for the same task.

    Args:
        prompt: The turn; ``before`` tells what the words changed.
        not_done: What has not been done for the task, a sentence without its full stop.
        language: ``en`` or ``zh``.

    Returns:
        None where the words did something else.
    """
    before, after = prompt.before, prompt.state
    task = str(after.get("task", ""))
    if not before or not task or topic_named(str(after.get("topic", ""))).lookup:
        return None
    english = language == "en"
    waited = before.get("status") == "waiting_confirmation" and before.get("task") == task
    if waited and cues.confirms(prompt.user_text) and not prompt.tools:
        return ReplyPlan(
            "task",
            f"You have said yes, but I have no way to do it here. {not_done}."
            if english
            else f"您已经确认了，不过我这里没有办法办理。{not_done}。",
        )
    if cues.asks_memory(prompt.user_text):
        return None
    now, then = _facts(after), _facts(before)
    same_task = before.get("task") == task and after.get("status") != "cancelled"
    if same_task and now != then:
        told = told_facts({key: now[key] for key in (*_TOLD, *_TIMED) if key in now}, language)
        if not told:
            return None
        back = cues.rolls_back(prompt.user_text)
        if english:
            return ReplyPlan("correction", f"All right, {'back to ' if back else ''}{told}. {not_done}.")
        return ReplyPlan("correction", f"好的，{'恢复为' if back else ''}{told}。{not_done}。")
    unchanged = same_task and now == then and waited and not prompt.user_text.rstrip().endswith(("?", "？"))
    if unchanged and cues.hesitates(prompt.user_text):
        return ReplyPlan("hold", f"Take your time. {not_done}." if english else f"不急，您慢慢想。{not_done}。")
    return None


def _facts(state: Mapping[str, Any]) -> dict[str, str]:
    facts = state.get("facts")
    return {str(key): str(value) for key, value in facts.items()} if isinstance(facts, Mapping) else {}
