"""Replies around tools for a model that cannot call any: the call itself, what came of it, what has to be asked."""

from __future__ import annotations

from memory.prompt_input import PromptInput
from memory.reply.english_acts import Act, classify
from memory.reply.evidence import is_question, sentences
from memory.reply.plan import ReplyPlan
from memory.state_tools import CallStatus
from memory.tools import wording
from memory.tools.call import Call
from memory.tools.consent import read_consent
from memory.tools.filling import fact_of
from memory.tools.planner import Plan, Turn, plan_call

_QUESTIONS = {
    "date": ("For which day?", "请问是哪一天？"),
    "time": ("At what time?", "请问几点？"),
    "time_range": ("From when to when?", "请问从几点到几点？"),
    "people": ("For how many people?", "请问一共几个人？"),
    "nights": ("For how many nights?", "请问住几晚？"),
    "duration": ("For how long?", "请问要多长时间？"),
    "city": ("In which city?", "请问是哪个城市？"),
    "origin": ("From where?", "请问从哪里出发？"),
    "destination": ("Where to?", "请问去哪里？"),
    "amount": ("How much is it?", "请问是多少钱？"),
    "order": ("What is the order number?", "请问单号是多少？"),
    "room": ("Which room?", "请问要哪一间？"),
    "person": ("To whom?", "请问是给谁的？"),
    "contact": ("To which address?", "请问对方的联系方式是什么？"),
    "restaurant": ("Which restaurant?", "请问哪家餐厅？"),
    "cuisine": ("What kind of food?", "请问想吃什么菜？"),
    "equipment": ("Which equipment?", "请问需要什么设备？"),
}


def plan_tools(prompt: PromptInput, language: str) -> ReplyPlan | None:
    """What tools have to do with this turn.

    Args:
        prompt: The turn.
        language: ``en`` or ``zh``: what the reply is said in.

    Returns:
        None where tools have nothing to do with it.
    """
    if prompt.calls:
        return ReplyPlan("tool", _told(prompt.calls, prompt, language))
    if prompt.awaiting:
        return _waiting(prompt, language)
    turn = Turn(prompt.user_text, prompt.before, prompt.state, prompt.tool_result)
    plan = plan_call(prompt.tools, turn) if prompt.tools else None
    if plan is None:
        return None
    if plan.missing:
        asked = _question(plan, language)
        return ReplyPlan("ask", asked) if asked else None
    return ReplyPlan("tool", "", calls=({"name": plan.tool.name, "arguments": dict(plan.arguments)},))


def _told(calls: tuple[Call, ...], prompt: PromptInput, language: str) -> str:
    """What came of this turn's calls; what waits comes last, as a question."""
    said: list[str] = []
    waiting: list[str] = []
    task = str(prompt.state.get("task", ""))
    facts = prompt.state.get("facts") or {}
    for call in calls:
        spec = next((tool for tool in prompt.tools if tool.name == call.name), None)
        described = wording.describe(spec, call.name, call.arguments, task if call.risky else "", language, facts)
        if call.status == "waiting_confirmation":
            waiting.append(described)
        elif call.status == "cancelled":
            said.append(wording.left(language))
        elif call.status in ("failed", "timed_out"):
            status: CallStatus = "timed_out" if call.status == "timed_out" else "failed"
            said.append(wording.failed(described, status, call.reason, risky=call.risky, language=language))
        elif call.risky:
            said.append(wording.done(described, call.outcome, language))
        elif call.outcome is not None:
            said.append(wording.found(call.outcome, language))
    if waiting:
        said.append(wording.question(waiting, language))
    return ("" if language == "zh" else " ").join(dict.fromkeys(said)) or wording.gives_up(language)


def _waiting(prompt: PromptInput, language: str) -> ReplyPlan | None:
    """A turn in which something waits for a yes that has not come."""
    task = str(prompt.state.get("task", ""))
    described = []
    for call in prompt.awaiting:
        spec = next((tool for tool in prompt.tools if tool.name == call.tool), None)
        own = task if len(prompt.awaiting) == 1 else ""
        facts = prompt.state.get("facts") or {}
        described.append(wording.describe(spec, call.tool, call.arguments, own, language, facts))
    question = wording.question(described, language)
    if any(not call.asked for call in prompt.awaiting) or read_consent(prompt.user_text).answer == "yes":
        return ReplyPlan("confirm", question)
    parts = sentences(prompt.user_text)
    asks = any(classify(part) == Act.QUESTION if language == "en" else is_question(part) for part in parts)
    if asks or any(classify(part) == Act.STATEMENT and len(part.split()) > 4 for part in parts if language == "en"):
        return None
    return ReplyPlan("confirm", wording.still_waiting(language))


def _question(plan: Plan, language: str) -> str:
    for name in plan.missing:
        words = _QUESTIONS.get(fact_of(name))
        if words is not None:
            return words[1 if language == "zh" else 0]
    return ""
