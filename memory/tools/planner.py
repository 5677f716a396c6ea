"""Which tool a turn calls for, where no model decides: from the task, its facts, and the user's words.

Nothing here knows a particular tool. A tool fits a task by its topic (the table of topics reads its name and its
description as it reads the user's words, in both languages) or by the words they share; it can be called when the
facts fill its required parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.state_model import FINISHED
from memory.state_tools import ToolResult
from memory.tools.arguments import same_call
from memory.tools.filling import Filled, fact_of, fill
from memory.tools.names import kind_of, topics_of, words_of
from memory.tools.spec import ToolSpec

_LOOKS = re.compile(
    r"\b(?:find|search|look(?:ing)?|check|which|what|where|when|who|any|free|available|show|list|track|get|tell"
    r"|is there|are there|how)\b|查|找|看看|看一下|有没有|有哪|哪|空闲|空的|空着|多少|什么|怎么",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"\b(?:book|reserve|pay|order|buy|send|delete|remove|cancel|transfer|take|confirm|schedule|set|create|add|call"
    r"|go for|go with)\b|订|定(?!时)|付|缴|交(?!通)|买|下单|发(?!现)|寄|删|取消|转账|就要|选|设|提交|约",
    re.IGNORECASE,
)
_CHOSEN = ("room", "order", "flight", "booking", "restaurant", "hotel")
_COMMON = frozenset(
    "a an the of for in on at to and or is be by with from my your me free new some any all get set find search list"
    " check look make do book query show available tool data info information given user".split()
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the planner knows of a turn.

    Attributes:
        words: The user's.
        before: The inner state before them, in the form of the contract.
        after: The inner state after them.
        last: The last result of a tool.
    """

    words: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    last: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with tools in a turn.

    Attributes:
        tool: To call, or to ask for.
        arguments: Of the call.
        missing: Parameters that have to be asked for first; with them nothing is called.
    """

    tool: ToolSpec
    arguments: Mapping[str, Any]
    missing: tuple[str, ...] = ()


def plan_call(tools: Sequence[ToolSpec], turn: Turn) -> Plan | None:
    """Decide whether a tool is called for.

    Returns:
        None where no tool fits, or where nothing has changed that would make a call say something new.
    """
    task = str(turn.after.get("task", ""))
    if not task or not _moves(turn):
        return None
    fitting = [(spec, _filled(spec, turn)) for spec in tools if _fits(spec, turn)]
    finds = [pair for pair in fitting if kind_of(pair[0]) == "find" and not _is_known(*pair, turn)]
    acts = [pair for pair in fitting if kind_of(pair[0]) == "act"]
    for pairs in (acts, finds) if _wants_act(turn, has_finds=bool(finds)) else (finds, acts):
        ready = [pair for pair in pairs if not pair[1].missing]
        if ready:
            spec, filled = max(ready, key=lambda pair: len(pair[1].used))
            if kind_of(spec) == "act" and not (_wants_act(turn, has_finds=bool(finds))):
                continue
            return Plan(spec, filled.arguments)
    asked = [pair for pair in (finds or acts) if any(map(fact_of, pair[1].missing))]
    if not asked:
        return None
    spec, filled = min(asked, key=lambda pair: len(pair[1].missing))
    return Plan(spec, filled.arguments, filled.missing)


def _moves(turn: Turn) -> bool:
    """Whether the words changed the task or what is known for it."""
    before, after = turn.before, turn.after
    facts_changed = _said(before) != _said(after)
    if after.get("status") in FINISHED:
        return facts_changed and after.get("status") == "completed" and before.get("task") == after.get("task")
    started = before.get("task") != after.get("task") or before.get("status") != after.get("status")
    return started or facts_changed or bool(_LOOKS.search(turn.words) and _ACTS.search(turn.words))


def _said(state: Mapping[str, Any]) -> Mapping[str, str]:
    facts = state.get("facts")
    return facts if isinstance(facts, Mapping) else {}


def _fits(spec: ToolSpec, turn: Turn) -> bool:
    topic = str(turn.after.get("topic", ""))
    topics = topics_of(spec)
    if topic and topic in topics:
        return True
    if topic and topics:
        return False
    said = set(words_of(str(turn.after.get("task", "")))) | set(words_of(turn.words))
    own = (set(words_of(spec.name)) | set(words_of(spec.description))) - _COMMON
    return any(_stem(one) == _stem(other) for one in own for other in said if len(one) > 2)


def _filled(spec: ToolSpec, turn: Turn) -> Filled:
    preference = turn.after.get("preference")
    wishes = preference if isinstance(preference, Mapping) else {}
    return fill(spec, _said(turn.after), task=str(turn.after.get("task", "")), wishes=wishes)


def _is_known(spec: ToolSpec, filled: Filled, turn: Turn) -> bool:
    """Whether the same was looked up last, and nothing asks for it again."""
    last = turn.last
    same = last is not None and last.tool == spec.name and same_call(last.arguments, filled.arguments)
    return same and last is not None and last.status == "completed" and not _LOOKS.search(turn.words)


def _wants_act(turn: Turn, *, has_finds: bool) -> bool:
    """Whether the words want something done, rather than looked up."""
    chosen = any(key in _said(turn.after) and _said(turn.before).get(key) != _said(turn.after)[key] for key in _CHOSEN)
    if _LOOKS.search(turn.words) and not chosen:
        return False
    if chosen or turn.after.get("status") == "waiting_confirmation":
        return True
    return bool(_ACTS.search(turn.words)) or not has_finds


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s)$", "", word) if word.isascii() else word
