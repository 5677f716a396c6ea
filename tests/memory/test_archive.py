from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.archive import (
    INDEX_FOLDER,
    JOURNAL_FILE,
    KEYS_FOLDER,
    SESSIONS_FILE,
    Forgotten,
    export_user,
    forget_user,
    import_user,
)
from memory.errors import UserError
from memory.inner_state import InnerState, StateHistory
from memory.journal import Journal
from memory.nouns import Claim, Speaker, Utterance
from memory.privacy import KeyRing
from memory.sessions.redis import RedisSessionStore
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PreferenceStated, TaskStarted
from tests.fakes.redis_server import RedisServer

EVENTS = (TaskStarted("订会议室"), FactsStated({"room": "A302"}), PreferenceStated({"seat": "window"}))


def fill(folder: Path, user: str) -> None:
    """A user with two utterances, a vector, a claim and three states."""
    keys = KeyRing(folder / KEYS_FOLDER)
    with Journal(folder / JOURNAL_FILE, keys) as journal:
        journal.append(Utterance("u1", user, "s", 1, Speaker.USER, f"{user} likes the window, 靠窗", 10.5, "zh"))
        journal.append(Utterance("u2", user, "s", 1, Speaker.AGENT, "A302 then.", 12.0, unheard=" All right?"))
        journal.store_vectors(user, "m", {"u1": np.ones(8, np.float32)})
        journal.store_claims(user, [Claim("user", "seat", "window", since=10.5, until=20.0, utterances=("u1",))])
    store = SQLiteSessionStore(folder / SESSIONS_FILE, keys, lambda: 30.0)
    history = StateHistory()
    for event in EVENTS:
        before = history.current.version
        store.save(user, "s", history.apply(event), before)
    store.save(user, "empty", InnerState(), 0)
    store.close()


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_an_export_is_plain_json(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    fill(tmp_path, "bob")
    archive = export_user(tmp_path, "anna")
    assert json.loads(json.dumps(archive)) == archive
    assert archive["user"] == "anna"
    assert archive["utterances"][1] == {
        "id": "u2",
        "user_id": "anna",
        "session_id": "s",
        "turn_id": 1,
        "speaker": "agent",
        "text": "A302 then.",
        "said_at": 12.0,
        "language": "en",
        "unheard": " All right?",
    }
    assert archive["claims"][0]["utterances"] == ["u1"]
    assert [state["version"] for state in archive["states"]["s"]] == [1, 2, 3]
    assert "bob" not in json.dumps(archive)


def test_what_was_exported_comes_back_elsewhere(tmp_path: Path) -> None:
    fill(tmp_path / "old", "anna")
    archive = json.loads(json.dumps(export_user(tmp_path / "old", "anna")))
    fill(tmp_path / "new", "bob")
    assert import_user(tmp_path / "new", "anna", archive) == 2
    assert export_user(tmp_path / "new", "anna") == archive
    assert import_user(tmp_path / "new", "anna", archive) == 0, "twice is once"
    assert export_user(tmp_path / "new", "anna") == archive


def test_an_import_belongs_to_whom_it_is_imported_for(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    archive = export_user(tmp_path, "anna")
    import_user(tmp_path, "carla", archive)
    assert [entry["user_id"] for entry in export_user(tmp_path, "carla")["utterances"]] == ["carla", "carla"]
    assert export_user(tmp_path, "anna") == archive


def test_an_import_leaves_what_is_there(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    archive = export_user(tmp_path, "anna")
    archive["utterances"][0]["text"] = "something else"
    archive["utterances"].append(archive["utterances"][0] | {"id": "u3", "text": "new"})
    archive["states"]["s"] = archive["states"]["s"][:1]
    archive["states"]["other"] = archive["states"]["s"]
    assert import_user(tmp_path, "anna", archive) == 1
    merged = export_user(tmp_path, "anna")
    assert [entry["text"] for entry in merged["utterances"]] == ["anna likes the window, 靠窗", "A302 then.", "new"]
    assert {name: len(states) for name, states in merged["states"].items()} == {"s": 3, "empty": 1, "other": 1}


def _spoiled(**changes: Any) -> dict[str, Any]:
    said = {"id": "u1", "user_id": "a", "session_id": "s", "turn_id": 1, "speaker": "user", "text": "x", "said_at": 1.0}
    return {"format": "innervoice memory", "version": 1, "utterances": [said | changes]}


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        ([], "expected an object"),
        ({}, "expected an object"),
        ({"format": "something"}, "expected an object"),
        ({"format": "innervoice memory", "version": 2}, "version 2, expected 1"),
        ({"format": "innervoice memory", "version": 1, "utterance": []}, "utterance: extra"),
        (_spoiled(said_at="yesterday"), "utterances.0.said_at: "),
        (_spoiled(speaker="nobody"), "utterances.0.speaker: "),
        (_spoiled(text=None), "utterances.0.text: "),
        ({"format": "innervoice memory", "version": 1, "states": {"s": [{"version": -1}]}}, "states.s.0.version: "),
        ({"format": "innervoice memory", "version": 1, "claims": [{"subject": "user"}]}, "claims.0.attribute: "),
    ],
)
def test_a_spoiled_archive_is_refused_before_anything_is_written(tmp_path: Path, archive: Any, message: str) -> None:
    with pytest.raises(UserError) as raised:
        import_user(tmp_path, "anna", archive)
    assert str(raised.value).startswith("archive: ") and message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_number_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="64 bits"):
        import_user(tmp_path, "anna", _spoiled(turn_id=2**70))
    assert export_user(tmp_path, "anna")["utterances"] == []


def test_forgetting_reaches_every_file(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    fill(tmp_path, "bob")
    bobs = export_user(tmp_path, "bob")
    keys = KeyRing(tmp_path / KEYS_FOLDER)
    row_key = keys.row_key("anna")
    key_file = tmp_path / KEYS_FOLDER / f"{row_key}.key"
    secret = key_file.read_bytes()[4:36]
    index = tmp_path / INDEX_FOLDER / "vectors"
    index.mkdir(parents=True)
    (index / f"{row_key}.npy").write_bytes(b"anna's numbers")
    (index / f"{keys.row_key('bob')}.npy").write_bytes(b"bob's numbers")
    before = all_bytes(tmp_path)
    assert row_key.encode() in before and secret in before and b"anna's numbers" in before

    assert forget_user(tmp_path, "anna") == Forgotten(utterances=2, sessions=2, files=1)

    after = all_bytes(tmp_path)
    for trace in (row_key.encode(), secret, b"anna's numbers", b"anna"):
        assert trace not in after
    assert not [path for path in tmp_path.rglob("*") if row_key in path.name]
    assert keys.users() == ["bob"]
    assert export_user(tmp_path, "bob") == bobs
    assert b"bob's numbers" in after
    assert export_user(tmp_path, "anna")["utterances"] == []
    assert forget_user(tmp_path, "anna") == Forgotten(0, 0, 0)


def test_a_forgotten_user_may_come_back(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    forget_user(tmp_path, "anna")
    fill(tmp_path, "anna")
    assert len(export_user(tmp_path, "anna")["utterances"]) == 2


def test_forgetting_works_without_the_key(tmp_path: Path) -> None:
    fill(tmp_path, "anna")
    KeyRing(tmp_path / KEYS_FOLDER).forget("anna")
    assert forget_user(tmp_path, "anna") == Forgotten(2, 2, 0)
    assert export_user(tmp_path, "anna")["states"] == {}


def test_forgetting_reaches_redis_and_what_the_folder_still_holds(tmp_path: Path, redis_server: RedisServer) -> None:
    for user in ("anna", "bob"):
        fill(tmp_path, user)
    store = RedisSessionStore(redis_server.url, KeyRing(tmp_path / KEYS_FOLDER), lambda: 40.0)
    for user in ("anna", "bob"):
        assert import_user(tmp_path, user, export_user(tmp_path, user), store) == 0
        assert export_user(tmp_path, user, store) == export_user(tmp_path, user)
    assert forget_user(tmp_path, "anna", store) == Forgotten(utterances=2, sessions=4, files=0)
    assert store.sessions("anna") == []
    row_key = KeyRing(tmp_path / KEYS_FOLDER).row_key("anna")
    with redis_server.client() as client:
        assert client.keys(f"*{row_key}*") == []
    assert row_key.encode() not in all_bytes(tmp_path)
    assert len(store.sessions("bob")) == 2
    store.close()
