from __future__ import annotations

import multiprocessing
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import UserError
from memory.privacy import KeyMissingError, KeyRing, Sealer, SealError, destroy_file

KEY = bytes(range(32))


@given(plain=st.binary(max_size=300), context=st.binary(max_size=40))
def test_what_is_sealed_opens_again(plain: bytes, context: bytes) -> None:
    assert Sealer(KEY).open(Sealer(KEY).seal(plain, context), context) == plain


@given(plain=st.binary(min_size=1, max_size=60), position=st.integers(min_value=0), flip=st.integers(1, 255))
def test_a_changed_byte_is_noticed(plain: bytes, position: int, flip: int) -> None:
    sealed = bytearray(Sealer(KEY).seal(plain, b"row"))
    sealed[position % len(sealed)] ^= flip
    with pytest.raises(SealError):
        Sealer(KEY).open(bytes(sealed), b"row")


@given(plain=st.binary(max_size=60), length=st.integers(min_value=0))
def test_a_cut_seal_is_noticed(plain: bytes, length: int) -> None:
    sealed = Sealer(KEY).seal(plain, b"row")
    with pytest.raises(SealError):
        Sealer(KEY).open(sealed[: length % len(sealed)], b"row")


@given(one=st.binary(max_size=20), other=st.binary(max_size=20))
def test_a_seal_cannot_move_to_another_row(one: bytes, other: bytes) -> None:
    sealed = Sealer(KEY).seal(b"words", one)
    if one != other:
        with pytest.raises(SealError):
            Sealer(KEY).open(sealed, other)


def test_another_key_opens_nothing() -> None:
    with pytest.raises(SealError):
        Sealer(bytes(32)).open(Sealer(KEY).seal(b"words", b"row"), b"row")


def test_the_same_words_never_look_the_same() -> None:
    sealer = Sealer(KEY)
    assert len({sealer.seal(b"yes", b"row") for _ in range(100)}) == 100


def test_digest_depends_on_key_and_value() -> None:
    assert Sealer(KEY).digest(b"a") == Sealer(KEY).digest(b"a")
    assert len({Sealer(KEY).digest(b"a"), Sealer(KEY).digest(b"b"), Sealer(bytes(32)).digest(b"a")}) == 3


def test_a_key_is_made_once_and_kept(tmp_path: Path) -> None:
    sealed = KeyRing(tmp_path / "keys").sealer("anna").seal(b"words", b"row")
    assert KeyRing(tmp_path / "keys").sealer("anna").open(sealed, b"row") == b"words"
    with pytest.raises(SealError):
        KeyRing(tmp_path / "keys").sealer("bob").open(sealed, b"row")


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    KeyRing(tmp_path / "keys").sealer("anna")
    files = list((tmp_path / "keys").iterdir())
    assert len(files) == 2
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


@pytest.mark.parametrize("user", ["anna", "小米", "+49 170 1234567", "a/../b", "x" * 4000, "", "\ud800"])
def test_users_are_found_again_and_never_lie_in_plain_text(tmp_path: Path, user: str) -> None:
    keys = KeyRing(tmp_path)
    keys.sealer(user)
    keys.sealer("somebody else")
    assert keys.users() == sorted([user, "somebody else"])
    plain = user.encode("utf-8", "surrogatepass")
    for path in tmp_path.iterdir():
        assert len(path.name) < 60
        if len(plain) >= 4:
            assert plain not in path.read_bytes()
            assert user not in path.name


def test_row_keys_differ_by_user_and_by_folder(tmp_path: Path) -> None:
    one, other = KeyRing(tmp_path / "one"), KeyRing(tmp_path / "other")
    assert one.row_key("anna") == KeyRing(tmp_path / "one").row_key("anna")
    assert len({one.row_key("anna"), one.row_key("bob"), other.row_key("anna")}) == 3


def test_forgetting_destroys_the_key(tmp_path: Path) -> None:
    keys = KeyRing(tmp_path)
    sealed = keys.sealer("anna").seal(b"words", b"row")
    keys.sealer("bob")
    key_file = tmp_path / f"{keys.row_key('anna')}.key"
    secret = key_file.read_bytes()[4:36]
    keys.forget("anna")
    assert keys.users() == ["bob"]
    assert all(secret not in path.read_bytes() for path in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(KeyMissingError, match=key_file.name):
        keys.sealer("anna", create=False)
    with pytest.raises(SealError):
        keys.sealer("anna").open(sealed, b"row")


def test_a_crash_while_forgetting_is_made_good_by_the_next(tmp_path: Path) -> None:
    keys = KeyRing(tmp_path)
    keys.sealer("anna")
    (tmp_path / f"{keys.row_key('anna')}.key").rename(tmp_path / ".forgotten-left")
    keys.forget("anna")
    assert [path.name for path in tmp_path.iterdir()] == ["ring.key"]


def test_destroying_overwrites_before_it_unlinks(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"something private")
    (tmp_path / "second name").hardlink_to(path)
    destroy_file(path)
    assert not path.exists()
    left = (tmp_path / "second name").read_bytes()
    assert len(left) == 17 and b"private" not in left
    destroy_file(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(name=st.sampled_from(["ring", "user"]), position=st.integers(min_value=0), flip=st.integers(1, 255))
def test_a_damaged_key_file_is_named(tmp_path: Path, name: str, position: int, flip: int) -> None:
    keys = KeyRing(tmp_path)
    keys.sealer("anna")
    path = tmp_path / ("ring.key" if name == "ring" else f"{keys.row_key('anna')}.key")
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[position % len(damaged)] ^= flip
    path.write_bytes(damaged)
    try:
        with pytest.raises(UserError, match=path.name):
            KeyRing(tmp_path).sealer("anna")
    finally:
        path.write_bytes(whole)


def test_an_empty_key_file_is_named(tmp_path: Path) -> None:
    keys = KeyRing(tmp_path)
    keys.sealer("anna")
    path = tmp_path / f"{keys.row_key('anna')}.key"
    path.write_bytes(b"")
    for action in (lambda: keys.sealer("anna"), keys.users):
        with pytest.raises(UserError, match=path.name):
            action()


def test_a_key_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    keys = KeyRing(tmp_path)
    keys.sealer("anna")
    keys.sealer("bob")
    bobs, annas = (tmp_path / f"{keys.row_key(user)}.key" for user in ("bob", "anna"))
    bobs.write_bytes(annas.read_bytes())
    with pytest.raises(UserError, match=bobs.name):
        keys.sealer("bob")


def test_a_lost_ring_is_said_and_not_replaced(tmp_path: Path) -> None:
    KeyRing(tmp_path).sealer("anna")
    (tmp_path / "ring.key").unlink()
    with pytest.raises(UserError, match="ring.key"):
        KeyRing(tmp_path).row_key("anna")
    assert not (tmp_path / "ring.key").exists()


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    keys = KeyRing(tmp_path)
    (tmp_path / f"{keys.row_key('anna')}.key").mkdir()
    with pytest.raises(UserError, match="cannot read the key file"):
        keys.sealer("anna")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file"):
        KeyRing(tmp_path / "file" / "keys").sealer("anna")


def _seal_in_process(arguments: tuple[Path, int]) -> bytes:
    folder, number = arguments
    return KeyRing(folder).sealer(f"user {number % 3}").seal(b"words", b"row")


def _check_that_all_agree(folder: Path, jobs: list[tuple[Path, int]], sealed: list[bytes]) -> None:
    keys = KeyRing(folder)
    for (_, number), words in zip(jobs, sealed, strict=True):
        assert keys.sealer(f"user {number % 3}").open(words, b"row") == b"words"
    assert len(list(folder.iterdir())) == 4


def test_processes_agree_on_one_key(tmp_path: Path) -> None:
    jobs = [(tmp_path / "keys", number) for number in range(24)]
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        sealed = pool.map(_seal_in_process, jobs, chunksize=1)
    _check_that_all_agree(tmp_path / "keys", jobs, sealed)


def test_threads_agree_on_one_key(tmp_path: Path) -> None:
    jobs = [(tmp_path / "keys", number) for number in range(48)]
    with ThreadPoolExecutor(8) as threads:
        sealed = list(threads.map(_seal_in_process, jobs))
    _check_that_all_agree(tmp_path / "keys", jobs, sealed)
