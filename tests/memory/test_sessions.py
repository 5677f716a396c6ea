"""What every session store keeps. A further store joins ``STORES`` and runs the same tests."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory import sqlite_file
from memory.errors import UserError
from memory.inner_state import InnerState, StateHistory, reduce
from memory.journal import Journal
from memory.privacy import KeyMissingError, KeyRing, SealError
from memory.sessions.base import SessionStore, SessionWriteError, StaleVersion
from memory.sessions.redis import RedisSessionStore
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PreferenceStated, RolledBack, StateEvent, TaskStarted

ROOT = Path(__file__).resolve().parents[2]
REDIS_URL = "INNERVOICE_TEST_REDIS"


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def open_sqlite(folder: Path, clock: Callable[[], float]) -> SessionStore:
    return SQLiteSessionStore(folder / "sessions.sqlite", KeyRing(folder / "keys"), clock)


def open_redis(folder: Path, clock: Callable[[], float]) -> SessionStore:
    """Folders share one server; each has keys of its own, so they never meet."""
    return RedisSessionStore(os.environ[REDIS_URL], KeyRing(folder / "keys"), clock, expire_s=3600)


OPENERS: dict[str, Callable[[Path, Callable[[], float]], SessionStore]] = {"sqlite": open_sqlite, "redis": open_redis}
STORES = list(OPENERS)


@dataclass
class Place:
    """One kind of store in one folder; every ``open`` is what another process would see."""

    kind: str
    folder: Path
    clock: Clock = field(default_factory=Clock)
    opened: list[SessionStore] = field(default_factory=list)

    def open(self) -> SessionStore:
        store = OPENERS[self.kind](self.folder, self.clock)
        self.opened.append(store)
        return store


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "redis":
        # Other processes find it in the environment.
        os.environ[REDIS_URL] = request.getfixturevalue("redis_server").url
    here = Place(request.param, tmp_path)
    yield here
    for store in here.opened:
        store.close()


@pytest.fixture
def store(place: Place) -> SessionStore:
    return place.open()


def state_with(*events: StateEvent) -> InnerState:
    state = InnerState()
    for event in events:
        state = reduce(state, event)
    return state


def counted(number: int) -> InnerState:
    return state_with(*(FactsStated({"count": str(i)}) for i in range(1, number + 1)))


ONE, TWO, THREE = counted(1), counted(2), counted(3)

# --- the contract


def test_an_unknown_session_is_none(store: SessionStore) -> None:
    assert store.load("anna", "s") is None
    assert store.latest("anna") is None
    assert store.versions("anna", "s") == []
    assert store.sessions("anna") == []
    store.forget("anna")


def test_a_saved_state_is_loaded_whole(place: Place, store: SessionStore) -> None:
    state = state_with(
        TaskStarted("预订会议室"),
        FactsStated({"日期": "2026-03-11"}),
        FactsStated({"guess": "x"}, source="model"),
        TaskStarted("weather"),
        PreferenceStated({"seat": "靠窗"}),
    )
    assert store.save("anna", "s", state, 0) == state.version == 5
    assert store.load("anna", "s") == (state, 5)
    assert place.open().load("anna", "s") == (state, 5)


def test_a_stale_version_is_refused(store: SessionStore) -> None:
    store.save("anna", "s", ONE, 0)
    store.save("anna", "s", TWO, 1)
    for version in (0, 1, 3):
        with pytest.raises(StaleVersion) as raised:
            store.save("anna", "s", THREE, version)
        assert raised.value.current == 2
    assert store.load("anna", "s") == (TWO, 2)
    assert store.save("anna", "s", THREE, 2) == 3


def test_a_session_that_is_not_there_has_version_zero(store: SessionStore) -> None:
    with pytest.raises(StaleVersion) as raised:
        store.save("anna", "s", TWO, 1)
    assert raised.value.current == 0
    assert store.load("anna", "s") is None


def test_several_changes_can_be_saved_at_once(store: SessionStore) -> None:
    assert store.save("anna", "s", ONE, 0) == 1
    assert store.save("anna", "s", counted(5), 1) == 5
    assert [state.version for state in store.versions("anna", "s")] == [1, 5]


def test_versions_between_are_saved_with_it_or_not_at_all(store: SessionStore) -> None:
    assert store.save("anna", "s", THREE, 0, (ONE, TWO)) == 3
    assert store.versions("anna", "s") == [ONE, TWO, THREE]
    assert store.load("anna", "s") == (THREE, 3)
    with pytest.raises(StaleVersion):
        store.save("anna", "s", counted(6), 2, (counted(4), counted(5)))
    assert store.versions("anna", "s") == [ONE, TWO, THREE]
    for between in ((counted(5), counted(4)), (counted(6),), (counted(7),)):
        with pytest.raises(ValueError, match="older"):
            store.save("anna", "s", counted(6), 3, between)


def test_a_fresh_state_can_be_saved(store: SessionStore) -> None:
    assert store.save("anna", "s", InnerState(), 0) == 0
    assert store.load("anna", "s") == (InnerState(), 0)
    assert store.save("anna", "s", InnerState(), 0) == 0
    assert store.save("anna", "s", ONE, 0) == 1
    assert store.versions("anna", "s") == [InnerState(), ONE]


def test_nothing_new_is_no_version(store: SessionStore) -> None:
    store.save("anna", "s", ONE, 0)
    assert store.save("anna", "s", ONE, 1) == 1
    assert store.versions("anna", "s") == [ONE]
    store.save("anna", "s", TWO, 1)
    with pytest.raises(StaleVersion):
        store.save("anna", "s", ONE, 1)


def test_an_older_state_is_a_mistake(store: SessionStore) -> None:
    store.save("anna", "s", TWO, 0)
    with pytest.raises(ValueError, match="older"):
        store.save("anna", "s", ONE, 2)


def test_a_rollback_is_a_version_of_its_own(store: SessionStore) -> None:
    history = StateHistory()
    for event in (FactsStated({"time": "10:00"}), FactsStated({"time": "14:00"}), RolledBack()):
        before = history.current.version
        store.save("anna", "s", history.apply(event), before)
    assert [state.facts["time"] for state in store.versions("anna", "s")] == ["10:00", "14:00", "10:00"]
    again = StateHistory(store.versions("anna", "s"))
    assert again.apply(RolledBack()).facts == {"time": "10:00"}


def test_the_latest_session_is_the_one_saved_last(place: Place, store: SessionStore) -> None:
    for session_id, state, now in (("one", TWO, 10.0), ("two", ONE, 20.0), ("three", THREE, 5.0)):
        place.clock.now = now
        store.save("anna", session_id, state, 0)
    assert store.latest("anna") == ("two", ONE, 20.0)
    assert store.sessions("anna") == ["three", "one", "two"]
    place.clock.now = 30.0
    store.save("anna", "one", THREE, 2)
    assert store.latest("anna") == ("one", THREE, 30.0)
    assert store.sessions("anna") == ["three", "two", "one"]


def test_two_users_never_meet(store: SessionStore) -> None:
    for turn in range(1, 30):
        for user in ("anna", "bob"):
            loaded = store.load(user, "s")
            state, version = loaded or (InnerState(), 0)
            assert all(value.startswith(user) for value in state.facts.values())
            store.save(user, "s", reduce(state, FactsStated({"name": f"{user} {turn}"})), version)
    store.forget("anna")
    assert store.load("anna", "s") is None and store.latest("anna") is None
    latest = store.latest("bob")
    assert latest is not None and latest[1].facts == {"name": "bob 29"}
    assert len(store.versions("bob", "s")) == 29


def test_a_writer_starts_anew_after_forgetting(store: SessionStore) -> None:
    store.save("anna", "s", ONE, 0)
    store.forget("anna")
    with pytest.raises(StaleVersion) as raised:
        store.save("anna", "s", TWO, 1)
    assert raised.value.current == 0
    assert store.save("anna", "s", ONE, 0) == 1


def _count_up(arguments: tuple[str, Path, str, int]) -> int:
    """Add to a shared counter and to one of its own; returns how often somebody else was faster."""
    kind, folder, name, times = arguments
    store = OPENERS[kind](folder, Clock())
    stale = 0
    for _ in range(times):
        while True:
            state, version = store.load("anna", "s") or (InnerState(), 0)
            counts = {key: str(int(state.facts.get(key, "0")) + 1) for key in ("all", name)}
            try:
                store.save("anna", "s", reduce(state, FactsStated(counts)), version)
                break
            except StaleVersion as error:
                assert error.current > version
                stale += 1
    store.close()
    return stale


def test_two_processes_lose_no_write(place: Place) -> None:
    jobs = [(place.kind, place.folder, name, 1000) for name in ("one", "two")]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(_count_up, jobs, chunksize=1)
    store = place.open()
    loaded = store.load("anna", "s")
    assert loaded is not None
    assert loaded[1] == 2000
    assert loaded[0].facts == {"all": "2000", "one": "1000", "two": "1000"}
    assert [state.version for state in store.versions("anna", "s")] == list(range(1, 2001))


_SAVING = """
import sys
from pathlib import Path
from tests.memory.test_sessions import OPENERS, Clock, FactsStated, InnerState, reduce
store = OPENERS[sys.argv[1]](Path(sys.argv[2]), Clock())
state = InnerState()
while True:
    before = state.version
    state = reduce(state, FactsStated({"count": str(before + 1)}))
    print(store.save("anna", "s", state, before), flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(place: Place) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SAVING, place.kind, str(place.folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 50:
            os.kill(process.pid, signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    store = place.open()
    versions = store.versions("anna", "s")
    assert [state.facts["count"] for state in versions] == [str(i + 1) for i in range(len(versions))]
    assert acknowledged <= len(versions) <= acknowledged + 1
    assert store.load("anna", "s") == (versions[-1], len(versions))


# --- SQLite alone


def on_disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("sessions.sqlite*")))


def test_states_are_sealed_and_forgotten_bytes_are_gone(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path, Clock())
    for number in range(60):
        for user in ("anna", "bob"):
            store.save(user, f"s{number}", state_with(FactsStated({"code": f"swordfish {number} " * 8})), 0)
    connection = sqlite3.connect(tmp_path / "sessions.sqlite")
    row_key = KeyRing(tmp_path / "keys").row_key("anna")
    doomed = [row for (row,) in connection.execute("SELECT sealed FROM states WHERE user = ?", (row_key,))]
    connection.close()
    before = on_disk(tmp_path)
    assert len(doomed) == 60 and all(blob[:40] in before for blob in doomed)
    assert b"swordfish" not in before and b"anna" not in before
    store.forget("anna")
    after = on_disk(tmp_path)
    for blob in doomed:
        for trace in (blob[:24], blob[len(blob) // 2 :][:24], blob[-24:]):
            assert trace not in after
    assert row_key.encode() not in after
    assert len(store.sessions("bob")) == 60
    store.close()


def test_a_state_that_was_moved_is_refused(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path, Clock())
    store.save("anna", "s", ONE, 0)
    store.save("anna", "s", TWO, 1)
    with sqlite3.connect(tmp_path / "sessions.sqlite") as connection:
        connection.execute("UPDATE states SET sealed = (SELECT sealed FROM states WHERE version = 1) WHERE version = 2")
    connection.close()
    with pytest.raises(SealError):
        store.load("anna", "s")
    store.close()


def test_a_lost_key_is_said(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path, Clock())
    store.save("anna", "s", ONE, 0)
    KeyRing(tmp_path / "keys").forget("anna")
    for action in (lambda: store.load("anna", "s"), lambda: store.save("anna", "s", TWO, 1)):
        with pytest.raises(KeyMissingError):
            action()
    store.close()


def test_a_locked_store_degrades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "_BUSY_TIMEOUT_MS", 20)
    store = open_sqlite(tmp_path, Clock())
    store.save("anna", "s", ONE, 0)
    other = sqlite3.connect(tmp_path / "sessions.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(SessionWriteError, match=r"sessions\.sqlite: locked"):
        store.save("anna", "s", TWO, 1)
    assert store.load("anna", "s") == (ONE, 1)
    other.close()
    assert store.save("anna", "s", TWO, 1) == 2
    store.close()


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite"
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(UserError, match=r"sessions\.sqlite: not a database"):
        open_sqlite(tmp_path, Clock())


def test_a_journal_is_no_store(tmp_path: Path) -> None:
    Journal(tmp_path / "sessions.sqlite", KeyRing(tmp_path / "keys")).close()
    with pytest.raises(UserError, match="a database of another kind"):
        open_sqlite(tmp_path, Clock())
