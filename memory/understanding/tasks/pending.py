"""Answers to what the agent asked: "six", "yes please", "Rome"; and which open points are settled by them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import FactsStated, PendingChanged, StateEvent
from memory.understanding.agent.asked import Asked, asked_for
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.slots import EQUIPMENT
from memory.understanding.times.english import read_times_en
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number, plain

if TYPE_CHECKING:
    from memory.state_model import InnerState

_YES = re.compile(
    r"^\W*(?:(?:oh|well|um+|uh+|hmm+)\W+)?(?:yes|yeah|yep|yup|sure|please|definitely|absolutely|of course"
    r"|ok(?:ay)?|i do|we do|that would be (?:nice|great)|that'?d be great"
    r"|sounds good)(?:[\s,.!]+(?:please|i do|we do|i'?d like that|i will|thanks?|thank you|sure|yes|that would "
    r"be (?:nice|great)|we need (?:it|one|that)"
    r"|i need (?:it|one|that)))*[\s.!]*$"
    r"|^(?:嗯+|哦|好的?|是的?|对)?[，,\s]*(?:需要|要的?|好的?|是的?|可以|行|对|嗯|当然|麻烦了?|有)(?:[，,\s]*(?:谢谢你?|麻烦了?|的|吧|啊|呀))*[。！\s]*$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:(?:oh|well|um+|uh+|hmm+)\W+)?(?:no|nope|nah|not (?:needed|necessary|really|this time)|no need|i "
    r"don'?t|we don'?t|don'?t need (?:it|one|that))"
    r"(?:[\s,.!]+(?:thanks?|thank you|i don'?t|we don'?t|not (?:needed|necessary|this time)|that'?s (?:fine"
    r"|ok(?:ay)?|all|it)|no need"
    r"|(?:i|we) don'?t (?:need|want) (?:it|one|that|any)|we'?re fine|i'?m (?:fine|good)))*[\s.!]*$"
    r"|^(?:嗯|哦|啊|那)?[，,\s]*(?:不用了?|不需要了?|不要了?|不必了?|没有|不了|不|不是|没必要)(?:[，,\s]*(?:谢谢你?|麻烦了?|的|吧|啊|就行|就可以了?))*[。！\s]*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\W*(?:(?:um+|uh+|well|oh|so|please|just|only|maybe|i think|i guess|it'?s|it is|that'?s|make it|about"
    r"|around|let'?s say|let'?s do|to|in|from|at|with|for|a|an|the"
    r"|there (?:are|will be)|we are|we'?re|i'?d like|i want|i prefer|i usually (?:see|go to|use)|usually"
    r"|probably|under|my name is)\b[\s,]*)+"
    r"|^(?:嗯+|呃|那个|就|是|大概|大约|一共|总共|我们?|有|在|到|去|从|要|我一般看|一般看|一般|选|叫|给|跟|和)+",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"[\s,.!?。，！？]*(?:\b(?:please|thanks|thank you|i think|would be (?:nice|good|great)|sounds good|is fine"
    r"|works)\b|吧|谢谢|好了|就行|就好|出发|个人?|位|人)?[\s,.!?。，！？]*$",
    re.IGNORECASE,
)
_PLACES = ("city", "origin", "destination", "place")
_NO_ANSWER = re.compile(
    r"\b(?:don'?t|not|what|why|how|who|when|where|which|wait|stop|sorry|hello|hi|thanks|know|sure|idea|remind"
    r"|find|book|check|whatever|any|doesn'?t|matter)\b"
    r"|不知道|随便|都行|都可以|无所谓|什么|怎么|哪|谁|等|再说|[吗呢]|帮|查|提醒|不清楚|你好",
    re.IGNORECASE,
)


def answers(reading: Reading, state: InnerState) -> list[StateEvent]:
    """Reads an utterance as the answer to what was asked last, where it carries no value of its own form.

    Args:
        reading: The utterance.
        state: Before it.

    Returns:
        The fact, and the point that is settled; nothing where it is no such answer.
    """
    asked = [asked_for(name) for name in reversed(state.pending)]
    text = reading.text.strip()
    for thing in asked:
        facts = _yes_or_no(thing, text, state, reading.language) if thing.is_offer else {}
        facts = facts or _value(thing, reading)
        if facts:
            return [FactsStated(facts), PendingChanged(done=(thing.name,))]
    return []


def settled_points(events: list[StateEvent], state: InnerState) -> list[StateEvent]:
    """The event that closes the open points which the facts among these events answer."""
    stated = {key for event in events if isinstance(event, FactsStated) for key in event.facts}
    names = [*state.pending, *(name for entry in state.bookkeeping.shelved for name in entry.pending)]
    done = tuple(dict.fromkeys(name for name in names if set(asked_for(name).keys) & stated))
    named = {value.casefold() for event in events if isinstance(event, FactsStated) for value in event.facts.values()}
    done += tuple(name for name in state.pending if name.casefold() in named and name not in done)
    return [PendingChanged(done=done)] if done else []


def _yes_or_no(thing: Asked, text: str, state: InnerState, language: str) -> dict[str, str]:
    yes, no = bool(_YES.match(text)), bool(_NO.match(text))
    waits = any(call.asked for call in state.bookkeeping.awaiting)
    if not (yes or no) or (waits and yes) or " or " in thing.name or "还是" in thing.name:
        return {}
    if yes and EQUIPMENT.fullmatch(thing.name):
        return {"equipment": thing.name}
    words = ("yes", "no") if language == "en" else ("需要", "不需要")
    return {thing.name: words[0] if yes else words[1]}


def _value(thing: Asked, reading: Reading) -> dict[str, str]:
    """A bare value of the kind that was asked for."""
    said = _TRAIL.sub("", _LEAD.sub("", reading.text.strip()))
    english = reading.language == "en"
    key = thing.keys[0] if thing.keys else ""
    number = re.fullmatch(NUMBER_EN if english else NUMBER_ZH, said, re.IGNORECASE)
    value = (english_number(said) if english else mandarin_number(said)) if number else None
    if key == "people" and not value:
        value = _counted(reading.text)
    if key in ("people", "nights"):
        return {key: plain(value)} if value and 0 < value < 1_000 else {}
    if key in ("time", "date") and english and len(said.split()) <= 3 and not reading.times:
        times = read_times_en(f"at {said}", reading.now)
        found = times[0].facts if len(times) == 1 and times[0].end >= len(f"at {said}".rstrip()) else {}
        return found if set(found) & set(thing.keys) else {}
    long = len(said.split()) > 4 if english else len(said) > 8
    if (
        not said
        or long
        or number
        or _NO_ANSWER.search(reading.text)
        or cues.cancels(reading.text)
        or cues.rolls_back(reading.text)
    ):
        return {}
    if cues.corrects(reading.text) or cues.objects(reading.text):
        return {}
    if reading.times or reading.amounts or reading.codes or reading.choices or _is_clause(reading):
        return {}
    if key in _PLACES:
        names = [name for name in reading.analysis.names if name.kind == "place"] or list(reading.analysis.names)
        return {key: (names[0].value or names[0].name) if names else (said.title() if said.islower() else said)}
    if key in ("person", "name"):
        return {"person": said.title() if said.islower() else said}
    if not thing.keys and not _YES.match(reading.text.strip()) and not _NO.match(reading.text.strip()):
        return {thing.name: said}
    return {}


_ALONE = re.compile(
    r"\W*(?:(?:just|only)\s+)?(?:me|myself|for\s+me|i'?m\s+alone)(?:\s+alone)?\W*|(?:就|只有)?我(?:自己)?一?个?人?[。！\s]*",
    re.IGNORECASE,
)
_WITH = re.compile(
    r"\b(?:me|i)\s+and\s+(?P<en>[^.!?]+)|^\W*(?P<first>[^.!?]+?)\s+and\s+(?:me|i)\b|我(?:和|跟|与)(?P<zh>[^。！]+)",
    re.IGNORECASE,
)


def _counted(text: str) -> float | None:
    """How many "me and my wife" are."""
    if _ALONE.fullmatch(text):
        return 1.0
    match = _WITH.search(text)
    others = next((said for said in match.groups() if said), "") if match else ""
    if not others or re.search(
        r"\d|\b(?:kids|children|friends|parents|colleagues|family)\b|孩子们|朋友们|父母|家人|同事们",
        others,
        re.IGNORECASE,
    ):
        return None
    return 1.0 + len([part for part in re.split(r",|、|\band\b|和|跟", others) if part.strip()])


def _is_clause(reading: Reading) -> bool:
    """Whether it says a whole sentence: an answer of the kind that is read here names a thing."""
    if reading.language == "en":
        return any(w.tag in ("VBD", "VBZ", "VBP", "MD") for w in reading.analysis.words[2:])
    return any(w.tag == "v" for w in reading.analysis.words) and len(reading.text) > 6
