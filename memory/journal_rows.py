"""Journal rows: the tables, and utterances, vectors, mentions and claims as sealed bytes, each bound to its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from memory.nouns import Claim, Entity, Speaker, Utterance
from memory.privacy import Sealer

SCHEMA = """
CREATE TABLE IF NOT EXISTS utterances (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    user TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER NOT NULL,
    said_at REAL NOT NULL, kind TEXT NOT NULL, sealed BLOB NOT NULL, UNIQUE (user, id));
CREATE INDEX IF NOT EXISTS utterances_in_order ON utterances (user, sequence);
CREATE TABLE IF NOT EXISTS vectors (
    user TEXT NOT NULL, model TEXT NOT NULL, id TEXT NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (user, model, id));
CREATE TABLE IF NOT EXISTS claims (
    user TEXT NOT NULL, key TEXT NOT NULL, sealed BLOB NOT NULL, UNIQUE (user, key));
CREATE TABLE IF NOT EXISTS mentions (
    user TEXT NOT NULL, id TEXT NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (user, id))
"""


def _dump(record: Sequence[Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _load(plain: bytes) -> Any:
    return json.loads(plain.decode("utf-8", "surrogatepass"))


def seal_utterance(sealer: Sealer, said: Utterance) -> bytes:
    """The sealed utterance; its ids and times are in the seal too, so that columns cannot be edited unnoticed."""
    record = (said.session_id, said.turn_id, said.speaker, said.text, said.said_at, said.language, said.unheard)
    return sealer.seal(_dump(record), b"utterance\0" + said.id.encode("utf-8", "surrogatepass"))


def open_utterance(sealer: Sealer, user_id: str, row_id: str, sealed: bytes) -> Utterance:
    """What :func:`seal_utterance` sealed.

    Raises:
        SealError: It was changed, moved, or belongs to another key.
    """
    plain = sealer.open(sealed, b"utterance\0" + row_id.encode("utf-8", "surrogatepass"))
    session_id, turn_id, speaker, text, said_at, language, unheard = _load(plain)
    return Utterance(row_id, user_id, session_id, turn_id, Speaker(speaker), text, said_at, language, unheard)


def _vector_context(model: str, row_id: str) -> bytes:
    return _dump(("vector", model, row_id))


def seal_vector(sealer: Sealer, model: str, row_id: str, vector: np.ndarray) -> bytes:
    """A vector as sealed little-endian float16."""
    return sealer.seal(np.asarray(vector).astype("<f2").tobytes(), _vector_context(model, row_id))


def open_vector(sealer: Sealer, model: str, row_id: str, sealed: bytes) -> np.ndarray:
    """What :func:`seal_vector` sealed, as float32.

    Raises:
        SealError: It was changed, moved, or belongs to another key.
    """
    return np.frombuffer(sealer.open(sealed, _vector_context(model, row_id)), dtype="<f2").astype(np.float32)


def seal_mentions(sealer: Sealer, row_id: str, entities: Sequence[Entity]) -> bytes:
    """The entities that an utterance names, sealed."""
    record = [(entity.name, entity.kind, entity.start, entity.end, entity.value) for entity in entities]
    return sealer.seal(_dump(record), _dump(("mentions", row_id)))


def open_mentions(sealer: Sealer, row_id: str, sealed: bytes) -> tuple[Entity, ...]:
    """What :func:`seal_mentions` sealed.

    Raises:
        SealError: It was changed, moved, or belongs to another key.
    """
    record = _load(sealer.open(sealed, _dump(("mentions", row_id))))
    return tuple(Entity(name, kind, start, end, value) for name, kind, start, end, value in record)


def seal_claim(sealer: Sealer, claim: Claim) -> tuple[str, bytes]:
    """The key that finds the same statement again, and the sealed claim."""
    identity = (claim.subject, claim.attribute, claim.value, bool(claim.polarity), float(claim.since))
    key = sealer.digest(_dump(identity))
    record = (*identity, claim.kind, claim.until, claim.utterances)
    return key, sealer.seal(_dump(record), b"claim\0" + key.encode())


def open_claim(sealer: Sealer, key: str, sealed: bytes) -> Claim:
    """What :func:`seal_claim` sealed.

    Raises:
        SealError: It was changed, moved, or belongs to another key.
    """
    subject, attribute, value, polarity, since, kind, until, utterances = _load(
        sealer.open(sealed, b"claim\0" + key.encode())
    )
    return Claim(subject, attribute, value, polarity, kind, since, until, tuple(utterances))
