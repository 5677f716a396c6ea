"""What only Redis does: expiry, lost connections, a server that forgets, addresses with passwords, bytes in files."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from memory.errors import UserError
from memory.inner_state import InnerState, reduce
from memory.privacy import KeyRing, SealError
from memory.sessions.base import SessionWriteError, StaleVersion
from memory.sessions.redis import RedisSessionStore, shown_address
from memory.state_events import FactsStated
from tests.fakes.redis_server import RedisServer


def counted(number: int, word: str = "swordfish") -> InnerState:
    state = InnerState()
    for count in range(1, number + 1):
        state = reduce(state, FactsStated({"count": f"{word} {count}"}))
    return state


ONE, TWO, THREE = counted(1), counted(2), counted(3)


def open_store(server: RedisServer, folder: Path, expire_s: float = 3600.0) -> RedisSessionStore:
    return RedisSessionStore(server.url, KeyRing(folder / "keys"), lambda: 1000.0, expire_s)


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """One that may be stopped."""
    with RedisServer() as server:
        yield server


def keys_of(server: RedisServer, folder: Path, user: str = "anna") -> list[bytes]:
    with server.client() as client:
        return sorted(client.keys(f"innervoice:{{{KeyRing(folder / 'keys').row_key(user)}}}:*"))


def content_of(server: RedisServer, keys: list[bytes]) -> bytes:
    with server.client() as client:
        return b"".join(key + (client.dump(key) or b"") for key in keys)


def test_a_session_expires_a_while_after_its_last_change(redis_server: RedisServer, tmp_path: Path) -> None:
    store = open_store(redis_server, tmp_path, expire_s=60.0)
    store.save("anna", "one", ONE, 0)
    store.save("anna", "two", ONE, 0)
    keys = keys_of(redis_server, tmp_path)
    assert len(keys) == 3
    with redis_server.client() as client:
        assert all(0 < client.pttl(key) <= 60_000 for key in keys)
        for key in keys:
            client.pexpire(key, 30_000)
        store.save("anna", "one", TWO, 1)
        assert sorted(client.pttl(key) > 30_000 for key in keys) == [False, True, True]
        client.delete(next(key for key in keys if key.endswith(b":two")))
    assert store.sessions("anna") == ["one"]
    assert store.latest("anna") == ("one", TWO, 1000.0)
    assert store.load("anna", "two") is None
    store.close()


def test_without_an_expiry_a_session_stays(redis_server: RedisServer, tmp_path: Path) -> None:
    open_store(redis_server, tmp_path, expire_s=60.0).save("anna", "s", ONE, 0)
    open_store(redis_server, tmp_path, expire_s=0.0).save("anna", "s", TWO, 1)
    with redis_server.client() as client:
        assert {client.pttl(key) for key in keys_of(redis_server, tmp_path)} == {-1}


def test_states_are_sealed_and_forgotten_whole(redis_server: RedisServer, tmp_path: Path) -> None:
    store = open_store(redis_server, tmp_path)
    for user in ("anna", "bob"):
        for session in ("one", "two"):
            store.save(user, session, TWO, 0)
    keys = keys_of(redis_server, tmp_path)
    content = content_of(redis_server, keys)
    assert b"swordfish" not in content and b"anna" not in content
    with redis_server.client() as client:
        client.zrem(next(key for key in keys if key.endswith(b"sessions")), "one")
    store.forget("anna")
    assert keys_of(redis_server, tmp_path) == []
    assert store.sessions("bob") == ["one", "two"]
    store.close()


@pytest.mark.parametrize("options", [("--appendonly", "yes"), ("--save", "3600 1")], ids=["log", "snapshot"])
def test_forgotten_bytes_are_in_no_file_of_the_server(tmp_path: Path, options: tuple[str, ...]) -> None:
    with RedisServer(*options) as server:
        store = open_store(server, tmp_path)
        store.save("anna", "s", TWO, 0)
        with server.client() as client:
            sealed = client.hget(keys_of(server, tmp_path)[0], "2")
            client.save()
        assert sealed is not None and sealed[-24:] in on_disk(server)
        store.forget("anna")
        assert sealed[-24:] not in on_disk(server)
        assert KeyRing(tmp_path / "keys").row_key("anna").encode() not in on_disk(server)
        store.close()


def on_disk(server: RedisServer) -> bytes:
    return b"".join(path.read_bytes() for path in server.folder.rglob("*") if path.is_file())


def test_a_state_that_was_moved_is_refused(redis_server: RedisServer, tmp_path: Path) -> None:
    store = open_store(redis_server, tmp_path)
    store.save("anna", "s", ONE, 0)
    store.save("anna", "s", TWO, 1)
    session = next(key for key in keys_of(redis_server, tmp_path) if key.endswith(b":s"))
    with redis_server.client() as client:
        client.hset(session, "2", client.hget(session, "1") or b"")
    with pytest.raises(SealError):
        store.load("anna", "s")
    store.close()


def test_a_server_that_is_gone_is_a_fault_of_writing_and_comes_back(own_server: RedisServer, tmp_path: Path) -> None:
    store = open_store(own_server, tmp_path)
    store.save("anna", "s", ONE, 0)
    own_server.stop()
    with pytest.raises(SessionWriteError, match="cannot be reached"):
        store.save("anna", "s", TWO, 1)
    with pytest.raises(UserError, match="cannot be reached"):
        store.load("anna", "s")
    own_server.start()
    # It came back empty, and that is no wish of the user's.
    with pytest.raises(StaleVersion) as raised:
        store.save("anna", "s", TWO, 1)
    assert (raised.value.current, raised.value.lost) == (0, True)
    assert store.save("anna", "s", TWO, 0) == 2
    store.close()


def test_who_was_forgotten_is_not_lost(redis_server: RedisServer, tmp_path: Path) -> None:
    store = open_store(redis_server, tmp_path)
    store.save("anna", "s", ONE, 0)
    store.forget("anna")
    KeyRing(tmp_path / "keys").forget("anna")
    with pytest.raises(StaleVersion) as raised:
        store.save("anna", "s", TWO, 1)
    assert (raised.value.current, raised.value.lost) == (0, False)
    store.close()


@pytest.mark.parametrize("arrives", [True, False])
def test_a_write_whose_answer_was_lost_is_done_once(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    store = open_store(redis_server, tmp_path)
    store.save("anna", "s", ONE, 0)
    script = store._save

    def broken(**call: Any) -> None:
        if arrives:
            script(**call)
        raise redis.ConnectionError

    monkeypatch.setattr(store, "_save", broken)
    with pytest.raises(SessionWriteError):
        store.save("anna", "s", TWO, 1)
    monkeypatch.setattr(store, "_save", script)
    assert store.save("anna", "s", TWO, 1) == 2
    assert store.versions("anna", "s") == [ONE, TWO]
    with pytest.raises(StaleVersion):
        store.save("anna", "s", TWO, 1)
    store.close()


def test_another_writers_equal_state_is_not_ones_own(redis_server: RedisServer, tmp_path: Path) -> None:
    one, other = open_store(redis_server, tmp_path), open_store(redis_server, tmp_path)
    one.save("anna", "s", TWO, 0)
    with pytest.raises(StaleVersion):
        other.save("anna", "s", TWO, 0)


def test_nobody_at_the_address_is_one_line_without_the_password(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"redis://me:swordfish@127.0.0.1:{unused.getsockname()[1]}/3"
        with pytest.raises(UserError, match=r"store: redis://127\.0\.0\.1:\d+/3: cannot be reached") as raised:
            RedisSessionStore(url, KeyRing(tmp_path / "keys"), lambda: 0.0)
    assert "swordfish" not in str(raised.value) and "\n" not in str(raised.value)


def test_a_wrong_password_is_said_and_the_right_one_works(tmp_path: Path) -> None:
    with RedisServer("--save", "") as server:
        with server.client() as client:
            client.config_set("requirepass", "swordfish")
        for url in (server.url, f"unix://:wrong@{server.folder}/socket"):
            with pytest.raises(UserError, match="refuses the password") as raised:
                RedisSessionStore(url, KeyRing(tmp_path / "keys"), lambda: 0.0)
            assert "wrong" not in str(raised.value)
        url = f"unix://:swordfish@{server.folder}/socket?db=3"
        store = RedisSessionStore(url, KeyRing(tmp_path / "keys"), lambda: 0.0)
        store.save("anna", "s", ONE, 0)
        with redis.Redis.from_url(url) as client:
            assert len(client.keys()) == 2
        store.close()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://me:swordfish@db.example:6380/2", "redis://db.example:6380/2"),
        ("rediss://:swordfish@db.example/0?ssl_cert_reqs=none", "rediss://db.example/0"),
        ("unix://:swordfish@/run/redis.sock?db=1&password=swordfish", "unix:///run/redis.sock"),
        ("redis://db.example:swordfish/0", "redis://db.example/0"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert shown_address(url) == shown
