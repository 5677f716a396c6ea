"""The ladder: which tier a turn reaches, why, and what it cost. Time is virtual or stands in the test's hand."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import pytest

from memory import recall as ladder
from memory.calibration import Calibration
from memory.index.user_index import UserIndex
from memory.nouns import RecallReason, RecallResult
from memory.recall import Recaller
from memory.search import Limits, Scope
from memory.speculation import PARTIAL_PAUSE_S, WorkClock
from pipeline.virtual_time import run
from tests.memory.fakes import WordEmbedder, said

T = TypeVar("T")

STORY = ("My dog is called Bruno.", "I always sit by the window.", "My brother marries in Rome.", "Paris was loud.")
QUESTION = "What is my dog called?"
ANSWER = "My dog is called Bruno."
SCOPE = Scope("now", 1)


@dataclass
class Room:
    """A recaller, its parts, and how slow its embedder is on the loop's clock."""

    recaller: Recaller
    embedder: WordEmbedder
    index: UserIndex

    async def recall(self, text: str = QUESTION) -> RecallResult:
        return await self.recaller.recall(text, SCOPE)


class SlowExecutor(ThreadPoolExecutor):
    """Work takes a set time on the loop's clock, in order; it is done by the loop, so time is exact."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(1)
        self.loop = loop
        self.seconds = 0.0
        self.free_at = 0.0


def furnish(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    *,
    seconds: float = 0.0,
    deadline_ms: float = 134,
    story: tuple[str, ...] = STORY,
) -> Room:
    """A room in which every query embedding takes ``seconds`` of virtual time, one after the other."""
    embedder = WordEmbedder()
    index = UserIndex(embedder.dim)
    for text in story:
        index.add(said(text))
        index.put_vector(text, embedder.embed_passages([text])[0])
    executor = SlowExecutor(loop)
    executor.seconds = seconds

    def slowly(pool: SlowExecutor, work: Callable[..., T], *args: object) -> asyncio.Future[T]:
        future: asyncio.Future[T] = loop.create_future()
        start = max(loop.time(), pool.free_at)
        pool.free_at = start + pool.seconds

        def finish() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(work(*args))
            except Exception as error:
                future.set_exception(error)

        loop.call_at(pool.free_at, finish)
        return future

    monkeypatch.setattr(loop, "run_in_executor", slowly)
    recaller = Recaller(
        index,
        embedder.embed_query,
        Calibration.measure(embedder),
        executor,
        deadline_ms=deadline_ms,
        limits=Limits(5, 430),
    )
    embedder.queries.clear()
    return Room(recaller, embedder, index)


@pytest.fixture
def virtually(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run a scene in a furnished room on virtual time."""

    def play(scene: Callable[[Room], Awaitable[None]], **options: object) -> None:
        async def main() -> None:
            await scene(furnish(asyncio.get_running_loop(), monkeypatch, **options))  # type: ignore[arg-type]

        run(main(), virtual=True)

    return play


def summary(result: RecallResult) -> tuple[int, RecallReason, float]:
    return result.tier, result.reason, result.ms


def test_words_that_were_embedded_while_spoken_cost_nothing_more(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.partial("What is my")
        await asyncio.sleep(0.3)
        room.recaller.partial(QUESTION)
        await asyncio.sleep(0.3)
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.2)
        result = await room.recall()
        assert summary(result) == (2, RecallReason.COMPLETE, 0)
        assert result.items[0].text == ANSWER
        assert room.embedder.queries == ["What is my", QUESTION]

    virtually(scene, seconds=0.04)


def test_the_tail_pays_for_its_embedding_and_not_for_the_wait(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.5)
        assert summary(await room.recall()) == (2, RecallReason.COMPLETE, pytest.approx(40, abs=0.1))

    virtually(scene, seconds=0.04)


def test_a_call_during_the_embedding_waits_for_it(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.05)
        started = asyncio.get_running_loop().time()
        assert summary(await room.recall()) == (2, RecallReason.COMPLETE, pytest.approx(90, abs=0.1))
        assert asyncio.get_running_loop().time() - started == pytest.approx(0.04)

    virtually(scene, seconds=0.09)


def test_changed_words_are_embedded_anew_if_time_is_left(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("What is my dog")
        await asyncio.sleep(0.05)
        assert summary(await room.recall()) == (3, RecallReason.COMPLETE, pytest.approx(60, abs=0.1))
        assert room.embedder.queries == ["What is my dog", QUESTION]

    virtually(scene, seconds=0.03)


def test_the_final_transcript_before_the_turns_end_makes_it_free(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("What is my dog")
        await asyncio.sleep(0.15)
        room.recaller.partial(QUESTION)
        await asyncio.sleep(0.1)
        started = asyncio.get_running_loop().time()
        assert summary(await room.recall()) == (2, RecallReason.COMPLETE, pytest.approx(60, abs=0.1))
        assert asyncio.get_running_loop().time() == started

    virtually(scene, seconds=0.03)


def test_case_and_punctuation_change_no_words(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("what is my dog called")
        await asyncio.sleep(0.3)
        assert summary(await room.recall())[:2] == (2, RecallReason.COMPLETE)
        assert len(room.embedder.queries) == 1

    virtually(scene, seconds=0.03)


def test_long_after_the_tail_new_work_gets_a_short_grace_only(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("my dog")
        await asyncio.sleep(0.5)
        started = asyncio.get_running_loop().time()
        result = await room.recall()
        assert asyncio.get_running_loop().time() - started == pytest.approx(ladder.GRACE_S)
        assert summary(result) == (2, RecallReason.DEADLINE, pytest.approx(50 + 30, abs=0.1))
        assert result.items[0].text == ANSWER

    virtually(scene, seconds=0.05)


def test_without_a_tail_the_budget_starts_with_the_call(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        assert summary(await room.recall()) == (3, RecallReason.COMPLETE, pytest.approx(100, abs=0.1))

    virtually(scene, seconds=0.1)


def test_every_turn_of_a_text_conversation_has_its_own_budget(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        for text in (QUESTION, "Where do I sit?", "Who marries in Rome?"):
            assert summary(await room.recall(text)) == (3, RecallReason.COMPLETE, pytest.approx(100, abs=0.1))
            await asyncio.sleep(2)

    virtually(scene, seconds=0.1)


@pytest.mark.parametrize("deadline_ms", [5, 50, 134, 1000])
def test_an_embedder_that_is_too_slow_leaves_the_words(virtually: Callable[..., None], deadline_ms: float) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail(QUESTION)
        started = asyncio.get_running_loop().time()
        result = await room.recall()
        assert result.items[0].text == ANSWER
        assert (result.tier, result.reason) == (1, RecallReason.DEADLINE)
        assert result.ms <= deadline_ms
        assert asyncio.get_running_loop().time() - started <= deadline_ms / 1000

    virtually(scene, seconds=5.0, deadline_ms=deadline_ms)


def test_an_embedding_that_cost_too_much_is_not_used_though_it_is_there(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.partial("my dog")
        await asyncio.sleep(0.5)
        room.recaller.tail(QUESTION)
        await asyncio.sleep(1)
        result = await room.recall()
        assert (result.tier, result.reason) == (2, RecallReason.DEADLINE)
        assert result.items[0].text == ANSWER
        assert len(room.embedder.queries) == 2
        assert result.ms <= 134

    virtually(scene, seconds=0.2)


def test_a_late_result_does_not_reach_the_next_turn(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("Paris was loud")
        assert (await room.recall("Paris was loud")).tier == 1
        # The vector of Paris arrives now, while the next turn waits for its own.
        room.recaller.tail("No, Rome")
        result = await room.recall("No, Rome")
        assert (result.tier, result.reason) == (1, RecallReason.DEADLINE)
        assert result.items[0].text == "My brother marries in Rome."

    virtually(scene, seconds=0.15)


def test_speech_that_goes_on_starts_the_budget_anew(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.recaller.tail("my dog")
        await asyncio.sleep(0.05)
        room.recaller.partial("my dog is")
        await asyncio.sleep(0.3)
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.3)
        assert summary(await room.recall()) == (2, RecallReason.COMPLETE, pytest.approx(60, abs=0.1))

    virtually(scene, seconds=0.06)


def test_partials_are_debounced_and_the_newest_wins(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        for count in range(1, 6):
            room.recaller.partial("my dog Bruno likes fish"[: 4 * count])
            await asyncio.sleep(PARTIAL_PAUSE_S / 10)
        room.recaller.partial("my dog Bruno likes fish")
        await asyncio.sleep(0.3)
        assert room.embedder.queries == ["my dog Bruno likes fish"]
        for _ in range(10):
            room.recaller.partial("My dog, Bruno, likes fish!")
            await asyncio.sleep(0.2)
        assert len(room.embedder.queries) == 1

    virtually(scene, seconds=0.03)


def test_while_one_is_embedded_only_the_newest_waits(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        for text in ("my dog", "my dog Bruno", "my dog Bruno likes", "my dog Bruno likes fish"):
            room.recaller.partial(text)
            await asyncio.sleep(0.2)
        await asyncio.sleep(2)
        assert room.embedder.queries == ["my dog", "my dog Bruno likes fish"]

    virtually(scene, seconds=0.55)


@pytest.mark.parametrize("text", ["", "...", "好的。", "Good morning!"])
def test_nothing_to_search_for_embeds_nothing(virtually: Callable[..., None], text: str) -> None:
    async def scene(room: Room) -> None:
        result = await room.recall(text)
        assert (result.items, result.reason, result.tokens) == ((), RecallReason.BELOW_FLOOR, 0)
        assert room.embedder.queries == []

    virtually(scene)


def test_an_empty_memory_says_so_at_once(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        assert summary(await room.recall()) == (1, RecallReason.EMPTY, 0)
        assert room.embedder.queries == []

    virtually(scene, seconds=1, story=())


def test_what_fits_nothing_is_below_the_floor(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        result = await room.recall("quantum chromodynamics")
        assert (result.items, result.tier, result.reason) == ((), 3, RecallReason.BELOW_FLOOR)

    virtually(scene)


def test_a_broken_embedder_leaves_the_words_and_says_error(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        room.embedder.fail = RuntimeError("out of memory")
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.5)
        result = await room.recall()
        assert (result.tier, result.reason) == (1, RecallReason.ERROR)
        assert result.items[0].text == ANSWER
        room.embedder.fail = None
        room.recaller.tail(QUESTION)
        await asyncio.sleep(0.5)
        assert (await room.recall()).reason is RecallReason.COMPLETE

    virtually(scene, seconds=0.01)


def test_a_broken_ranking_by_meaning_leaves_the_words(
    virtually: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(room: Room) -> None:
        monkeypatch.setattr(room.index.dense, "score", lambda query: 1 / 0)
        result = await room.recall()
        assert (result.tier, result.reason) == (1, RecallReason.ERROR)
        assert result.items[0].text == ANSWER

    virtually(scene)


def test_a_broken_index_leaves_the_state_alone(virtually: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(room: Room) -> None:
        monkeypatch.setattr(room.index.lexical, "score", lambda terms: 1 / 0)
        result = await room.recall()
        assert (result.items, result.tier, result.reason) == ((), 0, RecallReason.ERROR)

    virtually(scene)


def test_the_same_question_again_is_free(virtually: Callable[..., None]) -> None:
    async def scene(room: Room) -> None:
        first = await room.recall()
        again = await room.recall()
        assert again.items == first.items
        assert len(room.embedder.queries) == 1

    virtually(scene, seconds=0.03)


def test_two_runs_recall_the_same(virtually: Callable[..., None]) -> None:
    results: list[RecallResult] = []

    async def scene(room: Room) -> None:
        room.recaller.partial("my dog")
        await asyncio.sleep(0.3)
        room.recaller.tail("my dog or the window")
        results.append(await room.recall("my dog or the window or Rome"))

    virtually(scene, seconds=0.03)
    virtually(scene, seconds=0.03)
    assert results[0] == results[1]


@pytest.fixture
async def real_threads() -> AsyncIterator[Room]:
    """A room on wall-clock time with a thread that can be made to hang."""
    embedder = WordEmbedder()
    index = UserIndex(embedder.dim)
    for text in STORY:
        index.add(said(text))
        index.put_vector(text, embedder.embed_passages([text])[0])
    calibration = Calibration.measure(embedder)
    with ThreadPoolExecutor(1) as executor:
        yield Room(
            Recaller(index, embedder.embed_query, calibration, executor, deadline_ms=134, limits=Limits(5, 430)),
            embedder,
            index,
        )
        if embedder.gate is not None:
            embedder.gate.set()


async def test_a_hanging_embedder_never_holds_up_a_turn(real_threads: Room) -> None:
    real_threads.embedder.gate = threading.Event()
    for text in (QUESTION, "Where do I sit by the window?"):
        real_threads.recaller.tail(text)
        result = await asyncio.wait_for(real_threads.recaller.recall(text, SCOPE), 30)
        assert (result.tier, result.reason) == (1, RecallReason.DEADLINE)
        assert result.items


def test_virtual_time_waits_for_real_threads() -> None:
    async def main() -> RecallResult:
        embedder = WordEmbedder()
        calibration = Calibration.measure(embedder)
        index = UserIndex(embedder.dim)
        index.add(said(ANSWER))
        index.put_vector(ANSWER, embedder.embed_passages([ANSWER])[0])
        # Slower than the deadline, on the wall's clock.
        embedder.before_query = lambda text: time.sleep(0.3)
        with ThreadPoolExecutor(1) as executor:
            recaller = Recaller(
                index, embedder.embed_query, calibration, executor, deadline_ms=134, limits=Limits(5, 430)
            )
            return await recaller.recall(QUESTION, SCOPE)

    assert summary(run(main(), virtual=True)) == (3, RecallReason.COMPLETE, 0)


def test_the_work_clock_counts_work_only() -> None:
    clock = WorkClock()
    clock.start(1.0)
    clock.mark(2.0)
    assert clock.spent(2.5) == 0.5
    clock.stop(3.0)
    assert clock.spent(9.0) == 1.0
    clock.start(10.0)
    clock.start(10.5)
    assert clock.spent(11.0) == 2.0
    clock.mark(11.0)
    assert clock.spent(11.0) == 0.0
