"""Utterances that ask for nothing new: corrections, answers, follow-ups, a yes, a story."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import (
    RolledBack,
    StateEvent,
    SubjectSet,
    TaskStatusChanged,
)
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.answers import answers_open_task, looks_back
from memory.understanding.tasks.changes import CODED, FINISHED, changed_facts, code_in, code_key, is_open
from memory.understanding.tasks.earlier import earlier_task, taken_up, taken_up_from_before
from memory.understanding.tasks.pending import answers
from memory.understanding.tasks.slots import NEGATED, Slot, facts_from, is_time, slots_in
from memory.understanding.tasks.topics import Topic, topic_named, topic_of
from memory.understanding.values.codes import code_type
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number, plain
from memory.understanding.words.analysis import Clause

if TYPE_CHECKING:
    from memory.state_model import InnerState

_TAKES = re.compile(
    r"\b(?:go\s+(?:with|for)|take|choose|pick|book|reserve|(?:i|we)'?ll\s+have)\b|就(?:订|要|选|定)?(?=.{1,12}(?:吧"
    r"|了|好了)[。！]?$)|[订选定]",
    re.IGNORECASE,
)
_AFTER_NUMBER_EN = re.compile(
    r"\s*(?:$|[.,!?;]|(?:please|instead|then|not|actually|would|is|are|sorry)\b)", re.IGNORECASE
)
_AFTER_NUMBER_ZH = re.compile(r"\s*(?:$|[，。！？吧块元了呢个人位])")


def reply_events(reading: Reading, stated: list[tuple[int, int]], state: InnerState) -> list[StateEvent]:
    """Reads an utterance that asks for nothing new.

    Args:
        reading: The utterance.
        stated: Spans of clauses that tell something about a person; they answer nothing.
        state: Before the utterance.

    Returns:
        None for a question about what was said before: it changes nothing.
    """
    text = reading.text
    if cues.asks_memory(text):
        return []
    if cues.rolls_back(text) and not reading.times:
        return [RolledBack()] if state.version or state.task else []
    resumed = taken_up(text, state) if _goes_back(text, state) else None
    resumed = resumed or taken_up_from_before(text, state)
    back: list[StateEvent] = [resumed] if resumed else []
    topic = (topic_of(text) if back else None) or topic_named(state.topic)
    answered = [] if back or cues.follows_up(text) else answers(reading, state) if is_open(state) else []
    slots = [] if answered else _answered(reading, stated, state, topic)
    if slots:
        return back + _slot_events(slots, reading, state)
    if back:
        return back
    if answered:
        return answered
    if state.task and state.status not in FINISHED and cues.cancels(text):
        return [TaskStatusChanged("cancelled")]
    # Where a tool's call waits, who runs it tells whether the yes was meant for it.
    if state.status == "waiting_confirmation" and cues.confirms(text) and not state.bookkeeping.awaiting:
        return [TaskStatusChanged("in_progress")]
    if reading.codes:
        code = reading.codes[-1].value
        return [SubjectSet(code_type(code, text, state.topic), code)]
    return chosen_subject(reading, 0, len(text))


def _goes_back(text: str, state: InnerState) -> bool:
    """Whether the words return to an earlier task, or correct something that they name: 餐厅那边改成两点."""
    topic = topic_of(text)
    known = topic is not None and topic.name != state.topic and earlier_task(topic, "", state)
    if known and (cues.corrects(text) or cues.follows_up(text)):
        return True
    return cues.goes_back(text) and not cues.follows_up(text)


def chosen_subject(reading: Reading, start: int, end: int) -> list[StateEvent]:
    """The listed thing that is spoken of between two offsets, although nothing is done with it yet."""
    meant = [choice.option for choice in reading.choices if start <= choice.start < end]
    return [SubjectSet(meant[-1].type, meant[-1].id, meant[-1].description)] if meant else []


def _slot_events(slots: list[Slot], reading: Reading, state: InnerState) -> list[StateEvent]:
    facts = _shifted(facts_from(slots, reading.text), reading.text, state)
    code = code_in(facts)
    subject: list[StateEvent] = [SubjectSet(code_key(facts, code), code)] if code else []
    events = changed_facts(facts, state) + subject
    topic, key = topic_named(state.topic), code_key(facts, code)
    is_new = bool(code) and facts[key] != state.facts.get(key)
    if is_new and state.status == "in_progress" and _TAKES.search(reading.text) and topic.found and not topic.lookup:
        events.append(TaskStatusChanged("waiting_confirmation"))
    return events


def _answered(reading: Reading, stated: list[tuple[int, int]], state: InnerState, topic: Topic) -> list[Slot]:
    """Values that answer, follow up on or correct the current task."""
    if not state.task:
        return []
    text = reading.text
    corrects, follows = cues.corrects(text) or cues.objects(text), cues.follows_up(text)
    slots: list[Slot] = []
    for clause in reading.analysis.clauses:
        told = (clause.start, clause.end) in stated or looks_back(reading.analysis, clause)
        if told and not cues.corrects(clause.text):
            continue
        found = slots_in(reading, clause.start, clause.end, topic, loose=follows or corrects)
        found = [s for s in found if is_time(s) or s.key in topic.facts or s.key in CODED]
        if clause.is_question and not corrects and not follows:
            found = [s for s in found if s.key not in CODED]  # "is A302 free?" takes nothing yet
        if not found and corrects:
            found = _bare_number(reading, clause, state)
        if found and (corrects or follows or answers_open_task(reading, clause, found)):
            slots += found
    return slots


def _bare_number(reading: Reading, clause: Clause, state: InnerState) -> list[Slot]:
    """A number that corrects an amount or a number of people without saying so: "make it three hundred"."""
    english = reading.language == "en"
    match = re.compile(NUMBER_EN if english else NUMBER_ZH, re.IGNORECASE).search(
        reading.untimed, clause.start, clause.end
    )
    number = (english_number(match[0]) if english else mandarin_number(match[0])) if match else None
    if (
        match is None
        or number is None
        or NEGATED.search(reading.text[: match.start()])
        or not _stands_alone(match, reading, english=english)
    ):
        return []
    if "amount" in state.facts:
        return [Slot("amount", f"{plain(number)} {state.facts['amount'][-3:]}", *match.span())]
    return [Slot("people", plain(number), *match.span())] if "people" in state.facts and number < 100 else []


def _stands_alone(match: re.Match[str], reading: Reading, *, english: bool) -> bool:
    """Whether a number is a value of its own: not the 一 of 等一下, not the "one" of "that one" or "one moment"."""
    after = reading.text[match.end() :]
    if english:
        return match[0].lower() != "one" and bool(_AFTER_NUMBER_EN.match(after))
    return bool(_AFTER_NUMBER_ZH.match(after)) and not reading.text[: match.start()].endswith(("第", "万", "那", "这"))


def _shifted(facts: dict[str, str], text: str, state: InnerState) -> dict[str, str]:
    """A range that is corrected by its new beginning keeps its length: "make it three"."""
    known = state.facts.get("time_range", "")
    if "time" not in facts or not re.fullmatch(r"\d\d:\d\d-\d\d:\d\d", known):
        return facts
    if not (cues.corrects(text) or cues.objects(text)):
        return facts
    begin, finish = (int(t[:2]) * 60 + int(t[3:]) for t in known.split("-"))
    start = int(facts["time"][:2]) * 60 + int(facts["time"][3:])
    end = start + finish - begin
    if not 0 < end <= 24 * 60:
        return facts
    rest = {key: value for key, value in facts.items() if key != "time"}
    return {**rest, "time_range": f"{facts['time']}-{end // 60:02d}:{end % 60:02d}"}
