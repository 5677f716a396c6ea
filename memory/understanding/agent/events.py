"""From the agent's words to events for the inner state: what is open, what can be chosen, what was answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import OptionsListed, PendingChanged, StateEvent, StepDone, TaskStatusChanged
from memory.understanding.agent.asked import PEOPLE_NOUNS, Asked, asked_for, things_asked
from memory.understanding.agent.listed import options_in
from memory.understanding.tasks.changes import FINISHED
from memory.understanding.tasks.topics import Topic, topic_named

if TYPE_CHECKING:
    from memory.state_model import InnerState

_LONGEST = 1_000
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_LEAD = re.compile(
    r"^(?:(?:sure|okay|ok|fine|great|good|perfect|all\s+right|alright|of\s+course|certainly|got\s+it"
    r"|happy\s+to|thanks|noted|and|so|then"
    r"|just\s+to\s+be\s+sure|one\s+more\s+thing)[,.!:\s]+)+|^(?:好的?|行|没问题|明白了?|收到|那|请问|嗯)[，,。！\s]*",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(
    r"[吗么呢][？?。]?$|哪|几[点个位号天晚张人]|多少|什么时候|什么(?!都)|谁|还是.{1,8}[？?]?$|[？?]$|(?:确认|可以|好|对|行)不(?:确认|可以|好|对|行)"
)
_CONFIRM_EN = re.compile(
    r"\b(?:shall|should|can|may)\s+i\s+(?:really\s+|now\s+|then\s+|go\s+ahead|(?:\w+\s+){0,2}?(?:book|reserve"
    r"|pay|order|send|transfer|buy|delete|remove"
    r"|cancel|confirm|submit|do|proceed|place|set|make|schedule|call|move|change)\b)|\bdo\s+you\s+(?:want"
    r"|wish)\s+me\s+to\b|\bwould\s+you\s+like\s+me\s+to\b"
    r"|\bis\s+(?:that|this|it|everything)\s+(?:right|correct|ok(?:ay)?|fine|all\s+right)\b|\b(?:right|correct"
    r"|okay|yes)\s*\?$"
    r"|\bdo\s+you\s+confirm\b|\bconfirm(?:ed)?\s*\?|\bplease\s+confirm\b|\bsay\s+yes\b|\bgo\s+ahead\s*\?$"
    r"|\bare\s+you\s+sure\b",
    re.IGNORECASE,
)
_CONFIRM_ZH = re.compile(
    r"确认.{0,10}[吗？?]|请确认|(?:要|需要|是否|现在)(?:我)?(?:帮|替|给)?(?:您|你)?(?:现在)?(?:预?订|支付|付款?|下单|发送?|转账?|购买|买|删除?|取消|提交|交|改)"
    r".{0,24}[吗么？?]|(?:对|是|行|好|可以|没错)吗[？?]?$|是不是[？?]?$"
    r"|(?:预?订|支付|付款?|下单|发送|转账?|购买|删除|取消|提交).{0,10}吗[？?]?$|确定(?:要)?.{0,12}[吗？?]"
)
_UNTOLD = re.compile(
    r"\b(?:sorry|unfortunately|apologi[sz]e|(?:do|did)\s+not\s+know|don't\s+know|can(?:'t|not|\s+not)|couldn't"
    r"|could\s+not|unable|no\s+idea|one\s+moment|just\s+a\s+(?:moment|second)"
    r"|let\s+me|i(?:'ll|\s+will)|i\s+am\s+(?:checking|looking)|i'm\s+(?:checking|looking)|hold\s+on|wait"
    r"|not\s+sure|something\s+went\s+wrong|failed|try\s+again|nothing\s+is)\b"
    r"|抱歉|对不起|不好意思|不知道|不清楚|查不到|无法|不能|没能|失败|稍等|请稍|等一下|我(?:来|去|帮您)?(?:看看|查一?查|查一下|看一下)|正在(?:帮|为|给|查|处理|看|搜|找)|马上"
    r"|再试|我会|没有接上|还不知道",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^(?:sure|ok(?:ay)?|fine|good|great|perfect|all\s+right|alright|of\s+course|certainly|got\s+it|happy\s+to"
    r"|thank\s+you|thanks|you(?:'re|\s+are)\s+welcome|noted|done"
    r"|好的?|行|没问题|可以|明白了?|收到|不客气|谢谢|当然)?[\s,.!，。！]*$",
    re.IGNORECASE,
)


# They narrow down what is asked for, and do not settle it.
_VAGUE = ("date_range", "part_of_day", "duration")


def agent_events(
    text: str, state: InnerState, language: str, *, whole: bool = True, tools: bool = False
) -> list[StateEvent]:
    """Reads what the agent said, as far as it was heard.

    It takes no promise and no claim for a fact: what was done, tools report. It takes a question for an open point,
    a list for options, and an answer to a plain question for the end of that task.

    Args:
        text: The words that were heard.
        state: After the user's words.
        language: ``en`` or ``zh``; anything else gives nothing.
        whole: Whether the reply was heard to its end.
        tools: Whether tools ran in this turn; they report steps, options and results themselves.

    Returns:
        In the order to apply them.
    """
    if language not in ("en", "zh") or not text.strip() or not state.task or state.status in FINISHED:
        return []
    sentences = [s.strip() for s in _SENTENCES.split(text[:_LONGEST]) if s.strip()]
    asking = [s for s in sentences if _asks(s, language)]
    if not whole and sentences and not re.search(r"[?？]\s*$", text):
        asking = [s for s in asking if s is not sentences[-1]]
    topic = topic_named(state.topic)
    events: list[StateEvent] = [] if tools else _findings(text, sentences, asking, topic, state, language, whole=whole)
    confirm = [s for s in asking if (_CONFIRM_EN if language == "en" else _CONFIRM_ZH).search(s)]
    asked = [
        thing for s in asking if s not in confirm for thing in things_asked(_LEAD.sub("", s), language, topic.name)
    ]
    known = [thing.name for thing in asked if not is_known(thing, state)]
    if known:
        events.append(PendingChanged(add=tuple(dict.fromkeys(known))))
    if confirm and state.status in ("in_progress", "waiting_input"):
        events.append(TaskStatusChanged("waiting_confirmation"))
    return events


def is_known(thing: Asked, state: InnerState) -> bool:
    """Whether the state holds an answer already; a question for another choice stays one."""
    if thing.keys and thing.keys[0] in ("room", "restaurant", "hotel"):
        return False
    if thing.keys == ("person",) and state.facts.get("person", "").lower() in PEOPLE_NOUNS:
        return False
    return any(key in state.facts for key in thing.keys if key not in _VAGUE)


def settled(state: InnerState, stated: set[str]) -> tuple[str, ...]:
    """The open points that these facts answer."""
    return tuple(name for name in state.pending if set(asked_for(name).keys) & stated)


def _asks(sentence: str, language: str) -> bool:
    if language == "en":
        return sentence.rstrip("\"')").endswith("?") or bool(
            re.search(r"\bplease\s+confirm\b", sentence, re.IGNORECASE)
        )
    return bool(_ASKS_ZH.search(sentence)) or "请确认" in sentence


def _findings(
    text: str, sentences: list[str], asking: list[str], topic: Topic, state: InnerState, language: str, *, whole: bool
) -> list[StateEvent]:
    options = options_in(text, language, topic)
    events: list[StateEvent] = []
    if options:
        events.append(OptionsListed(options))
        if topic.found:
            events.append(StepDone(topic.found[language]))
    told = [s for s in sentences if s not in asking and not _SMALL_TALK.match(s)]
    if topic.lookup and whole and told and not asking and not any(_UNTOLD.search(s) for s in told):
        if topic.found and not options:
            events.append(StepDone(topic.found[language]))
        events.append(TaskStatusChanged("completed", told[0]))
    return events
