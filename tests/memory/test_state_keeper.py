"""Inner states are saved in order, and merged when somebody else saved in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory.inner_state import StateHistory
from memory.privacy import KeyRing
from memory.sessions.base import SessionWriteError
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PreferenceStated, RolledBack, StateEvent, TaskStarted
from memory.state_keeper import StateKeeper
from memory.write_queue import WriteQueue


@dataclass
class Desk:
    store: SQLiteSessionStore
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
    assert [dict(state.facts) for state in saved] == [{"date": "2026-03-11"}, {"date": "2026-03-11", "room": "A302"}]
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
    assert len(desk.store.versions("anna", "s1")) == 2


async def test_an_event_that_breaks_is_left_out(desk: Desk) -> None:
    broken: StateEvent = FactsStated({"a": None})  # type: ignore[dict-item]
    state = desk.keeper().apply([broken, FactsStated({"b": "2"})], 1)
    assert dict(state.facts) == {"b": "2"}
