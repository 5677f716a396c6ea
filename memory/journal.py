"""The journal: verbatim utterances with their provenance. The ground truth; vectors and claims derive from it.

A row shows ids, times and the kind; everything that was said is sealed with the user's own key. Ids lie in
plain text, so whoever makes them keeps names out of them. Every method is scoped by user, thread-safe and
blocking: conversations call it in a writer thread.

Append an utterance before its vectors and claims: what rests on an unknown utterance is not stored, so that
work that is still running when something is forgotten cannot bring it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from loguru import logger

from memory.errors import UserError
from memory.journal_rows import (
    SCHEMA,
    open_claim,
    open_mentions,
    open_utterance,
    open_vector,
    seal_claim,
    seal_mentions,
    seal_utterance,
    seal_vector,
)
from memory.nouns import Claim, Entity, Utterance
from memory.privacy import KeyMissingError, KeyRing, Sealer, SealError
from memory.sqlite_file import SQLiteFile

_KIND = 0x49564A31  # "IVJ1"
_BATCH = 512


class JournalWriteError(UserError):
    """The journal cannot be written now (disk full, locked, read-only); what it holds is unharmed."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One past conversation.

    Attributes:
        session_id: The conversation.
        started_at: When its first utterance began, seconds since the epoch.
        ended_at: When its last utterance began, seconds since the epoch.
        turns: How many turns have at least one utterance.
        language: What the user spoke last in it, ISO 639-1.
    """

    session_id: str
    started_at: float
    ended_at: float
    turns: int
    language: str


class Journal:
    """Append-only utterances in one SQLite file; several processes may use it at once.

    Args:
        path: The database file, made on first use.
        keys: The users' keys.

    Raises:
        UserError: The file cannot be opened; one line names it.
    """

    def __init__(self, path: Path, keys: KeyRing) -> None:
        self._path = path
        self._keys = keys
        self._file = SQLiteFile(path, SCHEMA, _KIND, write_error=JournalWriteError)

    def append(self, utterance: Utterance) -> int:
        """Keep one utterance. When this returns, it survives ``kill -9``.

        Returns:
            Its sequence number; for an id that is there already, the number it has, and nothing changes.

        Raises:
            JournalWriteError: It could not be written.
        """
        return self.extend([utterance])[0]

    def extend(self, utterances: Sequence[Utterance]) -> list[int]:
        """Keep several utterances in one transaction: all or none. See :meth:`append`."""
        numbers: list[int] = []
        with self._file.transaction() as database:
            sealers: dict[str, tuple[str, Sealer]] = {}
            for utterance in utterances:
                if utterance.user_id not in sealers:
                    sealers[utterance.user_id] = self._writer(database, utterance.user_id)
                user, sealer = sealers[utterance.user_id]
                known = database.execute(
                    "SELECT sequence FROM utterances WHERE user = ? AND id = ?", (user, utterance.id)
                ).fetchone()
                if known is not None:
                    numbers.append(known[0])
                    continue
                cursor = database.execute(
                    "INSERT INTO utterances (user, id, session, turn, said_at, kind, sealed) VALUES (?,?,?,?,?,?,?)",
                    (
                        user,
                        utterance.id,
                        utterance.session_id,
                        utterance.turn_id,
                        utterance.said_at,
                        utterance.speaker.value,
                        seal_utterance(sealer, utterance),
                    ),
                )
                numbers.append(int(cursor.lastrowid or 0))
        return numbers

    def read(self, user_id: str, after: int = 0) -> Iterator[tuple[int, Utterance]]:
        """Utterances in the order they were appended.

        A row that cannot be opened is skipped, with a warning in the log.

        Args:
            user_id: Whose.
            after: Only what has a greater sequence number.

        Yields:
            Sequence number and utterance.

        Raises:
            UserError: The file cannot be read, or the user's key is missing.
        """
        user = self._keys.row_key(user_id)
        while True:
            rows = self._file.rows(
                "SELECT sequence, id, sealed FROM utterances WHERE user = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                (user, after, _BATCH),
            )
            if not rows:
                return
            sealer = self._keys.sealer(user_id, create=False)
            for sequence, row_id, sealed in rows:
                utterance = self._open(sealer, user_id, row_id, sealed)
                if utterance is not None:
                    yield sequence, utterance
            after = rows[-1][0]

    def get(self, user_id: str, ids: Sequence[str]) -> list[Utterance]:
        """The utterances with these ids, in the order asked for; unknown ids are left out."""
        rows = self._file.rows(
            "SELECT id, sealed FROM utterances WHERE user = ? AND id IN (SELECT value FROM json_each(?))",
            (self._keys.row_key(user_id), json.dumps(list(ids))),
        )
        if not rows:
            return []
        sealer = self._keys.sealer(user_id, create=False)
        found = {row_id: self._open(sealer, user_id, row_id, sealed) for row_id, sealed in rows}
        wanted = (found.get(row_id) for row_id in ids)
        return [utterance for utterance in wanted if utterance is not None]

    def store_vectors(self, user_id: str, model: str, vectors: Mapping[str, np.ndarray]) -> None:
        """Keep sentence vectors of utterances, sealed, as float16.

        Args:
            user_id: Whose.
            model: The embedder; another model's vectors are kept apart.
            vectors: Utterance id -> float32, shape (dimension,). Unknown utterances are left out.

        Raises:
            JournalWriteError: They could not be written.
        """
        if not vectors:
            return
        user = self._keys.row_key(user_id)
        with self._file.transaction() as database:
            known = _known_ids(database, user, vectors)
            if not known:
                return
            sealer = self._keys.sealer(user_id, create=False)
            database.executemany(
                "INSERT OR REPLACE INTO vectors (user, model, id, sealed) VALUES (?, ?, ?, ?)",
                [
                    (user, model, row_id, seal_vector(sealer, model, row_id, vector))
                    for row_id, vector in vectors.items()
                    if row_id in known
                ],
            )

    def read_vectors(self, user_id: str, model: str) -> dict[str, np.ndarray]:
        """All vectors of one embedder: utterance id -> float32, shape (dimension,)."""
        rows = self._file.rows(
            "SELECT id, sealed FROM vectors WHERE user = ? AND model = ?", (self._keys.row_key(user_id), model)
        )
        if not rows:
            return {}
        sealer = self._keys.sealer(user_id, create=False)
        vectors = {}
        for row_id, sealed in rows:
            try:
                vectors[row_id] = open_vector(sealer, model, row_id, sealed)
            except SealError as error:
                logger.warning("{}: vector of {} skipped: {}", self._path, row_id, error)
        return vectors

    def store_mentions(self, user_id: str, utterance_id: str, entities: Sequence[Entity]) -> None:
        """Keep the entities that an utterance names, sealed. Those of an unknown utterance are left out.

        Raises:
            JournalWriteError: They could not be written.
        """
        user = self._keys.row_key(user_id)
        with self._file.transaction() as database:
            if entities and _known_ids(database, user, [utterance_id]):
                sealer = self._keys.sealer(user_id, create=False)
                database.execute(
                    "INSERT OR REPLACE INTO mentions (user, id, sealed) VALUES (?, ?, ?)",
                    (user, utterance_id, seal_mentions(sealer, utterance_id, entities)),
                )

    def read_mentions(self, user_id: str) -> dict[str, tuple[Entity, ...]]:
        """The entities of all utterances that name any: utterance id -> entities, in the order they were stored."""
        rows = self._file.rows(
            "SELECT id, sealed FROM mentions WHERE user = ? ORDER BY rowid", (self._keys.row_key(user_id),)
        )
        if not rows:
            return {}
        sealer = self._keys.sealer(user_id, create=False)
        mentions = {}
        for row_id, sealed in rows:
            try:
                mentions[row_id] = open_mentions(sealer, row_id, sealed)
            except SealError as error:
                logger.warning("{}: mentions of {} skipped: {}", self._path, row_id, error)
        return mentions

    def store_claims(self, user_id: str, claims: Sequence[Claim]) -> None:
        """Keep claims, sealed; one with the same subject, attribute, value, polarity and since is replaced.

        Support by unknown utterances is left out, and so is a claim that had no other.

        Raises:
            JournalWriteError: They could not be written.
        """
        if not claims:
            return
        with self._file.transaction() as database:
            user, sealer = self._writer(database, user_id)
            known = _known_ids(database, user, {row_id for claim in claims for row_id in claim.utterances})
            for claim in claims:
                supports = tuple(row_id for row_id in claim.utterances if row_id in known)
                if claim.utterances and not supports:
                    logger.warning("{}: a claim rests on unknown utterances only; not stored", self._path)
                    continue
                _put_claim(database, user, sealer, replace(claim, utterances=supports))

    def withdraw_claims(self, user_id: str, ids: Sequence[str]) -> None:
        """Take the support by these utterances from all claims; one that has no other goes."""
        with self._file.transaction() as database:
            self._withdraw_support(database, user_id, self._keys.row_key(user_id), frozenset(ids))

    def read_claims(self, user_id: str) -> list[Claim]:
        """All claims, superseded ones too, in the order they were first stored."""
        return [claim for _, claim in self._claims(user_id)]

    def forget(self, user_id: str, ids: Sequence[str] | None = None) -> int:
        """Delete utterances, their vectors and mentions, and every claim that rests on nothing else.

        A claim with other support loses just these supports. When this returns, the deleted bytes are
        neither in the database file nor in its write-ahead log. The key stays (see ``memory.archive``).

        Args:
            user_id: Whose.
            ids: Utterance ids; None for everything of this user.

        Returns:
            How many utterances were deleted.

        Raises:
            JournalWriteError: It could not be written, or another program holds on to the old bytes.
        """
        user = self._keys.row_key(user_id)
        with self._file.transaction() as database:
            if ids is None:
                deleted = database.execute("DELETE FROM utterances WHERE user = ?", (user,)).rowcount
                database.execute("DELETE FROM vectors WHERE user = ?", (user,))
                database.execute("DELETE FROM mentions WHERE user = ?", (user,))
                database.execute("DELETE FROM claims WHERE user = ?", (user,))
            else:
                where = "WHERE user = ? AND id IN (SELECT value FROM json_each(?))"
                parameters = (user, json.dumps(list(ids)))
                deleted = database.execute(f"DELETE FROM utterances {where}", parameters).rowcount
                database.execute(f"DELETE FROM vectors {where}", parameters)
                database.execute(f"DELETE FROM mentions {where}", parameters)
                self._withdraw_support(database, user_id, user, frozenset(ids))
        self._file.erase_traces()
        return int(deleted)

    def sessions(self, user_id: str) -> list[SessionSummary]:
        """The user's conversations, oldest first."""
        rows = self._file.rows(
            """SELECT past.*, utterances.id, utterances.sealed FROM (
                   SELECT session, min(said_at) AS started_at, max(said_at), count(DISTINCT turn),
                          coalesce(max(CASE WHEN kind = 'user' THEN sequence END), max(sequence)) AS last
                   FROM utterances WHERE user = ? GROUP BY session) AS past
               JOIN utterances ON utterances.sequence = past.last ORDER BY started_at, last""",
            (self._keys.row_key(user_id),),
        )
        if not rows:
            return []
        sealer = self._keys.sealer(user_id, create=False)
        summaries = []
        for session, started_at, ended_at, turns, _, row_id, sealed in rows:
            spoken = self._open(sealer, user_id, row_id, sealed)
            language = spoken.language if spoken is not None else ""
            summaries.append(SessionSummary(session, started_at, ended_at, turns, language))
        return summaries

    def last(self, user_id: str) -> tuple[str, float] | None:
        """The session in which something was said last, and when, seconds since the epoch; None if nothing was."""
        rows = self._file.rows(
            "SELECT session, said_at FROM utterances WHERE user = ? ORDER BY sequence DESC LIMIT 1",
            (self._keys.row_key(user_id),),
        )
        return (str(rows[0][0]), float(rows[0][1])) if rows else None

    def close(self) -> None:
        """Close the file; everything acknowledged is on disk already."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _writer(self, database: Any, user_id: str) -> tuple[str, Sealer]:
        """Row key and sealer; read inside the transaction, so that a key destroyed just now is not used."""
        user = self._keys.row_key(user_id)
        (new,) = database.execute("SELECT NOT EXISTS (SELECT 1 FROM utterances WHERE user = ?)", (user,)).fetchone()
        # With rows but without a key, a new key would hide that the old one is lost.
        return user, self._keys.sealer(user_id, create=bool(new))

    def _open(self, sealer: Sealer, user_id: str, row_id: str, sealed: bytes) -> Utterance | None:
        try:
            return open_utterance(sealer, user_id, row_id, sealed)
        except SealError as error:
            logger.warning("{}: utterance {} skipped: {}", self._path, row_id, error)
            return None

    def _claims(self, user_id: str) -> list[tuple[str, Claim]]:
        user = self._keys.row_key(user_id)
        rows = self._file.rows("SELECT key, sealed FROM claims WHERE user = ? ORDER BY rowid", (user,))
        if not rows:
            return []
        sealer = self._keys.sealer(user_id, create=False)
        claims = []
        for key, sealed in rows:
            try:
                claims.append((key, open_claim(sealer, key, sealed)))
            except SealError as error:
                logger.warning("{}: claim {} skipped: {}", self._path, key, error)
        return claims

    def _withdraw_support(self, database: Any, user_id: str, user: str, forgotten: frozenset[str]) -> None:
        try:
            claims = self._claims(user_id)
        except KeyMissingError:
            return
        for key, claim in claims:
            left = tuple(row_id for row_id in claim.utterances if row_id not in forgotten)
            if left == claim.utterances:
                continue
            if left:
                _put_claim(database, user, self._keys.sealer(user_id, create=False), replace(claim, utterances=left))
            else:
                database.execute("DELETE FROM claims WHERE user = ? AND key = ?", (user, key))


def _known_ids(database: Any, user: str, ids: Iterable[str]) -> set[str]:
    rows = database.execute(
        "SELECT id FROM utterances WHERE user = ? AND id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(list(ids))),
    )
    return {row_id for (row_id,) in rows}


def _put_claim(database: Any, user: str, sealer: Sealer, claim: Claim) -> None:
    key, sealed = seal_claim(sealer, claim)
    database.execute(
        "INSERT INTO claims (user, key, sealed) VALUES (?, ?, ?) "
        "ON CONFLICT (user, key) DO UPDATE SET sealed = excluded.sealed",
        (user, key, sealed),
    )
