"""What a conversation starts with: everything the user said before, findable, and the inner state. Blocking."""

from __future__ import annotations

from dataclasses import dataclass

from memory.embedder import Embedder
from memory.index.user_index import UserIndex
from memory.inner_state import InnerState, StateHistory, carry_over
from memory.journal import Journal
from memory.nouns import Claim, Entity
from memory.sessions.base import SessionStore


@dataclass(frozen=True, slots=True)
class Loaded:
    """One user's memory.

    Attributes:
        index: All utterances; with the vectors that fit the embedder.
        claims: All claims.
        mentions: Utterance id -> the entities it names, oldest first.
        history: The inner state and its earlier versions.
        stored_version: The version the store holds of this session; 0 for a new one.
    """

    index: UserIndex
    claims: tuple[Claim, ...]
    mentions: dict[str, tuple[Entity, ...]]
    history: StateHistory
    stored_version: int


def load(
    journal: Journal, sessions: SessionStore, embedder: Embedder, *, user_id: str, session_id: str, resume: bool
) -> Loaded:
    """Read one user's memory.

    Args:
        journal: The ground truth.
        sessions: Where inner states live.
        embedder: Whose vectors are wanted.
        user_id: Whose memory.
        session_id: One that was saved before is taken up where it was left.
        resume: Whether a new session begins with what carries over from the user's last one.

    Raises:
        UserError: It cannot be read.
    """
    index = _load_index(journal, user_id, embedder)
    history, version = _load_state(sessions, user_id, session_id, resume=resume)
    return Loaded(index, tuple(journal.read_claims(user_id)), journal.read_mentions(user_id), history, version)


def _load_index(journal: Journal, user_id: str, embedder: Embedder) -> UserIndex:
    index = UserIndex(embedder.dim)
    vectors = journal.read_vectors(user_id, embedder.name)
    for _, utterance in journal.read(user_id):
        index.add(utterance)
        vector = vectors.get(utterance.id)
        if vector is not None and vector.shape == (embedder.dim,):
            index.put_vector(utterance.id, vector)
    return index


def _load_state(sessions: SessionStore, user_id: str, session_id: str, *, resume: bool) -> tuple[StateHistory, int]:
    loaded = sessions.load(user_id, session_id)
    if loaded is not None:
        return StateHistory(sessions.versions(user_id, session_id)), loaded[1]
    last = sessions.latest(user_id) if resume else None
    return StateHistory([carry_over(last[1]) if last is not None else InnerState()]), 0
