from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from memory.inner_state import (
    MAX_AWAITED,
    MAX_FACTS,
    MAX_OPTIONS,
    MAX_PENDING,
    MAX_PREFERENCES,
    MAX_STEPS,
    MAX_SUMMARY_CHARS,
    MAX_TASKS,
    AwaitedCall,
    InnerState,
    Option,
    PreferenceProposed,
    StateHistory,
    StatusProposed,
    Subject,
    TaskProposed,
    TaskRecord,
    ToolResult,
    carry_over,
    diff,
    parse_update,
    reduce,
)
from memory.state_events import (
    CallsAsked,
    CallsAwaited,
    CallsSettled,
    FactsDropped,
    FactsStated,
    OptionsListed,
    PendingChanged,
    PreferenceStated,
    RolledBack,
    StateEvent,
    StepDone,
    SubjectSet,
    SummaryAdded,
    TaskStarted,
    TaskStatus,
    TaskStatusChanged,
    ToolReported,
    TopicChanged,
)
from memory.state_model import clean

ROOM = (
    TaskStarted("book a meeting room", topic="room"),
    FactsStated({"date": "2026-03-11", "time_range": "10:00-12:00"}),
    StepDone("searched free rooms"),
    FactsStated({"room": "A302"}),
    PendingChanged(add=("projector",)),
    SubjectSet("room", "A302", "by the window"),
    TaskStatusChanged("waiting_confirmation"),
)


def after(*events: StateEvent, state: InnerState | None = None) -> InnerState:
    state = state or InnerState()
    for event in events:
        state = reduce(state, event)
    return state


def replay(*events: StateEvent) -> StateHistory:
    history = StateHistory()
    for event in events:
        history.apply(event)
    return history


# --- what any sequence of events keeps

WORDS = st.text(max_size=250) | st.sampled_from(
    ["", " ", "会议室", "date", "room", "A302", "\ud800", "a\x00b\nc", "x" * 300]
)
KEYS = st.sampled_from(["date", "time", "room", "城市", "x" * 60]) | st.text(max_size=60)
TABLES = st.dictionaries(KEYS, WORDS, max_size=12)
SOURCES = st.sampled_from(["user", "model", "tool"])
STATUSES = st.sampled_from(get_args(TaskStatus))
TASKS = st.sampled_from(["book a room", "Book a room", "查天气", "pay", ""]) | WORDS
MANY = st.lists(WORDS, max_size=8).map(tuple)
SOUND = WORDS.map(lambda text: clean(text, 800))
OPTIONS = st.lists(st.builds(Option, id=SOUND, type=SOUND, description=SOUND), max_size=14).map(tuple)
ARGUMENTS = st.dictionaries(st.sampled_from(["amount", "to"]), st.integers(0, 99) | st.just("84"), max_size=2)
CALLS = st.lists(st.builds(AwaitedCall, tool=SOUND, arguments=ARGUMENTS), max_size=5).map(tuple)
EVENTS = st.one_of(
    st.builds(TaskStarted, TASKS, WORDS, STATUSES),
    st.builds(TaskProposed, TASKS, st.sampled_from(["room", "weather", ""])),
    st.builds(TaskStatusChanged, STATUSES, WORDS),
    st.builds(FactsStated, TABLES, SOURCES),
    st.builds(FactsDropped, st.lists(KEYS, max_size=4).map(tuple), SOURCES),
    st.builds(PendingChanged, MANY, MANY),
    st.builds(StepDone, WORDS),
    st.builds(PreferenceStated, TABLES),
    st.builds(PreferenceProposed, TABLES),
    st.builds(SubjectSet, WORDS, WORDS, WORDS),
    st.builds(TopicChanged, WORDS),
    st.builds(SummaryAdded, WORDS),
    st.builds(StatusProposed, STATUSES, WORDS),
    st.builds(OptionsListed, OPTIONS),
    st.builds(CallsAwaited, CALLS),
    st.just(CallsAsked()),
    st.just(CallsSettled()),
    st.builds(ToolReported, st.none() | st.builds(ToolResult, tool=SOUND, text=SOUND)),
    st.builds(RolledBack, st.none() | st.integers(0, 30)),
)
STATES = st.lists(EVENTS, max_size=25).map(lambda events: after(*events))


def check_bounds(state: InnerState) -> None:
    assert len(state.facts) <= MAX_FACTS
    assert len(state.pending) <= MAX_PENDING
    assert len(state.steps) <= MAX_STEPS
    assert len(state.preference) <= MAX_PREFERENCES
    assert len(state.tasks) <= MAX_TASKS
    assert len(state.history_summary) <= MAX_SUMMARY_CHARS
    assert len(state.bookkeeping.shelved) <= MAX_TASKS
    assert len(state.bookkeeping.options) <= MAX_OPTIONS
    assert len(state.bookkeeping.awaiting) <= MAX_AWAITED
    assert not (state.bookkeeping.awaiting and state.status in ("completed", "failed", "cancelled"))
    assert not any(call.asked and call.stale for call in state.bookkeeping.awaiting)
    assert set(state.bookkeeping.user_facts) <= set(state.facts)
    assert set(state.bookkeeping.user_preferences) <= set(state.preference)
    texts = [state.task, state.topic, *state.facts, *state.facts.values(), *state.pending, *state.steps]
    assert all(len(text) <= 160 and text == clean(text) for text in texts)
    current = [
        (record.task, record.status) for record in state.tasks if record.task.casefold() == state.task.casefold()
    ]
    assert current == ([(state.task, state.status)] if state.task else [])


@given(events=st.lists(EVENTS, max_size=40))
def test_bounds_versions_and_round_trip_hold_for_any_events(events: list[StateEvent]) -> None:
    history = StateHistory()
    for event in events:
        before = history.current
        current = history.apply(event)
        assert current is before or current.version == before.version + 1
        assert current is before or current.model_copy(update={"version": before.version}) != before
        check_bounds(current)
        again = InnerState.from_json(current.to_json())
        assert again == current
        assert list(again.facts) == list(current.facts)
        assert json.loads(json.dumps(current.to_contract())) == current.to_contract()
    for state in history.versions:
        assert history.version(state.version) is state


@given(state=STATES, event=EVENTS)
def test_reduce_is_pure(state: InnerState, event: StateEvent) -> None:
    before = state.to_json()
    assert reduce(state, event) == reduce(state, event)
    assert state.to_json() == before


@given(state=STATES, event=EVENTS)
def test_what_is_not_mentioned_stays(state: InnerState, event: StateEvent) -> None:
    new = reduce(state, event)
    may_change = {
        FactsStated: {"facts", "history_summary"},
        FactsDropped: {"facts"},
        PendingChanged: {"pending", "history_summary"},
        StepDone: {"steps"},
        PreferenceStated: {"preference", "history_summary"},
        PreferenceProposed: {"preference", "history_summary"},
        SubjectSet: {"subject"},
        TopicChanged: {"topic"},
        SummaryAdded: {"history_summary"},
        TaskStatusChanged: {"status", "tasks", "history_summary"},
        RolledBack: set(),
    }.get(type(event), {"task", "status", "facts", "pending", "steps", "history_summary", "tasks", "topic", "subject"})
    assert {field.partition(".")[0] for field, _, _ in diff(state, new)} <= may_change
    if isinstance(event, FactsStated):
        kept = {key: value for key, value in state.facts.items() if clean(key, 40) not in map(_key, event.facts)}
        for key, value in kept.items():
            # Either still a fact, or folded because there were more than eight.
            assert new.facts.get(key) == value or f"{key}: {value}" in new.history_summary
    if isinstance(event, PreferenceStated) and len(state.preference) + len(event.preferences) <= MAX_PREFERENCES:
        assert state.preference.keys() <= new.preference.keys()
    if isinstance(event, FactsDropped):
        assert state.facts.keys() - new.facts.keys() <= set(map(_key, event.keys))


def _key(text: str) -> str:
    return clean(text, 40)


@given(state=STATES, stated=TABLES, dropped=st.lists(KEYS, max_size=4), source=st.sampled_from(["model", "tool"]))
def test_what_the_user_stated_only_the_user_changes(
    state: InnerState, stated: dict[str, str], dropped: list[str], source: str
) -> None:
    mine = {key: state.facts[key] for key in state.bookkeeping.user_facts}
    liked = {key: state.preference[key] for key in state.bookkeeping.user_preferences}
    updates, _ = parse_update({"facts": stated | dict.fromkeys(dropped), "preference": stated})
    new = after(
        FactsStated(stated, source),  # type: ignore[arg-type]
        FactsDropped((*dropped, *mine), source),  # type: ignore[arg-type]
        *updates,
        state=state,
    )
    assert {key: new.facts.get(key) for key in mine} == mine
    assert {key: new.preference.get(key) for key in liked} == liked


@settings(max_examples=5, deadline=None)
@given(batch=st.lists(EVENTS, min_size=10, max_size=30))
def test_the_state_does_not_grow_over_500_turns(batch: list[StateEvent]) -> None:
    history = StateHistory(keep=64)
    for turn in range(500):
        history.apply(TaskStarted(f"task {turn} " + "x" * 200), turn)
        history.apply(FactsStated({f"key {turn} {i}": "v" * 200 for i in range(10)}), turn)
        history.apply(PreferenceStated({f"liking {turn}": "w" * 200}), turn)
        history.apply(batch[turn % len(batch)], turn)
    check_bounds(history.current)
    assert len(history.versions) == 64
    # All fields at their bounds, and as much again for every task that can be resumed.
    assert len(history.current.to_json()) < 60_000
    assert len(json.dumps(history.current.to_contract(), ensure_ascii=False)) < 14_000


# --- facts, pending, steps, preferences


def test_the_least_important_fact_is_folded_not_lost() -> None:
    state = after(
        FactsStated({"city": "Berlin"}),
        FactsStated({"guess": "window"}, source="model"),
        *(FactsStated({f"key {i}": f"value {i}"}) for i in range(6)),
    )
    assert len(state.facts) == 8 and not state.history_summary
    state = after(FactsStated({"room": "A302"}), state=state)
    assert "guess" not in state.facts and "guess: window" in state.history_summary
    state = after(FactsStated({"date": "2026-03-11"}), state=state)
    assert "city" not in state.facts and "city: Berlin" in state.history_summary
    state = after(FactsStated({"tool fact": "1"}, source="tool"), state=state)
    assert "tool fact: 1" in state.history_summary and state.facts["date"] == "2026-03-11"


def test_a_fact_that_is_touched_stays_longest() -> None:
    state = after(
        *(FactsStated({f"k{i}": "old"}) for i in range(8)), FactsStated({"k0": "new"}), FactsStated({"x": "y"})
    )
    assert state.facts["k0"] == "new" and "k1" not in state.facts


def test_the_same_again_changes_nothing() -> None:
    state = after(*ROOM, PreferenceStated({"seat": "window"}), TopicChanged("room"), SummaryAdded("a line"))
    for event in (
        TaskStarted("Book a meeting room"),
        FactsStated({"room": "A302"}),
        FactsStated({"room": "B101"}, source="model"),
        FactsDropped(("unknown",)),
        FactsDropped(("room",), source="tool"),
        PendingChanged(add=("Projector",), done=("unknown",)),
        StepDone("searched free rooms"),
        PreferenceStated({"seat": "window"}),
        SubjectSet("room", "A302", "by the window"),
        TopicChanged("room"),
        SummaryAdded("a line"),
        TaskStatusChanged("waiting_confirmation"),
        RolledBack(),
        FactsStated({"": "x", "y": " "}),
        TaskStarted("  "),
        StepDone(""),
        SubjectSet("room", ""),
    ):
        assert reduce(state, event) is state, event


def test_pending_is_resolved_and_kept_short() -> None:
    state = after(PendingChanged(add=tuple("abcde")), PendingChanged(add=("f",), done=("C",)))
    assert state.pending == ("a", "b", "d", "e", "f")
    state = after(PendingChanged(add=("g",)), state=state)
    assert state.pending == ("b", "d", "e", "f", "g") and state.history_summary == "a"


def test_the_model_cannot_turn_a_preference_around() -> None:
    state = after(PreferenceStated({"seat": "window"}), PreferenceProposed({"seat": "aisle", "tone": "brief"}))
    assert state.preference == {"seat": "window", "tone": "brief"}
    state = after(PreferenceStated({"seat": "aisle"}), state=state)
    assert state.preference["seat"] == "aisle"


def test_a_status_without_a_task_means_nothing() -> None:
    assert after(TaskStatusChanged("completed")) == InnerState()


# --- tasks


def test_a_finished_task_is_summed_up_and_still_to_be_seen() -> None:
    state = after(*ROOM, PreferenceStated({"seat": "window"}), TaskStatusChanged("completed", "booked, code T2093"))
    assert state.status == "completed"
    assert state.tasks == (TaskRecord(task="book a meeting room", status="completed", result="booked, code T2093"),)
    for part in ("book a meeting room [completed]", "date: 2026-03-11", "room: A302", "T2093"):
        assert part in state.history_summary
    assert state.facts["room"] == "A302", "a follow-up question can still use them"
    state = after(TaskStarted("weather in Berlin", topic="weather"), state=state)
    assert (state.facts, state.pending, state.steps) == ({}, (), ())
    assert state.preference == {"seat": "window"} and "A302" in state.history_summary
    assert state.history_summary.count("book a meeting room") == 1
    assert state.subject.id == "A302", "it may still be spoken of"


def test_a_replaced_task_can_be_resumed() -> None:
    state = after(*ROOM, TaskStarted("weather in Berlin", topic="weather"), FactsStated({"city": "Berlin"}))
    assert [(record.task, record.status) for record in state.tasks] == [
        ("book a meeting room", "waiting_confirmation"),
        ("weather in Berlin", "in_progress"),
    ]
    assert state.facts == {"city": "Berlin"} and "A302" in state.history_summary
    state = after(SubjectSet("city", "Berlin"), TaskStarted("Book a meeting room"), state=state)
    assert state.facts == {"date": "2026-03-11", "time_range": "10:00-12:00", "room": "A302"}
    assert (state.pending, state.steps) == (("projector",), ("searched free rooms",))
    assert (state.topic, state.subject.id, state.status) == ("room", "A302", "in_progress")
    assert reduce(state, FactsStated({"room": "B101"}, source="model")) is state, "still the user's own facts"
    assert [record.task for record in state.tasks] == ["weather in Berlin", "Book a meeting room"]
    state = after(TaskStarted("weather in Berlin"), state=state)
    assert state.facts == {"city": "Berlin"} and state.subject.id == "Berlin"


def test_facts_before_the_first_task_belong_to_it() -> None:
    state = after(FactsStated({"amount": "84 EUR"}), TaskStarted("pay the electricity bill"))
    assert state.facts == {"amount": "84 EUR"}


def test_finished_tasks_leave_the_list_first() -> None:
    events: list[StateEvent] = [TaskStarted("open one"), FactsStated({"a": "b"})]
    for i in range(MAX_TASKS + 3):
        events += [TaskStarted(f"task {i}"), TaskStatusChanged("completed")]
    state = after(*events)
    assert len(state.tasks) == MAX_TASKS and state.tasks[0].task == "open one"
    assert after(TaskStarted("open one"), state=state).facts == {"a": "b"}


@pytest.mark.parametrize(
    ("event", "task", "facts"),
    [
        (TaskProposed("reserve room A302"), "reserve room A302", True),
        (TaskProposed("reserve room A302", topic="Room"), "reserve room A302", True),
        (TaskProposed("check the weather", topic="weather"), "check the weather", False),
    ],
)
def test_the_model_renames_a_task_and_replaces_it_only_with_another_topic(
    event: StateEvent, task: str, facts: bool
) -> None:
    state = after(*ROOM, event)
    assert state.task == task and bool(state.facts) is facts
    assert len(state.tasks) == (1 if facts else 2)
    check_bounds(state)


def test_the_model_starts_a_task_when_none_is_open() -> None:
    assert after(TaskProposed("pay")).task == "pay"
    finished = after(*ROOM, TaskStatusChanged("completed"))
    assert reduce(finished, TaskProposed("book a meeting room")) is finished
    assert after(TaskProposed("pay"), state=finished).task == "pay"


def test_a_returning_user_finds_preferences_and_open_tasks() -> None:
    old = after(TaskStarted("weather"), TaskStatusChanged("completed"), *ROOM, PreferenceStated({"seat": "window"}))
    state = carry_over(old)
    assert state.version == 0 and state.task == "" and state.facts == {}
    assert state.preference == {"seat": "window"} and "A302" in state.history_summary
    assert [record.task for record in state.tasks] == ["book a meeting room"]
    assert after(TaskStarted("book a meeting room"), state=state).facts["room"] == "A302"
    assert carry_over(InnerState()) == InnerState()
    check_bounds(state)


# --- versions


@pytest.mark.parametrize("to_version", [None, 7])
def test_a_change_of_mind_goes_back(to_version: int | None) -> None:
    history = replay(*ROOM, FactsStated({"time_range": "14:00-16:00"}))
    assert history.current.facts["time_range"] == "14:00-16:00"
    state = history.apply(RolledBack(to_version))
    assert state.version == 9
    assert state.facts == {"date": "2026-03-11", "time_range": "10:00-12:00", "room": "A302"}
    assert state.pending == ("projector",)
    assert history.version(8).facts["time_range"] == "14:00-16:00"


def test_going_back_passes_over_what_the_model_noted_since() -> None:
    history = replay(
        *ROOM,
        FactsStated({"time_range": "14:00-16:00"}),
        PendingChanged(add=("catering",)),
        FactsStated({"capacity": "8"}, source="model"),
    )
    assert history.apply(RolledBack()).facts["time_range"] == "10:00-12:00"


def test_going_back_again_goes_further_back() -> None:
    history = replay(*(FactsStated({"time": f"{hour}:00"}) for hour in (9, 10, 11)))
    times = [history.apply(RolledBack()).facts.get("time") for _ in range(3)]
    assert times == ["10:00", "9:00", None]
    assert history.apply(RolledBack()) is history.current
    history.apply(FactsStated({"time": "12:00"}))
    assert history.apply(RolledBack()).facts == {}
    assert [state.version for state in history.versions] == list(range(9))


def test_a_change_after_going_back_is_taken_back_alone() -> None:
    history = replay(
        FactsStated({"time": "9:00"}),
        FactsStated({"time": "10:00"}),
        RolledBack(),
        FactsStated({"time": "11:00"}),
        RolledBack(),
    )
    assert history.current.facts == {"time": "9:00"}
    assert history.apply(RolledBack()).facts == {}


def test_changes_of_one_turn_go_back_together() -> None:
    history = StateHistory()
    for turn_id, event in ((1, ROOM[0]), (1, ROOM[1]), (2, TaskStarted("dinner")), (2, FactsStated({"time": "19:00"}))):
        history.apply(event, turn_id)
    assert history.apply(RolledBack(), 3).task == "book a meeting room"
    assert history.apply(RolledBack(), 4) == InnerState(version=6, bookkeeping=history.current.bookkeeping)


def test_cancelling_can_be_taken_back() -> None:
    history = replay(*ROOM, TaskStatusChanged("cancelled"))
    assert history.apply(RolledBack()).status == "waiting_confirmation"


def test_going_back_to_an_unknown_version_changes_nothing() -> None:
    history = replay(*ROOM)
    assert history.apply(RolledBack(99)) is history.current
    assert history.apply(RolledBack(history.current.version)) is history.current
    assert StateHistory().apply(RolledBack()) == InnerState()
    with pytest.raises(KeyError, match="no version 99"):
        history.version(99)


def test_history_goes_on_from_stored_versions() -> None:
    stored = replay(*ROOM, FactsStated({"time_range": "14:00-16:00"})).versions
    history = StateHistory(InnerState.from_json(state.to_json()) for state in (stored[5], stored[8]))
    assert history.current.version == 8
    assert history.apply(RolledBack()).facts["time_range"] == "10:00-12:00"
    assert history.current.version == 9


# --- the record itself


def test_the_contract_has_exactly_these_fields() -> None:
    assert after(*ROOM).to_contract() == {
        "version": 7,
        "task": "book a meeting room",
        "status": "waiting_confirmation",
        "facts": {"date": "2026-03-11", "time_range": "10:00-12:00", "room": "A302"},
        "pending": ["projector"],
        "steps": ["searched free rooms"],
        "preference": {},
        "history_summary": "",
        "tasks": [{"task": "book a meeting room", "status": "waiting_confirmation", "result": ""}],
        "topic": "room",
        "subject": {"type": "room", "id": "A302", "description": "by the window"},
    }
    assert InnerState().to_contract()["status"] == "not_started"


def test_a_state_cannot_be_changed_in_place() -> None:
    state = after(*ROOM)
    with pytest.raises(ValidationError):
        state.task = "other"  # type: ignore[misc]
    assert copy.deepcopy(state) == state == pickle.loads(pickle.dumps(state))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": -1}', '{"pending": "x"}', '{"status": "odd"}'])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        InnerState.from_json(text)


def test_a_field_of_a_newer_version_is_left_out() -> None:
    assert InnerState.from_json('{"task": "pay", "mood": "good"}') == InnerState(task="pay")


def test_diff_names_every_change() -> None:
    before = after(*ROOM)
    changed = after(
        FactsStated({"time_range": "14:00-16:00", "people": "4"}),
        FactsDropped(("room",)),
        PendingChanged(done=("projector",)),
        state=before,
    )
    expected = [
        ("facts.time_range", "10:00-12:00", "14:00-16:00"),
        ("facts.room", "A302", None),
        ("facts.people", None, "4"),
        ("pending", ["projector"], []),
    ]
    assert sorted(diff(before, changed)) == sorted(expected)  # type: ignore[type-var]
    assert diff(before.to_contract(), changed.to_contract()) == diff(before, changed)
    assert diff(before, before) == []
    assert ("task", None, "pay") in diff({}, InnerState(task="pay"))
    assert diff(InnerState(), InnerState(subject=Subject(id="x")))[0][0] == "subject"


@given(text=st.text(max_size=400), limit=st.integers(1, 200))
def test_clean_text_is_one_short_line_and_stays_as_it_is(text: str, limit: int) -> None:
    line = clean(text, limit)
    assert len(line) <= limit and "\n" not in line and clean(line, limit) == line
    line.encode("utf-8")


# --- what a language model writes


def test_an_update_becomes_events() -> None:
    events, problems = parse_update(
        {
            "task": "book a table",
            "topic": "restaurant",
            "status": "in_progress",
            "facts": {"people": 4, "time": "19:30", "vegetarian": True, "room": None},
            "pending": ["name"],
            "steps": ["searched tables"],
            "preference": {"seat": "window"},
            "subject": {"type": "restaurant", "id": "Roma"},
            "history_summary": "first line\nsecond line",
        }
    )
    assert problems == []
    state = after(FactsStated({"room": "A302"}, source="tool"), *events)
    assert state.facts == {"people": "4", "time": "19:30", "vegetarian": "true"}
    assert (state.task, state.topic, state.status) == ("book a table", "restaurant", "in_progress")
    assert (state.pending, state.steps, state.preference) == (("name",), ("searched tables",), {"seat": "window"})
    assert state.subject == Subject(type="restaurant", id="Roma")
    assert state.history_summary == "first line\nsecond line"
    assert after(*events, state=state) is state, "a model may say the same again"


def test_pending_can_be_resolved_and_a_task_finished() -> None:
    events, problems = parse_update({"pending": {"done": ["projector"]}, "status": "completed", "result": "T2093"})
    assert after(*ROOM, *events).status == "waiting_confirmation"
    state = after(*ROOM, TaskStatusChanged("in_progress"), *events)
    assert problems == [] and state.pending == ()
    assert state.tasks[0].result == "T2093" and "T2093" in state.history_summary


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ([], "state_update: expected an object, found a list"),
        ("text", "state_update: expected an object, found a string"),
        ({"fact": {}}, "fact: unknown key, ignored"),
        ({1: 2}, "a number: unknown key, ignored"),
        ({"version": 3}, "version: unknown key, ignored"),
        ({"facts": ["date"]}, "facts: expected an object of strings, found a list"),
        ({"facts": {"date": ["2026"]}}, "facts.date: expected a string, found a list"),
        ({"facts": {"x": float("nan")}}, "facts.x: expected a string, found a number"),
        ({"facts": {" ": "x"}}, "facts: an entry without a name, ignored"),
        ({"pending": "projector"}, "pending: expected a list of strings, found a string"),
        ({"pending": {"drop": ["x"]}}, "pending: expected add and done only"),
        ({"pending": {"add": 3}}, "pending.add: expected a list of strings, found a number"),
        ({"steps": [None]}, "steps: expected a list of strings, found null"),
        ({"task": 5}, "task: expected a string, found a number"),
        ({"topic": {}}, "topic: expected a string, found an object"),
        ({"status": "done"}, "status: unknown value 'done', ignored"),
        ({"status": True}, "status: expected a string, found a boolean"),
        ({"result": "x"}, "result: only together with status, ignored"),
        ({"preference": {"seat": None}}, "preference.seat: null cannot take a preference back"),
        ({"subject": "A302"}, "subject: expected an object with type, id and description, found a string"),
        ({"subject": {"id": 3}}, "id: expected a string, found a number"),
        ({"history_summary": []}, "history_summary: expected a string, found a list"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(raw: object, problem: str) -> None:
    events, problems = parse_update(raw)
    assert problems == [problem]
    state = after(*ROOM)
    assert after(*events, state=state) is state


def test_what_is_right_beside_it_still_counts() -> None:
    events, problems = parse_update({"facts": {"date": "2026-03-11", "x": []}, "steps": 5, "topic": "room"})
    assert len(problems) == 2
    state = after(*events)
    assert state.facts == {"date": "2026-03-11"} and state.topic == "room"


def test_a_model_that_runs_away_is_cut_short() -> None:
    events, problems = parse_update({"facts": {f"k{i}": "v" * 9999 for i in range(9999)}, "steps": ["s"] * 9999})
    assert problems == ["facts: 9999 entries, only 16 read", "steps: 9999 entries, only 16 read"]
    check_bounds(after(*events))


@pytest.mark.parametrize("raw", [None, {}, {"facts": {}}, {"facts": None, "task": "", "pending": []}])
def test_nothing_is_no_problem(raw: object) -> None:
    assert parse_update(raw) == ([], [])


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=3)
CONTRACT_KEYS = st.sampled_from(list(InnerState().to_contract()) + ["result"])
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=4)
        | st.dictionaries(CONTRACT_KEYS, inner, max_size=6)
    ),
    max_leaves=12,
)


@given(raw=JUNK | st.dictionaries(CONTRACT_KEYS, JUNK, max_size=10))
def test_no_update_ever_raises_or_breaks_the_state(raw: object) -> None:
    events, problems = parse_update(raw)
    assert all(isinstance(problem, str) and "\n" not in problem and len(problem) < 200 for problem in problems)
    state = after(*ROOM)
    new = after(*events, state=state)
    check_bounds(new)
    if new.task == state.task:
        assert {key: new.facts.get(key) for key in state.facts} == dict(state.facts)
    assert InnerState.from_json(new.to_json()) == new


# --- the dialogues of a meeting room, in both languages


@pytest.mark.parametrize(
    ("task", "step", "pending"),
    [("book a meeting room", "searched free rooms", "projector"), ("预订会议室", "查询空闲会议室", "投影设备")],
)
def test_a_meeting_room_is_booked_interrupted_and_kept(task: str, step: str, pending: str) -> None:
    history = StateHistory()

    def turn(number: int, *events: StateEvent) -> InnerState:
        for event in events:
            history.apply(event, number)
        return history.current

    facts = {"date": "2026-03-11", "time_range": "10:00-12:00"}
    state = turn(1, TaskStarted(task, "room"), FactsStated(facts), StepDone(step))
    assert (state.task, state.facts, state.steps) == (task, facts, (step,))
    room = (FactsStated({"room": "A302"}), SubjectSet("room", "A302"))
    state = turn(2, *room, PendingChanged(add=(pending,)), TaskStatusChanged("waiting_confirmation"))
    assert state.facts == facts | {"room": "A302"} and state.pending == (pending,)
    state = turn(4, FactsStated({"time_range": "14:00-16:00"}), TaskStatusChanged("in_progress"))
    assert state.facts == facts | {"room": "A302", "time_range": "14:00-16:00"}
    state = turn(5, RolledBack())
    assert state.facts == facts | {"room": "A302"} and state.pending == (pending,) and state.subject.id == "A302"


def test_an_order_is_still_known_after_the_topic_changed() -> None:
    state = after(
        TaskStarted("order status", "order"),
        FactsStated({"order": "ORD12345678"}),
        SubjectSet("order", "ORD12345678"),
        TaskStatusChanged("completed", "shipped"),
    )
    assert state.facts == {"order": "ORD12345678"} and state.status == "completed"
    state = after(TaskStarted("calendar", "calendar"), FactsStated({"date": "2026-03-11"}), state=state)
    assert state.facts == {"date": "2026-03-11"} and "ORD12345678" in state.history_summary
    assert state.subject.id == "ORD12345678"


@pytest.mark.parametrize("make", [lambda s: s, lambda s: InnerState.from_json(s.to_json())])
def test_a_follow_up_keeps_the_city(make: Callable[[InnerState], InnerState]) -> None:
    state = after(
        TaskStarted("天气", "weather"),
        FactsStated({"city": "北京", "date": "2026-03-11"}),
        TaskStatusChanged("completed"),
    )
    assert after(FactsStated({"date": "2026-03-12"}), state=make(state)).facts == {"city": "北京", "date": "2026-03-12"}


# --- calls that wait for a yes

PAYMENT = (
    TaskStarted("pay the bill", topic="payment"),
    FactsStated({"amount": "84 EUR"}),
    CallsAwaited((AwaitedCall(tool="pay", arguments={"amount": 84}),)),
    CallsAsked(),
)


def event_is_of_user(event: StateEvent) -> bool:
    return isinstance(event, FactsStated | FactsDropped) and event.source == "user"


def waiting(state: InnerState) -> list[tuple[str, dict[str, object], bool]]:
    return [(call.tool, dict(call.arguments), call.asked) for call in state.bookkeeping.awaiting]


@given(events=st.lists(EVENTS, max_size=40))
def test_no_yes_counts_for_a_call_that_was_not_asked_for_as_it_is(events: list[StateEvent]) -> None:
    """Whatever happens: a call counts as asked only from a question on, for the facts it was asked with."""
    history = StateHistory()
    asked_with: dict[str, str] | None = None
    for event in events:
        before = history.current
        current = history.apply(event)
        if isinstance(event, CallsAsked):
            asked_with = dict(current.facts)
        if isinstance(event, CallsAwaited) or (isinstance(event, RolledBack) and current is not before):
            asked_with = None
        if asked_with is None or dict(current.facts) != dict(before.facts) and event_is_of_user(event):
            assert not any(asked for _, _, asked in waiting(current))


@given(state=STATES, status=STATUSES, text=WORDS)
def test_a_model_moves_nothing_on_that_waits_for_the_user(state: InnerState, status: TaskStatus, text: str) -> None:
    state = after(*PAYMENT, state=state)
    proposed = after(StatusProposed(status, text), state=state)
    assert proposed.status in ("waiting_confirmation", "cancelled", "failed")


def test_a_changed_fact_makes_the_question_stale() -> None:
    state = after(*PAYMENT)
    assert (state.status, waiting(state)) == ("waiting_confirmation", [("pay", {"amount": 84}, True)])
    changed = after(FactsStated({"amount": "90 EUR"}), state=state)
    assert waiting(changed) == [("pay", {"amount": 84}, False)]
    assert changed.bookkeeping.awaiting[0].stale and changed.bookkeeping.awaiting[0].facts == {"amount": "84 EUR"}
    assert waiting(after(CallsAsked(), state=changed)) == [("pay", {"amount": 84}, False)]
    same = after(FactsStated({"amount": "84 EUR"}), FactsStated({"receipt": "R1"}, source="tool"), state=state)
    assert waiting(same) == [("pay", {"amount": 84}, True)]


def test_another_task_takes_the_waiting_call_along_and_back_without_its_yes() -> None:
    other = after(*PAYMENT, TaskStarted("check the weather", topic="weather"))
    assert waiting(other) == [] and other.status == "in_progress"
    back = after(TaskStarted("pay the bill", topic="payment"), state=other)
    assert (back.status, waiting(back)) == ("waiting_confirmation", [("pay", {"amount": 84}, False)])


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_task_that_is_over_waits_for_nothing(status: TaskStatus) -> None:
    assert waiting(after(*PAYMENT, TaskStatusChanged(status))) == []


def test_a_rollback_brings_no_call_back_that_has_run() -> None:
    history = replay(*PAYMENT, CallsSettled(), TaskStatusChanged("completed", "paid"))
    for version in range(1, history.current.version):
        again = StateHistory(history.versions)
        state = again.apply(RolledBack(version))
        assert waiting(state) == []
    changed = replay(*PAYMENT, FactsStated({"amount": "90 EUR"}))
    state = changed.apply(RolledBack())
    assert waiting(state) == [("pay", {"amount": 84}, False)]


def test_a_late_result_goes_to_the_task_it_was_for() -> None:
    state = after(*PAYMENT, TaskStarted("check the weather", topic="weather"))
    state = after(TaskStatusChanged("completed", "receipt R17", "pay the bill"), state=state)
    assert (state.task, state.status) == ("check the weather", "in_progress")
    assert TaskRecord(task="pay the bill", status="completed", result="receipt R17") in state.tasks
    assert not any(entry.task == "pay the bill" for entry in state.bookkeeping.shelved)
    assert "R17" in state.history_summary


def test_a_returning_user_is_asked_again() -> None:
    state = carry_over(after(*PAYMENT))
    assert waiting(state) == []
    assert waiting(after(TaskStarted("pay the bill"), state=state)) == [("pay", {"amount": 84}, False)]
