"""A second try for the update: what becomes of it, and when it is given up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.inner_state import InnerState, reduce
from memory.state_events import FactsStated, StateEvent
from processors.turn_tracker import TurnTracker
from processors.update_retry import MAX_FAILURES, UpdateRetry, read_update

GOOD = json.dumps({"state_update": {"facts": {"people": "4"}}})
UPDATE = {"facts": {"people": "4"}}


class Memory:
    """A state that can change."""

    def __init__(self) -> None:
        self.state = InnerState()

    def apply(self, events: list[StateEvent], *, turn_id: int) -> None:
        for event in events:
            self.state = reduce(self.state, event)


class Model:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.answer: asyncio.Future[str] | None = None

    def ask_update(self, answer: str, language: str) -> Callable[[], Awaitable[str]]:
        self.asked.append((answer, language))
        self.answer = asyncio.get_running_loop().create_future()
        answered = self.answer

        async def ask() -> str:
            return await answered

        return ask


class Scene:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.memory, self.model = Memory(), Model()
        self.tracker = TurnTracker(session_id="s", user_id="u", language="en", wall_time=float)
        self.tracker.on_event.append(self.events.append)
        self.retry = UpdateRetry(lambda: 1.0, self.tracker, self.memory, self.model)  # type: ignore[arg-type]

    def answered(self, text: str = '{"reply": "Sure."', sound: bool = False) -> None:
        """The user spoke, the model answered, badly."""
        turn = self.tracker.turn_ended(0.0, "Find a room.")
        self.tracker.model_asked(0.0, "fake")
        self.tracker.model_text(0.1, text, reply="Sure.")
        self.tracker.reply_written()
        self.retry.answered(turn, sound)

    def heard(self) -> None:
        self.tracker.reply_arrived(0.2)
        self.tracker.audible(0.3)
        self.tracker.word_played(0.5, "Sure.")
        self.tracker.reply_ended(0.6)

    async def second_answer(self, text: str) -> None:
        assert self.model.answer is not None
        self.model.answer.set_result(text)
        await settle()

    @property
    def outcomes(self) -> list[str]:
        return [event["outcome"] for event in self.events if event["kind"] == "update_retry"]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_an_update_that_comes_while_the_reply_is_spoken_is_the_turns_proposal() -> None:
    scene = Scene()
    scene.answered()
    await scene.second_answer(GOOD)
    assert scene.tracker.turn is not None and scene.tracker.turn.proposed_update == UPDATE
    assert scene.outcomes == ["proposed"]
    assert scene.memory.state.version == 0
    assert scene.model.asked == [('{"reply": "Sure."', "en")]


async def test_an_update_that_comes_behind_the_reply_changes_the_state_it_was_made_for() -> None:
    scene = Scene()
    scene.answered()
    scene.heard()
    await scene.second_answer(GOOD)
    assert dict(scene.memory.state.facts) == {"people": "4"}
    assert scene.outcomes == ["applied"]


async def test_a_state_that_has_changed_since_is_left_alone() -> None:
    scene = Scene()
    scene.answered()
    scene.heard()
    scene.memory.apply([FactsStated({"people": "6"})], turn_id=2)
    await scene.second_answer(GOOD)
    assert dict(scene.memory.state.facts) == {"people": "6"}
    assert scene.outcomes == ["dropped"]


async def test_nothing_comes_of_a_reply_that_was_cut_or_dropped() -> None:
    cut = Scene()
    cut.answered()
    await settle()
    cut.tracker.reply_arrived(0.2)
    cut.tracker.audible(0.3)
    cut.tracker.barged_in(0.4)
    dropped = Scene()
    dropped.answered()
    await settle()
    dropped.tracker.barged_in(0.2)
    dropped.tracker.turn_ended(0.5, "For tomorrow.")
    dropped.tracker.model_asked(0.6, "fake")
    for scene in (cut, dropped):
        await settle()
        assert scene.model.answer is not None and scene.model.answer.cancelled()
        assert scene.outcomes == ["dropped"]
        assert scene.memory.state.version == 0


async def test_the_next_request_is_not_kept_waiting() -> None:
    scene = Scene()
    scene.answered()
    scene.heard()
    await settle()
    scene.tracker.turn_ended(2.0, "Four.")
    scene.tracker.model_asked(2.0, "fake")
    await settle()
    assert scene.model.answer is not None and scene.model.answer.cancelled()
    assert scene.outcomes == ["dropped"]


@pytest.mark.parametrize("second", ["", "no", "[1]", '{"reply": "x"}', '{"state_update": {"facts": 3}}', "{", "null"])
async def test_one_try_and_after_some_failures_none(second: str) -> None:
    scene = Scene()
    for number in range(MAX_FAILURES + 2):
        scene.answered()
        if number < MAX_FAILURES:
            await scene.second_answer(second)
        scene.heard()
    await settle()
    assert len(scene.model.asked) == MAX_FAILURES
    assert scene.outcomes == ["failed"] * MAX_FAILURES
    assert scene.memory.state.version == 0


async def test_a_sound_answer_is_not_asked_for_again_and_wins_trust_back() -> None:
    scene = Scene()
    for _ in range(MAX_FAILURES - 1):
        scene.answered()
        await scene.second_answer("no")
        scene.heard()
    scene.answered(sound=True)
    scene.heard()
    assert len(scene.model.asked) == MAX_FAILURES - 1
    for _ in range(MAX_FAILURES):
        scene.answered()
        await scene.second_answer("no")
        scene.heard()
    assert len(scene.model.asked) == 2 * MAX_FAILURES - 1


async def test_a_fault_of_the_server_is_no_fault_of_the_turn() -> None:
    scene = Scene()
    scene.answered()
    assert scene.model.answer is not None
    scene.model.answer.set_exception(OSError("gone"))
    await settle()
    scene.heard()
    assert scene.outcomes == ["failed"]
    await scene.retry.close()


async def test_the_end_waits_a_moment_and_leaves_no_task() -> None:
    scene = Scene()
    scene.answered()
    scene.heard()
    asyncio.get_running_loop().call_later(0.01, scene.model.answer.set_result, GOOD)  # type: ignore[union-attr]
    await scene.retry.close()
    assert scene.outcomes == ["applied"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_model_that_cannot_be_asked_is_not() -> None:
    scene = Scene()
    retry = UpdateRetry(lambda: 1.0, scene.tracker, scene.memory, None)  # type: ignore[arg-type]
    retry.answered(SimpleNamespace(llm_response="x", language="en"), False)  # type: ignore[arg-type]
    await retry.close()
    assert scene.outcomes == []


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        json.dumps(UPDATE),
        f"```json\n{GOOD}\n```",
        f"Here it is: {GOOD} Anything else?",
        f"{GOOD}{GOOD}",
        '{"reply": "Sure.", "state_update": {"facts": {"people": "4"}}}',
    ],
)
def test_an_update_is_found(text: str) -> None:
    assert read_update(text) == UPDATE


@pytest.mark.parametrize(
    "text",
    ["", "{", "none", GOOD[:-1], '{"reply": "x"}', '{"state_update": null}', "[]", '{"facts": NaN}', "{" * 100_000],
)
def test_what_is_no_update_is_none(text: str) -> None:
    assert read_update(text) is None


@given(st.text(alphabet='{}[]":, abfactsstate_update\\n0', max_size=60))
def test_reading_never_raises(text: str) -> None:
    assert read_update(text) is None or isinstance(read_update(text), dict)
