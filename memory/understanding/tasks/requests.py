"""Finds the requests in an utterance, in either language, with the values that belong to each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.understanding.people.mentions import PersonMention, person_meant
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.answers import looks_back
from memory.understanding.tasks.changes import CODED, is_open
from memory.understanding.tasks.request import Request
from memory.understanding.tasks.requests_english import request_en
from memory.understanding.tasks.requests_mandarin import request_zh
from memory.understanding.tasks.slots import Slot, is_time, slots_in
from memory.understanding.tasks.topics import ANY_TOPIC, Topic, topic_named
from memory.understanding.values.codes import code_type
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH
from memory.understanding.words.analysis import Clause

if TYPE_CHECKING:
    from memory.state_model import InnerState

_QUOTES = re.compile(r"\b(?:that|saying|i'm|i'll|we're|we'll)\b|说|告诉|：", re.IGNORECASE)
_WHEREABOUTS = re.compile(
    r"\b(?:where|when)\b.*\b(?:it|they|that)\b|\b(?:has|is)\s+it\b.*\b(?:arriv|ship|com|deliver|on)"
    r"|\bany\s+(?:news|updates?)\b|到哪|在哪|什么时候(?:能|会|可以)?到|到了吗|发货|有消息|有进展|什么情况",
    re.IGNORECASE,
)


def requests_in(reading: Reading, people: list[PersonMention], state: InnerState) -> list[Request]:
    """Everything the utterance asks for, in order."""
    read = request_en if reading.language == "en" else request_zh
    clauses = reading.analysis.clauses
    out: list[Request] = []
    for clause, following in zip(clauses, [*clauses[1:], None], strict=False):
        if out and clause.start < out[-1].end:
            continue  # it is the content of a reminder
        request = read(reading, clause, following, person_meant(people, clause.end, state))
        if not request and _asks_whereabouts(clause, reading, state):
            request = Request(clause.start, clause.end, topic_named("order"), _tracking(reading, state), asks=True)
        if request:
            out.append(request)
    return out


def repeats_verb(request: Request, reading: Reading, state: InnerState) -> bool:
    """Whether a correction only says the verb again: "no, transfer three hundred"."""
    if not state.task or not (cues.corrects(reading.text) or cues.objects(reading.text)):
        return False
    numbers = NUMBER_EN if reading.language == "en" else NUMBER_ZH
    bare = re.sub(rf"\b{numbers}\b" if reading.language == "en" else numbers, "", request.task, flags=re.IGNORECASE)
    return bool(request.verb) and bare.strip() == request.verb


def topic_of_request(reading: Reading, request: Request, state: InnerState) -> Topic:
    """What a request is about: its words, else the code in it, else anything."""
    if _counts_tickets(reading, request, state):
        return topic_named(state.topic)
    if request.topic:
        return request.topic
    codes = [c for c in reading.codes if request.start <= c.start < request.end]
    if codes:
        return topic_named(code_type(codes[0].value, reading.text, state.topic))
    return ANY_TOPIC


def _counts_tickets(reading: Reading, request: Request, state: InnerState) -> bool:
    """Whether it only says how many tickets, for the journey or the show at hand: "two tickets, please", 买两张."""
    if state.topic not in ("train", "flight", "tickets") or not is_open(state):
        return False
    said = reading.text[request.start : request.end]
    short = len(said) <= 12 if reading.language == "zh" else len(said.split()) <= 9
    return short and bool(re.search(r"\b(?:tickets?|seats?)\b|张", said, re.IGNORECASE))


def own_slots(
    reading: Reading, request: Request, end: int, stated: list[tuple[int, int]], *, first: bool, state: InnerState
) -> list[Slot]:
    """Values in the request itself, in what follows it, and times said just before it."""
    topic = topic_of_request(reading, request, state)
    slots: list[Slot] = []
    for clause in reading.analysis.clauses:
        own = clause.start == request.start
        narrative = (clause.start, clause.end) in stated or looks_back(reading.analysis, clause)
        if request.start <= clause.start < end and (own or not narrative):
            slots += slots_in(reading, clause.start, clause.end, topic)
    if first and request.start:
        said = {slot.key for slot in slots}
        before = [
            s for s in slots_in(reading, 0, request.start, topic) if is_time(s) or s.key in (*CODED, "amount", "city")
        ]
        slots += [s for s in before if s.key not in said and not _is_past(s, reading)]
    if topic.name == "message" and _QUOTES.search(reading.text, request.start):
        slots = [slot for slot in slots if not is_time(slot)]
    return sorted(slots, key=lambda slot: slot.start)


def _is_past(slot: Slot, reading: Reading) -> bool:
    return slot.key in ("date", "date_range") and slot.value[:10] < reading.today.isoformat()


def _asks_whereabouts(clause: Clause, reading: Reading, state: InnerState) -> bool:
    """Whether "where is it?" is asked of an order that was named just before, for which there is no task yet."""
    if not clause.is_question or not _WHEREABOUTS.search(clause.text):
        return False
    if any(code_type(c.value, reading.text, state.topic) == "order" for c in reading.codes if c.start < clause.start):
        return True
    return state.subject.type == "order" and not state.task


def _tracking(reading: Reading, state: InnerState) -> str:
    code = reading.codes[-1].value if reading.codes else state.subject.id
    return f"track order {code}" if reading.language == "en" else f"查询订单{code}"
