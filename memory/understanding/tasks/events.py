"""From what was asked, answered or taken back to events for the inner state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import (
    FactsDropped,
    FactsStated,
    RolledBack,
    StateEvent,
    SubjectSet,
    TaskStarted,
    TaskStatus,
    TaskStatusChanged,
    TopicChanged,
)
from memory.understanding.people.mentions import PersonMention, person_meant
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.answers import answers_open_task, looks_back
from memory.understanding.tasks.request import Request
from memory.understanding.tasks.requests_english import request_en
from memory.understanding.tasks.requests_mandarin import request_zh
from memory.understanding.tasks.slots import Slot, facts_from, is_time, replaced_keys, slots_in
from memory.understanding.tasks.topics import ANY_TOPIC, Topic, topic_named, topic_of
from memory.understanding.values.codes import code_type, codes_in
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number, plain
from memory.understanding.words.analysis import Clause

if TYPE_CHECKING:
    from memory.state_model import InnerState

_QUOTES = re.compile(r"\b(?:that|saying|i'm|i'll|we're|we'll)\b|说|告诉|：", re.IGNORECASE)
_FINISHED = ("completed", "failed", "cancelled")
_WHEREABOUTS = re.compile(
    r"\b(?:where|when)\b.*\b(?:it|they|that)\b|\b(?:has|is)\s+it\b.*\b(?:arriv|ship|com|deliver|on)|到哪|在哪|什么时候到|到了吗|发货",
    re.IGNORECASE,
)
_CODED = ("room", "order", "flight", "booking")


def task_events(
    reading: Reading, people: list[PersonMention], stated: list[tuple[int, int]], state: InnerState
) -> list[StateEvent]:
    """Reads the events that concern tasks, their facts and the subject.

    Args:
        reading: The utterance.
        people: Who is spoken of in it.
        stated: Spans of clauses that tell something about a person; no task takes its values from them.
        state: Before the utterance.

    Returns:
        In the order to apply them: the task, what no longer holds, the facts, the subject.
    """
    confirmed = state.status == "waiting_confirmation" and cues.confirms(reading.text)
    requests = [] if confirmed else requests_in(reading, people, state)
    requests = [request for request in requests if not _repeats_verb(request, reading, state)]
    if not requests:
        return _reply_events(reading, people, stated, state)
    events: list[StateEvent] = []
    for number, request in enumerate(requests):
        end = requests[number + 1].start if number + 1 < len(requests) else len(reading.text)
        own = _own_slots(reading, request, end, stated, first=number == 0, state=state)
        events += _request_events(reading, request, own, state, first=number == 0)
    return events + _person_subject(reading, people, events)


def _repeats_verb(request: Request, reading: Reading, state: InnerState) -> bool:
    """Whether a correction only says the verb again: "no, transfer three hundred"."""
    if not state.task or not (cues.corrects(reading.text) or cues.objects(reading.text)):
        return False
    numbers = NUMBER_EN if reading.language == "en" else NUMBER_ZH
    bare = re.sub(rf"\b{numbers}\b" if reading.language == "en" else numbers, "", request.task, flags=re.IGNORECASE)
    return bool(request.verb) and bare.strip() == request.verb


def requests_in(reading: Reading, people: list[PersonMention], state: InnerState) -> list[Request]:
    """Everything the utterance asks for, in order."""
    read = request_en if reading.language == "en" else request_zh
    clauses = reading.analysis.clauses
    out: list[Request] = []
    for clause, following in zip(clauses, [*clauses[1:], None], strict=False):
        request = read(reading, clause, following, person_meant(people, clause.end, state))
        if not request and _asks_whereabouts(clause, reading, state):
            request = Request(clause.start, clause.end, topic_named("order"), _tracking(reading, state), asks=True)
        if request:
            out.append(request)
    return out


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


def _own_slots(
    reading: Reading, request: Request, end: int, stated: list[tuple[int, int]], *, first: bool, state: InnerState
) -> list[Slot]:
    """Values in the request itself, in what follows it, and times said just before it."""
    topic = _topic_of(reading, request, state)
    slots: list[Slot] = []
    for clause in reading.analysis.clauses:
        own = clause.start == request.start
        narrative = (clause.start, clause.end) in stated or looks_back(reading.analysis, clause)
        if request.start <= clause.start < end and (own or not narrative):
            slots += slots_in(reading, clause.start, clause.end, topic)
    if first and request.start:
        said = {slot.key for slot in slots}
        before = [s for s in slots_in(reading, 0, request.start, topic) if is_time(s) or s.key in (*_CODED, "amount")]
        slots += [s for s in before if s.key not in said and not _is_past(s, reading)]
    if topic.name == "message" and _QUOTES.search(reading.text, request.start):
        slots = [slot for slot in slots if not is_time(slot)]
    return sorted(slots, key=lambda slot: slot.start)


def _is_past(slot: Slot, reading: Reading) -> bool:
    return slot.key in ("date", "date_range") and slot.value[:10] < reading.today.isoformat()


def _topic_of(reading: Reading, request: Request, state: InnerState) -> Topic:
    if request.topic:
        return request.topic
    codes = [c for c in reading.codes if request.start <= c.start < request.end]
    if codes:
        return topic_named(code_type(codes[0].value, reading.text, state.topic))
    return ANY_TOPIC


def _request_events(
    reading: Reading, request: Request, slots: list[Slot], state: InnerState, *, first: bool
) -> list[StateEvent]:
    topic = _topic_of(reading, request, state)
    if request.asks and topic.name != "order":
        slots = [slot for slot in slots if slot.key not in _CODED]
    facts = facts_from(slots, reading.text) if not request.changes else _target(slots, reading.text)
    code = next((facts[key] for key in _CODED if key in facts), "")
    same_topic = first and bool(state.task) and state.topic == topic.name and state.status not in _FINISHED
    events: list[StateEvent] = []
    open_task = bool(state.task) and state.status not in _FINISHED
    if request.cancels and open_task and not code and (same_topic or (not topic.name and _points(request, reading))):
        return [TaskStatusChanged("cancelled")]
    if first and not topic.name and state.task and _points(request, reading):
        pointed = _pointed_at(request, facts, state)
        code = code or next(iter(pointed.values()), "")
        events += _changed_facts({**facts, **pointed}, state)
        if pointed:
            events.append(TaskStatusChanged("waiting_confirmation"))
    elif same_topic and not _is_other(request, topic, code, state):
        events += _changed_facts(facts, state)
        if code and request.verb and not request.asks and not request.changes and topic.name != "order":
            events.append(TaskStatusChanged("waiting_confirmation"))
    else:
        earlier = _earlier_task(topic, code, state) if not (topic.each_new or request.cancels) else ""
        status: TaskStatus = "waiting_confirmation" if request.risky else "in_progress"
        events.append(TaskStarted(earlier or request.task or topic.name, topic.name, status))
        if "order" in topic.facts and not code and (earlier or state.subject.type == "order"):
            code = _remembered_code(topic.name, state)
            facts = {topic.name: code, **facts} if code else facts
        events += _dropped(facts, state, resumed=earlier)
        if facts:
            events.append(FactsStated(facts))
    asked = [c.value for c in reading.codes if request.asks and request.start <= c.start < request.end]
    if code:
        events.append(SubjectSet(_code_key(facts, code), code))
    elif asked:
        events.append(SubjectSet(code_type(asked[-1], reading.text, topic.name), asked[-1]))
    return events


def _target(slots: list[Slot], text: str) -> dict[str, str]:
    """The values something is changed to: "move it from Friday to Monday"."""
    facts = facts_from(list(reversed(slots)), text)
    days = facts.pop("date_range", "")
    return {**facts, "date": days.rpartition("/")[2]} if days else facts


def _pointed_at(request: Request, facts: dict[str, str], state: InnerState) -> dict[str, str]:
    """The room, order or flight that "book it" means, if it is not among the facts yet."""
    kind = state.subject.type
    fits = kind in topic_named(state.topic).facts and kind in _CODED and kind not in facts and bool(request.verb)
    return {kind: state.subject.id} if fits and state.facts.get(kind) != state.subject.id else {}


def _points(request: Request, reading: Reading) -> bool:
    """Whether the request is only about "it": "book it", 订那个."""
    said = reading.text[request.start : request.end]
    return bool(
        re.search(
            r"\b(?:it|that one|this one|that|(?:go )?ahead|the (?:first|second|third|last|window|other) "
            r"one)\s*(?:please|then|for me)?\W*$|(?:它|那个|这个|第[一二三]个|那间|这间)",
            said,
            re.IGNORECASE,
        )
    ) or (len(request.task) <= len(request.verb))


def _is_other(request: Request, topic: Topic, code: str, state: InnerState) -> bool:
    """Whether a request with the topic of the current task is another task all the same."""
    if topic.each_new or request.cancels:
        return request.task.casefold() != state.task.casefold()
    known = next((state.facts[key] for key in _CODED if key in state.facts), "")
    return topic.name == "order" and bool(code and known and code != known)


def _earlier_task(topic: Topic, code: str, state: InnerState) -> str:
    """The task of that topic to take up again; empty where there is none."""
    for entry in reversed(state.bookkeeping.shelved):
        known = next((entry.facts[key] for key in _CODED if key in entry.facts), "")
        if entry.topic == topic.name and (not code or not known or code == known):
            return entry.task
    for record in reversed(state.tasks):
        named = topic_of(record.task)
        codes = codes_in(record.task)
        fits = not code or not codes or codes[0].value == code
        if named and named.name == topic.name and topic.name == "order" and fits:
            return record.task
    return ""


def _remembered_code(kind: str, state: InnerState) -> str:
    if state.subject.type == kind:
        return state.subject.id
    for entry in reversed(state.bookkeeping.shelved):
        if kind in entry.facts:
            return entry.facts[kind]
    said = "\n".join([*(record.task for record in state.tasks), state.history_summary])
    codes = [c.value for c in codes_in(said) if code_type(c.value, "", kind) == kind]
    return codes[-1] if codes else ""


def _changed_facts(facts: dict[str, str], state: InnerState) -> list[StateEvent]:
    if not facts:
        return []
    return [*_dropped(facts, state), FactsStated(facts)]


def _dropped(facts: dict[str, str], state: InnerState, resumed: str = "") -> list[StateEvent]:
    known = set(state.facts)
    if resumed:
        known = {key for entry in state.bookkeeping.shelved if entry.task == resumed for key in entry.facts}
    gone = tuple(key for key in replaced_keys(facts) if key in known)
    return [FactsDropped(gone)] if gone else []


def _code_key(facts: dict[str, str], code: str) -> str:
    return next((key for key in _CODED if facts.get(key) == code), "order")


def _reply_events(
    reading: Reading, people: list[PersonMention], stated: list[tuple[int, int]], state: InnerState
) -> list[StateEvent]:
    """An utterance that asks for nothing new: a correction, an answer, a follow-up, a yes, a story."""
    text = reading.text
    asked_back = cues.asks_memory(text)
    if cues.rolls_back(text) and not asked_back and not reading.times:
        return [RolledBack()] if state.version or state.task else []
    topic = topic_named(state.topic)
    following = cues.follows_up(text)
    slots = [] if asked_back else _answered(reading, stated, state, topic)
    events: list[StateEvent] = []
    if slots:
        facts = _shifted(facts_from(slots, text), text, state)
        events += _changed_facts(facts, state)
        code = next((facts[key] for key in _CODED if key in facts), "")
        if code:
            events.append(SubjectSet(_code_key(facts, code), code))
    elif cues.goes_back(text) and not following and not asked_back:
        events += _taken_up(text, state)
    elif state.task and state.status not in _FINISHED and cues.cancels(text):
        return [TaskStatusChanged("cancelled")]
    elif state.status == "waiting_confirmation" and cues.confirms(text):
        return [TaskStatusChanged("in_progress")]
    if not slots and not asked_back and reading.codes:
        code_entity = reading.codes[-1]
        kind = code_type(code_entity.value, text, state.topic)
        events.append(SubjectSet(kind, code_entity.value))
    return events if asked_back else events + _person_subject(reading, people, events)


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
        found = slots_in(reading, clause.start, clause.end, topic, loose=follows)
        found = [s for s in found if is_time(s) or s.key in topic.facts or s.key in _CODED]
        if clause.is_question and not corrects and not follows:
            found = [s for s in found if s.key not in _CODED]  # "is A302 free?" takes nothing yet
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
    if match is None or number is None:
        return []
    if "amount" in state.facts:
        return [Slot("amount", f"{plain(number)} {state.facts['amount'][-3:]}", *match.span())]
    return [Slot("people", plain(number), *match.span())] if "people" in state.facts and number < 100 else []


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


def _taken_up(text: str, state: InnerState) -> list[StateEvent]:
    """The open task of the topic that is returned to: "back to the room"."""
    topic = topic_of(text)
    if topic is None or topic.name == state.topic:
        return []
    earlier = _earlier_task(topic, "", state)
    return [TaskStarted(earlier, topic.name)] if earlier else [TopicChanged(topic.name)]


def _person_subject(reading: Reading, people: list[PersonMention], events: list[StateEvent]) -> list[StateEvent]:
    """The person or pet said last, unless a code is the subject, or the utterance asks about them."""
    if not people or any(isinstance(event, SubjectSet) for event in events):
        return []
    last = people[-1]
    clause: Clause | None = reading.analysis.clause_at(last.start)
    if clause and clause.is_question and not events:
        return []
    if last.owner != "user" and not last.name:
        return []
    relation = last.relation or next((m.relation for m in people if m.name == last.name and m.relation), "")
    return [SubjectSet("pet" if last.is_pet else "person", last.subject, relation)]
