"""Inner states are saved in order, and merged when somebody else saved in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from loguru import logger

from memory.inner_state import StateHistory
from memory.privacy import KeyRing
from memory.sessions.base import SessionStore, SessionWriteError
from memory.sessions.redis import RedisSessionStore
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PreferenceStated, RolledBack, StateEvent, TaskStarted
from memory.state_keeper import StateKeeper
from memory.write_queue import WriteQueue
from tests.fakes.redis_server import RedisServer


@dataclass
class Desk:
    store: SessionStore
    writes: WriteQueue

    def keeper(self) -> StateKeeper:
        loaded = self.store.load("anna", "s1")
        return StateKeeper(
            self.store,
            self.writes,
            user_id="anna",
            session_id="s1",
            history=StateHistory(self.store.versions("anna", "s1")),
            stored_version=loaded[1] if loaded else 0,
        )


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    store = SQLiteSessionStore(tmp_path / "sessions.sqlite", KeyRing(tmp_path / "keys"), lambda: 1000.0)
    with ThreadPoolExecutor(1) as executor:
        yield Desk(store, WriteQueue(executor))
    store.close()


async def test_every_turns_state_is_saved(desk: Desk) -> None:
    keeper = desk.keeper()
    keeper.apply([TaskStarted("book a room"), FactsStated({"date": "2026-03-11"})], 1)
    keeper.apply([FactsStated({"room": "A302"})], 2)
    assert await desk.writes.flush()
    saved = desk.store.versions("anna", "s1")
    assert [dict(state.facts) for state in saved[-3:]] == [
        {},
        {"date": "2026-03-11"},
        {"date": "2026-03-11", "room": "A302"},
    ]
    assert [state.version for state in saved] == [0, 1, 2, 3], "every version, also those within a turn"
    assert saved[-1] == keeper.current


async def test_nothing_changed_is_not_saved(desk: Desk) -> None:
    keeper = desk.keeper()
    before = keeper.current
    assert keeper.apply([], 1) is before
    assert keeper.apply([FactsStated({})], 1) is before
    assert await desk.writes.flush()
    assert desk.store.load("anna", "s1") is None


async def test_what_was_saved_elsewhere_is_merged(desk: Desk) -> None:
    here, elsewhere = desk.keeper(), desk.keeper()
    elsewhere.apply([PreferenceStated({"seat": "window"})], 1)
    assert await desk.writes.flush()
    here.apply([TaskStarted("book a room")], 1)
    here.apply([FactsStated({"room": "A302"})], 2)
    assert await desk.writes.flush()
    stored, version = desk.store.load("anna", "s1") or (None, 0)
    assert stored == here.current
    assert dict(here.current.preference) == {"seat": "window"}
    assert here.current.task == "book a room"
    assert dict(here.current.facts) == {"room": "A302"}
    here.apply([FactsStated({"room": "B101"})], 3)
    assert await desk.writes.flush()
    loaded = desk.store.load("anna", "s1")
    assert loaded is not None
    assert loaded[1] > version
    assert loaded[0].facts["room"] == "B101"


async def test_two_keepers_that_take_turns_lose_nothing(desk: Desk) -> None:
    keepers = [desk.keeper(), desk.keeper()]
    for number in range(6):
        keepers[number % 2].apply([FactsStated({f"key{number}": str(number)})], number)
        assert await desk.writes.flush()
    loaded = desk.store.load("anna", "s1")
    assert loaded is not None
    assert dict(loaded[0].facts) == {f"key{number}": str(number) for number in range(6)}


async def test_a_rollback_works_and_is_saved(desk: Desk) -> None:
    keeper = desk.keeper()
    keeper.apply([FactsStated({"time": "10:00"})], 1)
    keeper.apply([FactsStated({"time": "14:00"})], 2)
    keeper.apply([RolledBack()], 3)
    assert keeper.current.facts["time"] == "10:00"
    assert await desk.writes.flush()
    loaded = desk.store.load("anna", "s1")
    assert loaded is not None
    assert loaded[0].facts["time"] == "10:00"


async def test_undo_takes_back_nothing_that_somebody_else_did(desk: Desk) -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, format="{message}")
    here, elsewhere = desk.keeper(), desk.keeper()
    here.apply([FactsStated({"time": "10:00"})], 1)
    assert await desk.writes.flush()
    elsewhere.apply([FactsStated({"room": "A302"})], 1)
    assert await desk.writes.flush()
    here.apply([RolledBack()], 2)
    assert await desk.writes.flush()
    logger.remove(sink)
    assert dict(here.current.facts) == {"time": "10:00", "room": "A302"}
    assert desk.store.load("anna", "s1") == (here.current, here.current.version)
    assert any("dropped as stale: RolledBack" in line for line in lines)


async def test_undo_of_what_was_not_saved_yet_is_merged(desk: Desk) -> None:
    here, elsewhere = desk.keeper(), desk.keeper()
    elsewhere.apply([FactsStated({"room": "A302"})], 1)
    assert await desk.writes.flush()
    here.apply([FactsStated({"time": "10:00"})], 1)
    here.apply([FactsStated({"time": "14:00"})], 2)
    here.apply([RolledBack()], 3)
    assert await desk.writes.flush()
    assert dict(here.current.facts) == {"room": "A302", "time": "10:00"}


async def test_two_keepers_at_once_lose_nothing(desk: Desk) -> None:
    """Each with writes of its own; every save of one makes the other's stale."""
    with ThreadPoolExecutor(1) as executor:
        other_writes = WriteQueue(executor)
        here = desk.keeper()
        elsewhere = Desk(desk.store, other_writes).keeper()
        for number in range(100):
            here.apply([FactsStated({"here": str(number)})], number)
            elsewhere.apply([FactsStated({"elsewhere": str(number)})], number)
            await asyncio.sleep(0)
        while not all([await desk.writes.flush(), await other_writes.flush()]):
            pass
    stored = desk.store.versions("anna", "s1")
    assert dict(stored[-1].facts) == {"here": "99", "elsewhere": "99"}
    assert [state.version for state in stored] == list(range(len(stored)))


async def test_a_server_that_dies_and_comes_back_empty_costs_nothing(tmp_path: Path) -> None:
    with RedisServer() as server, ThreadPoolExecutor(1) as executor:
        store = RedisSessionStore(server.url, KeyRing(tmp_path / "keys"), lambda: 1000.0)
        writes = WriteQueue(executor)
        keeper = Desk(store, writes).keeper()
        keeper.apply([TaskStarted("book a room")], 1)
        assert await writes.flush()
        server.stop()
        keeper.apply([FactsStated({"date": "2026-03-11"})], 2)
        assert not await writes.flush()
        assert "cannot be reached" in (writes.error or "")
        keeper.apply([FactsStated({"time": "10:00"})], 3)
        server.start()
        assert await writes.flush()
        assert writes.error is None
        assert store.load("anna", "s1") == (keeper.current, 3)
        assert [state.version for state in store.versions("anna", "s1")] == [0, 1, 2, 3], "all that was lost"
        assert (keeper.current.task, dict(keeper.current.facts)) == (
            "book a room",
            {"date": "2026-03-11", "time": "10:00"},
        )
        store.close()


async def test_a_store_that_is_full_is_tried_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = desk.keeper()
    save = desk.store.save
    full = True

    def sometimes(*args: object) -> int:
        if full:
            raise SessionWriteError("sessions.sqlite: no space left")
        return save(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.store, "save", sometimes)
    keeper.apply([FactsStated({"a": "1"})], 1)
    assert not await desk.writes.flush()
    full = False
    keeper.apply([FactsStated({"b": "2"})], 2)
    assert await desk.writes.flush()
    assert [state.version for state in desk.store.versions("anna", "s1")] == [0, 1, 2]


async def test_an_event_that_breaks_is_left_out(desk: Desk) -> None:
    broken: StateEvent = FactsStated({"a": None})  # type: ignore[dict-item]
    state = desk.keeper().apply([broken, FactsStated({"b": "2"})], 1)
    assert dict(state.facts) == {"b": "2"}
