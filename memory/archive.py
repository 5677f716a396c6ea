"""One user's whole memory at once: written out, read in, erased from every store of a data folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.errors import UserError
from memory.inner_state import InnerState
from memory.journal import Journal
from memory.nouns import Claim, Utterance
from memory.privacy import KeyRing, destroy_file
from memory.sessions.base import SessionStore
from memory.sessions.sqlite import SQLiteSessionStore

KEYS_FOLDER = "keys"
JOURNAL_FILE = "journal.sqlite"
SESSIONS_FILE = "sessions.sqlite"
# Files in it are named after the row key of the user they belong to.
INDEX_FOLDER = "index"

_FORMAT = "innervoice memory"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What an erasure found.

    Attributes:
        utterances: How many were deleted.
        sessions: How many sessions had an inner state.
        files: How many index files were destroyed.
    """

    utterances: int
    sessions: int
    files: int


class _Archive(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: str
    version: int
    user: str = ""
    utterances: list[Utterance] = Field(default_factory=list)
    claims: list[Claim] = Field(default_factory=list)
    states: dict[str, list[InnerState]] = Field(default_factory=dict)


def export_user(data_dir: Path, user_id: str, sessions: SessionStore | None = None) -> dict[str, Any]:
    """Everything that is kept about a user, ready for JSON.

    Args:
        data_dir: The data folder.
        user_id: Whose memory.
        sessions: Where inner states live; None for the folder's own file.

    Returns:
        ``format``, ``version``, ``user``, ``utterances``, ``claims``, and ``states``: session id -> every
        saved version. Vectors are left out: they are made again from the words.

    Raises:
        UserError: A store cannot be read.
    """
    with _stores(data_dir, sessions) as (_, journal, states):
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "user": user_id,
            "utterances": [asdict(utterance) for _, utterance in journal.read(user_id)],
            "claims": [
                asdict(claim) | {"utterances": list(claim.utterances)} for claim in journal.read_claims(user_id)
            ],
            "states": {
                session_id: [state.model_dump(mode="json") for state in states.versions(user_id, session_id)]
                for session_id in states.sessions(user_id)
            },
        }


def import_user(data_dir: Path, user_id: str, archive: Mapping[str, Any], sessions: SessionStore | None = None) -> int:
    """Add an archive to a user's memory; what is there already stays as it is.

    The whole archive is checked before anything is written. It may come from another user id: what is
    imported belongs to ``user_id``.

    Args:
        data_dir: The data folder.
        user_id: Whose memory it becomes.
        archive: What :func:`export_user` returned.
        sessions: Where inner states live; None for the folder's own file.

    Returns:
        How many utterances are new.

    Raises:
        UserError: One line that names the entry that is wrong, or a store that cannot be written.
    """
    checked = _check(archive)
    with _stores(data_dir, sessions) as (_, journal, states):
        known = {utterance.id for utterance in journal.get(user_id, [entry.id for entry in checked.utterances])}
        journal.extend([replace(utterance, user_id=user_id) for utterance in checked.utterances])
        journal.store_claims(user_id, checked.claims)
        for session_id, versions in checked.states.items():
            if states.load(user_id, session_id) is not None:
                continue
            before = 0
            for state in sorted(versions, key=lambda state: state.version):
                before = states.save(user_id, session_id, state, before)
    return len({utterance.id for utterance in checked.utterances} - known)


def forget_user(data_dir: Path, user_id: str, sessions: SessionStore | None = None) -> Forgotten:
    """Erase a user from every table, every index file, and destroy the key.

    An unknown user is no error. Conversations of the user that are running elsewhere start anew. What the
    folder's own file holds of inner states goes too where they live elsewhere by now.

    Args:
        data_dir: The data folder.
        user_id: Who is to be forgotten.
        sessions: Where inner states live; None for the folder's own file.

    Returns:
        What was found.

    Raises:
        UserError: A store cannot be written; run it again when that is mended.
    """
    with _stores(data_dir, sessions) as (keys, journal, states):
        known_sessions = len(states.sessions(user_id))
        utterances = journal.forget(user_id)
        states.forget(user_id)
        if sessions is not None and (data_dir / SESSIONS_FILE).exists():
            with _own_sessions(data_dir, keys) as own:
                known_sessions += len(own.sessions(user_id))
                own.forget(user_id)
        files = _forget_files(data_dir / INDEX_FOLDER, keys.row_key(user_id))
        keys.forget(user_id)
        # Once more, for what was written with the old key in between.
        journal.forget(user_id)
        states.forget(user_id)
    return Forgotten(utterances, known_sessions, files)


def _forget_files(folder: Path, row_key: str) -> int:
    count = 0
    for path in sorted(folder.rglob(f"{row_key}*")):
        try:
            destroy_file(path)
        except OSError as error:
            raise UserError(f"{path}: cannot be erased: {error.strerror or error}") from None
        count += 1
    return count


@contextmanager
def _stores(data_dir: Path, sessions: SessionStore | None) -> Iterator[tuple[KeyRing, Journal, SessionStore]]:
    keys = KeyRing(data_dir / KEYS_FOLDER)
    journal = Journal(data_dir / JOURNAL_FILE, keys)
    try:
        if sessions is not None:
            yield keys, journal, sessions
            return
        with _own_sessions(data_dir, keys) as own:
            yield keys, journal, own
    finally:
        journal.close()


@contextmanager
def _own_sessions(data_dir: Path, keys: KeyRing) -> Iterator[SessionStore]:
    own = SQLiteSessionStore(data_dir / SESSIONS_FILE, keys, time.time)
    try:
        yield own
    finally:
        own.close()


def _check(archive: Mapping[str, Any]) -> _Archive:
    if not isinstance(archive, Mapping) or archive.get("format") != _FORMAT:
        raise UserError(f"archive: expected an object with format '{_FORMAT}'; make one with memory export")
    if archive.get("version") != _VERSION:
        raise UserError(f"archive: version {archive.get('version')!r}, expected {_VERSION}; update this program")
    try:
        return _Archive.model_validate(dict(archive))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"archive: {where}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
