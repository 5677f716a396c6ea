"""What holds of the reducer for any state and event: nothing known is lost, the user's word stands, back is back."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from memory.inner_state import (
    MAX_FACTS,
    MAX_PENDING,
    MAX_SUMMARY_CHARS,
    InnerState,
    StateHistory,
    parse_update,
    reduce,
)
from memory.state_events import (
    FactsStated,
    PendingChanged,
    PreferenceStated,
    RolledBack,
    StateEvent,
    TaskStarted,
    TaskStatusChanged,
)
from memory.state_model import FINISHED
from tests.memory.test_inner_state import EVENTS, STATES, after

NAMES = st.from_regex(r"[a-z]{2,8}", fullmatch=True)
VALUES = st.from_regex(r"[A-Za-z0-9:-]{1,12}", fullmatch=True)
FACTS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=8)


def known(state: InnerState) -> str:
    """Everything a state can still tell."""
    return state.to_json()


@given(first=FACTS, second=FACTS)
def test_a_fact_that_no_longer_fits_is_in_the_summary(first: dict[str, str], second: dict[str, str]) -> None:
    state = after(TaskStarted("book a room", "room"), FactsStated(first), FactsStated(second))
    assert len(state.facts) <= MAX_FACTS
    for key, value in (first | second).items():
        assert state.facts.get(key) == value or f"{key}: {value}" in state.history_summary


@given(said=FACTS, noted=st.dictionaries(NAMES, VALUES, min_size=1, max_size=12))
def test_what_the_user_said_stays_before_what_others_noted(said: dict[str, str], noted: dict[str, str]) -> None:
    state = after(TaskStarted("book a room"), FactsStated(said), FactsStated(noted, source="model"))
    assert {key: state.facts.get(key) for key in said} == said


@given(points=st.lists(NAMES, min_size=1, max_size=12, unique=True))
def test_an_open_point_that_no_longer_fits_is_in_the_summary(points: list[str]) -> None:
    state = after(TaskStarted("book a room"), PendingChanged(add=tuple(points)))
    assert len(state.pending) <= MAX_PENDING
    assert all(point in state.pending or point in state.history_summary for point in points)


@given(facts=FACTS, likes=FACTS, status=st.sampled_from(sorted(FINISHED)), following=st.booleans())
def test_a_task_that_ends_or_is_replaced_is_summed_up_and_preferences_stay(
    facts: dict[str, str], likes: dict[str, str], status: str, following: bool
) -> None:
    events: list[StateEvent] = [TaskStarted("book a room", "room"), FactsStated(facts), PreferenceStated(likes)]
    events.append(TaskStarted("check the weather", "weather") if following else TaskStatusChanged(status))  # type: ignore[arg-type]
    state = after(*events)
    assert state.preference == likes
    assert all(f"{key}: {value}" in state.history_summary for key, value in facts.items())
    assert not following or not state.facts


@given(state=STATES, facts=FACTS, update=st.dictionaries(NAMES, VALUES | st.none(), max_size=8))
def test_no_update_of_a_model_changes_what_the_user_said(
    state: InnerState, facts: dict[str, str], update: dict[str, str | None]
) -> None:
    assume(len(facts) <= MAX_FACTS)
    state = after(TaskStarted("book a room"), FactsStated(facts), state=state)
    stated = {key: state.facts[key] for key in state.bookkeeping.user_facts}
    events, _ = parse_update({"facts": update})
    for event in events:
        state = reduce(state, event)
    assert {key: state.facts.get(key) for key in stated} == stated


@given(values=st.lists(VALUES, min_size=1, max_size=6), key=NAMES)
def test_the_last_of_several_updates_wins(values: list[str], key: str) -> None:
    state = after(TaskStarted("book a room"))
    for value in values:
        for event in parse_update({"facts": {key: value}})[0]:
            state = reduce(state, event)
    assert state.facts == {key: values[-1]}


@given(before=st.lists(EVENTS, max_size=12), facts=FACTS, changed=FACTS)
def test_taking_the_last_change_back_gives_the_facts_as_they_were(
    before: list[StateEvent], facts: dict[str, str], changed: dict[str, str]
) -> None:
    history = StateHistory()
    for event in [*before, TaskStarted("book a room", "room"), FactsStated(facts)]:
        history.apply(event, 1)
    old = history.current
    history.apply(FactsStated(changed), 2)
    assume(history.current.facts != old.facts)
    history.apply(PendingChanged(add=("coffee",)), 2)
    back = history.apply(RolledBack(), 3)
    for field in ("task", "facts", "pending", "steps", "preference", "history_summary", "topic", "subject", "tasks"):
        assert getattr(back, field) == getattr(old, field), field
    assert back.status == old.status
    assert back.version > old.version


@given(before=st.lists(EVENTS, min_size=1, max_size=12), later=st.lists(EVENTS, max_size=12))
def test_any_version_can_be_read_and_gone_back_to(before: list[StateEvent], later: list[StateEvent]) -> None:
    history = StateHistory()
    for event in before:
        history.apply(event)
    old = history.current
    for event in later:
        history.apply(event)
    assert history.version(old.version) == old
    back = history.apply(RolledBack(old.version))
    assert (back.task, back.facts, back.pending, back.preference) == (old.task, old.facts, old.pending, old.preference)


@given(state=STATES, facts=st.lists(FACTS, min_size=1, max_size=10))
def test_the_summary_stays_bounded_and_keeps_the_newest(state: InnerState, facts: list[dict[str, str]]) -> None:
    for number, said in enumerate(facts):
        state = after(TaskStarted(f"task {number}", f"topic {number}"), FactsStated(said), state=state)
    state = after(TaskStatusChanged("completed", "done"), state=state)
    assert len(state.history_summary) <= MAX_SUMMARY_CHARS
    assert state.history_summary.split("\n")[-1].startswith(f"task {len(facts) - 1} [completed]")
