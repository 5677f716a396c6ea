"""From what was asked, answered or taken back to events for the inner state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory.state_events import (
    FactsDropped,
    FactsStated,
    StateEvent,
    SubjectSet,
    TaskStarted,
    TaskStatus,
    TaskStatusChanged,
)
from memory.state_reducer import reduce
from memory.tools.consent import read_consent
from memory.understanding.people.mentions import PersonMention
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.changes import CODED, changed_facts, code_in, code_key, dropped_facts, is_open
from memory.understanding.tasks.earlier import earlier_task, remembered_code, taken_up
from memory.understanding.tasks.pending import settled_points
from memory.understanding.tasks.replies import chosen_subject, reply_events
from memory.understanding.tasks.request import Request
from memory.understanding.tasks.requests import own_slots, repeats_verb, requests_in, topic_of_request
from memory.understanding.tasks.shifts import moved_facts
from memory.understanding.tasks.slots import Slot, facts_from
from memory.understanding.tasks.topics import TIME_FACTS, Topic, topic_named
from memory.understanding.values.codes import code_type

if TYPE_CHECKING:
    from memory.state_model import InnerState

_ONLY_POINTS = re.compile(
    r"\b(?:it|that one|this one|that|(?:go )?ahead|the (?:first|second|third|last|window|other) one)\s*"
    r"(?:please|then|for me)?\W*$|(?:它|那个|这个|第[一二三]个|那间|这间)",
    re.IGNORECASE,
)
_COMMITS = re.compile(r"^(?:book|reserve|buy|order|confirm|预?订|预?定|预约|买|约|确认)", re.IGNORECASE)


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
    events = _read(reading, people, stated, state)
    return _reopened(events, state) + settled_points(events, state)


def answers_waiting_call(text: str, state: InnerState) -> bool:
    """Whether it is a yes or no to a tool's call that waits: who runs the call acts on it."""
    if not any(call.asked for call in state.bookkeeping.awaiting):
        return False
    consent = read_consent(text)
    return consent.answer != "unclear" and (consent.explicit or not state.pending)


def _reopened(events: list[StateEvent], state: InnerState) -> list[StateEvent]:
    """A task that was over goes on when something is said about it."""
    goes_on = any(isinstance(event, FactsStated | FactsDropped) for event in events)
    if state.status != "completed" or not goes_on or any(isinstance(event, TaskStarted) for event in events):
        return events
    return [TaskStatusChanged("in_progress"), *events]


def _read(
    reading: Reading, people: list[PersonMention], stated: list[tuple[int, int]], state: InnerState
) -> list[StateEvent]:
    if answers_waiting_call(reading.text, state):
        return []
    confirmed = state.status == "waiting_confirmation" and cues.confirms(reading.text)
    requests = [] if confirmed else requests_in(reading, people, state)
    requests = [request for request in requests if not repeats_verb(request, reading, state)]
    # "改回去" is no request of its own.
    requests = [r for r in requests if r.topic or not cues.rolls_back(reading.text[r.start : r.end])]
    before = state
    moved = moved_facts(reading, state) if is_open(state) and all(r.changes and not r.topic for r in requests) else {}
    if moved:
        return changed_facts(moved, state)
    if not requests:
        said = reply_events(reading, stated, state)
        return said if cues.asks_memory(reading.text) else said + _person_subject(reading, people, said)
    events: list[StateEvent] = []
    back = taken_up(reading.text, state) if cues.goes_back(reading.text) and not cues.follows_up(reading.text) else None
    if back:
        requests = [r for r in requests if not cues.goes_back(reading.text[r.start : r.end]) or r.verb]
        events, state = [back], reduce(state, back)
        if not requests:
            return reply_events(reading, stated, before)
    for number, request in enumerate(requests):
        end = requests[number + 1].start if number + 1 < len(requests) else len(reading.text)
        own = own_slots(reading, request, end, stated, first=number == 0, state=state)
        events += _request_events(reading, request, own, state, first=number == 0)
    return events + _person_subject(reading, people, events)


def _request_events(
    reading: Reading, request: Request, slots: list[Slot], state: InnerState, *, first: bool
) -> list[StateEvent]:
    topic = topic_of_request(reading, request, state)
    if request.asks and topic.name != "order":
        slots = [slot for slot in slots if slot.key not in CODED]
    facts = _target(slots, reading.text) if request.changes else facts_from(slots, reading.text)
    code = code_in(facts)
    goes_on = first and is_open(state)
    if goes_on and request.asks and any(request.start <= c.start < request.end for c in reading.choices):
        return chosen_subject(reading, request.start, request.end)
    same_topic = goes_on and state.topic == topic.name
    points = goes_on and topic.name in ("", state.topic) and _points(request, reading)
    if request.cancels and not code and (same_topic or points):
        return [TaskStatusChanged("cancelled")]
    if points or (same_topic and not _is_other(request, topic, code, state)):
        return _more_events(reading, request, facts, state)
    if first and is_open(state) and not topic.name and request.changes and set(facts) & set(TIME_FACTS):
        return _more_events(reading, request, facts, state)
    return _new_task_events(reading, request, topic, facts, state)


def _more_events(reading: Reading, request: Request, facts: dict[str, str], state: InnerState) -> list[StateEvent]:
    """More about the current task."""
    stated = {**facts, **_pointed_at(request, facts, state)}
    code = code_in(stated)
    events = changed_facts(stated, state)
    if request.risky or (code and _COMMITS.match(request.verb)):
        events.append(TaskStatusChanged("waiting_confirmation"))
    return events + _code_subject(reading, request, stated, code)


def _new_task_events(
    reading: Reading, request: Request, topic: Topic, facts: dict[str, str], state: InnerState
) -> list[StateEvent]:
    """Another task, or an earlier one taken up again."""
    code = code_in(facts)
    earlier = "" if topic.each_new or request.cancels else earlier_task(topic, code, state)
    status: TaskStatus = "waiting_confirmation" if request.risky else "in_progress"
    events: list[StateEvent] = [TaskStarted(earlier or request.task or topic.name, topic.name, status)]
    if topic.name == "order" and not code and (earlier or state.subject.type == "order"):
        code = remembered_code("order", state)
        facts = {"order": code, **facts} if code else facts
    events += dropped_facts(facts, state, resumed=earlier)
    if facts:
        events.append(FactsStated(facts))
    return events + _code_subject(reading, request, facts, code)


def _code_subject(reading: Reading, request: Request, facts: dict[str, str], code: str) -> list[StateEvent]:
    """The thing with a code that the request is about, even if it only asks about it."""
    if code:
        return [SubjectSet(code_key(facts, code), code)]
    asked = [c.value for c in reading.codes if request.asks and request.start <= c.start < request.end]
    if asked:
        return [SubjectSet(code_type(asked[-1], reading.text, ""), asked[-1])]
    return chosen_subject(reading, request.start, request.end)


def _target(slots: list[Slot], text: str) -> dict[str, str]:
    """The values something is changed to: "move it from Friday to Monday"."""
    facts = facts_from(list(reversed(slots)), text)
    days = facts.pop("date_range", "")
    return {**facts, "date": days.rpartition("/")[2]} if days else facts


def _pointed_at(request: Request, facts: dict[str, str], state: InnerState) -> dict[str, str]:
    """The room, order or flight that "book it" means, if it is not among the facts yet."""
    kind = state.subject.type
    fits = kind in topic_named(state.topic).facts and kind in CODED and kind not in facts and bool(request.verb)
    return {kind: state.subject.id} if fits and state.facts.get(kind) != state.subject.id else {}


def _points(request: Request, reading: Reading) -> bool:
    """Whether the request is only about "it": "book it", 订那个."""
    said = reading.text[request.start : request.end]
    bare = re.sub(r"[了掉吧它这那个]+$", "", request.task)
    return bool(_ONLY_POINTS.search(said)) or len(bare) <= len(request.verb)


def _is_other(request: Request, topic: Topic, code: str, state: InnerState) -> bool:
    """Whether a request with the topic of the current task is another task all the same."""
    if topic.name != state.topic:
        return False
    if topic.each_new or request.cancels:
        return request.task.casefold() != state.task.casefold()
    known = code_in(dict(state.facts))
    return topic.name == "order" and bool(code and known and code != known)


def _person_subject(reading: Reading, people: list[PersonMention], events: list[StateEvent]) -> list[StateEvent]:
    """The person or pet said last, unless a code is the subject, or the utterance asks about them."""
    if not people or any(isinstance(event, SubjectSet) for event in events):
        return []
    last = people[-1]
    clause = reading.analysis.clause_at(last.start)
    if clause and clause.is_question and not events:
        return []
    if last.owner != "user" and not last.name:
        return []
    relation = last.relation or next((m.relation for m in people if m.name == last.name and m.relation), "")
    return [SubjectSet("pet" if last.is_pet else "person", last.subject, relation)]
