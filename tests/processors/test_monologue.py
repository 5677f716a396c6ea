"""The processor behind the language model: what leaves it, in which order, and what the tracker is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.tests.utils import SleepFrame, run_test

from memory.inner_state import InnerState
from memory.state_events import StateEvent
from processors.frames import ReplyWrittenFrame, SpeechFailedFrame
from processors.monologue import Monologue, apply_proposal
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker

START, END = LLMFullResponseStartFrame, LLMFullResponseEndFrame
ANSWER = json.dumps({"reply": "Room four.", "state_update": {"task": "find a room"}})


def asked_tracker() -> TurnTracker:
    tracker = TurnTracker(session_id="s", user_id="u", language="en", wall_time=lambda at: at)
    tracker.turn_ended(1.0, "Which room?")
    tracker.model_asked(1.1, "model")
    return tracker


async def through(
    tracker: TurnTracker, frames: list[Frame], reply_format: str = "json", direction: Any = FrameDirection.DOWNSTREAM
) -> list[Frame]:
    monologue = Monologue(
        lambda: 2.0, tracker, reply_format=reply_format, apology=lambda language: f"Sorry ({language})."
    )
    down, up = await run_test(monologue, frames_to_send=frames, frames_to_send_direction=direction)
    return [*down, *up]


def texts(frames: list[Frame]) -> list[str]:
    return [frame.text for frame in frames if isinstance(frame, LLMTextFrame)]


async def test_only_the_reply_leaves_and_the_tracker_hears_all_of_it() -> None:
    tracker = asked_tracker()
    frames = await through(tracker, [START(), *map(LLMTextFrame, ANSWER), END()])
    assert [type(frame) for frame in frames] == [START, *[LLMTextFrame] * len("Room four."), ReplyWrittenFrame, END]
    assert "".join(texts(frames)) == "Room four."
    turn = tracker.finish(3.0)
    assert turn is not None
    assert turn.llm_response == ANSWER
    assert turn.proposed_update == {"task": "find a room"}


async def test_a_plain_answer_passes_as_it_is() -> None:
    tracker = asked_tracker()
    sent = [START(), LLMTextFrame(ANSWER), LLMTextFrame(" "), END()]
    assert await through(tracker, sent, "plain") == sent
    assert tracker.turn is not None
    assert tracker.turn.llm_response == f"{ANSWER} "
    assert tracker.turn.proposed_update is None


async def test_a_frame_keeps_what_it_carries() -> None:
    piece = LLMTextFrame(ANSWER)
    piece.skip_tts = True
    piece.append_to_context = False
    piece.metadata["key"] = "value"
    end = END()
    end.skip_tts = True
    frames = await through(asked_tracker(), [START(), piece, END(), START(), LLMTextFrame("Plain."), end])
    first, second = [frame for frame in frames if isinstance(frame, LLMTextFrame)]
    assert (first.text, first.skip_tts, first.append_to_context) == ("Room four.", True, False)
    assert first.metadata["key"] == "value"
    assert first.includes_inter_frame_spaces
    assert (second.text, second.skip_tts) == ("Plain.", True)


async def test_other_frames_pass_in_their_place() -> None:
    frames = await through(
        asked_tracker(),
        [START(), LLMTextFrame('{"reply": "One'), TTSSpeakFrame("Two"), LLMTextFrame(' three."}'), END()],
    )
    said = [frame.text for frame in frames if isinstance(frame, LLMTextFrame | TTSSpeakFrame)]
    assert said == ["One", "Two", " three."]


async def test_upstream_text_is_left_alone() -> None:
    (frame,) = await through(asked_tracker(), [LLMTextFrame(ANSWER)], direction=FrameDirection.UPSTREAM)
    assert frame.text == ANSWER


async def test_an_interruption_forgets_the_answer() -> None:
    tracker = asked_tracker()
    frames = await through(
        tracker, [START(), LLMTextFrame('{"reply": "One'), InterruptionFrame(), START(), LLMTextFrame(ANSWER), END()]
    )
    assert texts(frames) == ["One", "Room four."]
    assert not any(isinstance(frame, SpeechFailedFrame) for frame in frames)


async def test_the_end_of_a_dropped_answer_says_nothing() -> None:
    tracker = asked_tracker()
    tracker.barged_in(1.5)
    frames = await through(tracker, [START(), LLMTextFrame('{"state_upd'), END()])
    assert [type(frame) for frame in frames] == [START, END]


async def test_an_answer_without_words_is_apologised_for_in_the_language_of_the_turn() -> None:
    tracker = asked_tracker()
    assert tracker.turn is not None
    tracker.turn.language = "zh"
    frames = await through(tracker, [START(), LLMTextFrame('{"state_update": {"task": "x"}}'), END()])
    assert texts(frames) == ["Sorry (zh)."]
    (failure,) = [frame for frame in frames if isinstance(frame, SpeechFailedFrame)]
    assert (failure.part, failure.reason, failure.detail) == ("llm", "malformed", "reply: missing")
    assert tracker.turn.proposed_update is None


async def test_a_fault_that_was_reported_is_not_reported_again() -> None:
    failed = SpeechFailedFrame(part="llm", reason="truncated", detail="it ended half-way")
    # System frames overtake others on their way in.
    pause = SleepFrame(sleep=0.05)
    sent = [START(), pause, failed, pause, LLMTextFrame("Sorry, that took too long."), END()]
    frames = await through(asked_tracker(), sent)
    assert [frame for frame in frames if isinstance(frame, SpeechFailedFrame)] == [failed]
    assert texts(frames) == ["Sorry, that took too long."]


async def test_an_answer_that_only_calls_tools_needs_no_words() -> None:
    frames = await through(asked_tracker(), [START(), END()])
    assert [type(frame) for frame in frames] == [START, END]


class States:
    """Takes note of the events it is given."""

    def __init__(self) -> None:
        self.applied: list[tuple[int, int]] = []

    def apply(self, events: list[StateEvent], *, turn_id: int) -> InnerState:
        self.applied.append((len(events), turn_id))
        return InnerState()


def closed_turn(update: Any, **values: Any) -> TurnRecord:
    turn = TurnRecord("s", 7, "u", 0.0, "en", heard_text="All right.", proposed_update=update)
    for name, value in values.items():
        setattr(turn, name, value)
    return turn


@pytest.mark.parametrize(
    ("turn", "applied"),
    [
        (closed_turn({"task": "x"}), [(1, 7)]),
        (closed_turn({"task": "x", "facts": {"a": "b"}}), [(2, 7)]),
        (closed_turn({"task": "x", "facts": "b"}), []),
        (closed_turn({"task": "x"}, interrupted=True), []),
        (closed_turn({"task": "x", "facts": {"n": "Lee"}}, interrupted=True, user_text="I am Lee."), [(1, 7)]),
        (closed_turn({"facts": {"n": "Lee"}}, interrupted=True, user_text="I am Lee.", heard_text=""), [(1, 7)]),
        (closed_turn({"task": "x"}, heard_text=""), []),
        (closed_turn(None), []),
    ],
)
def test_a_proposal_counts_if_the_reply_was_heard_and_the_update_is_sound(turn: TurnRecord, applied: Any) -> None:
    states = States()
    apply_proposal(turn, states)
    assert states.applied == applied


def test_what_is_wrong_with_an_update_is_in_the_record() -> None:
    turn = closed_turn({"mood": "glad", "task": "x"})
    states = States()
    apply_proposal(turn, states)
    assert states.applied == [(1, 7)]
    assert turn.failures == [
        {"part": "llm", "reason": "malformed", "detail": "state_update: mood: unknown key, ignored"}
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=20), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["task", "facts", "pending", "status", "subject", "preference", "steps", "topic"]) | st.text(
    max_size=9
)


@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_no_update_is_too_strange(update: dict[str, Any]) -> None:
    apply_proposal(closed_turn(update), States())
