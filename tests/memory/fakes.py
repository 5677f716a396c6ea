"""Stand-ins for the slow parts of memory: an embedder of words, an understander of nothing."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from memory.index.tokenise import terms
from memory.inner_state import InnerState
from memory.nouns import Speaker, Understanding, Utterance

Floats = npt.NDArray[np.float32]


def said(
    text: str,
    *,
    id: str | None = None,
    session: str = "s1",
    turn: int = 1,
    speaker: Speaker = Speaker.USER,
    at: float = 1000.0,
    user: str = "anna",
) -> Utterance:
    """An utterance; its id is its text unless given."""
    return Utterance(id or text, user, session, turn, speaker, text, at)


def direction(word: str, dim: int) -> Floats:
    """A fixed random unit vector of a word."""
    vector = np.random.default_rng(zlib.crc32(word.encode())).standard_normal(dim).astype(np.float32)
    return vector / np.linalg.norm(vector)


@dataclass
class WordEmbedder:
    """Texts that share words are close, and others are not: a dimension for every word.

    ``gate`` and ``fail`` make it hang and break.
    """

    name: str = "words-1"
    dim: int = 8192
    synonyms: dict[str, str] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    passages: list[str] = field(default_factory=list)
    gate: threading.Event | None = None
    fail: Exception | None = None
    before_query: Callable[[str], None] = lambda text: None

    def warm_up(self) -> None:
        """Nothing to load."""

    def embed_query(self, text: str) -> Floats:
        self.queries.append(text)
        self.before_query(text)
        if self.gate is not None:
            self.gate.wait()
        if self.fail is not None:
            raise self.fail
        return self._vector(text)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        self.passages.extend(texts)
        if self.fail is not None:
            raise self.fail
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Floats:
        total = np.zeros(self.dim, np.float32)
        total[0] = 0.5
        for term in terms(text):
            total[1 + zlib.crc32(self.synonyms.get(term, term).encode()) % (self.dim - 1)] += 1
        return total / np.linalg.norm(total)


@dataclass
class ScriptedUnderstander:
    """Returns what the script holds for a text, else an empty understanding."""

    script: dict[str, Understanding] = field(default_factory=dict)
    fail: Exception | None = None
    gate: threading.Event | None = None
    heard: list[str] = field(default_factory=list)

    def warm_up(self) -> None:
        """Nothing to load."""

    def understand(self, text: str, *, now: datetime, state: InnerState, language: str | None = None) -> Understanding:
        self.heard.append(text)
        if self.gate is not None:
            self.gate.wait()
        if self.fail is not None:
            raise self.fail
        return self.script.get(text, Understanding(text, language or "en"))


def fixed_now() -> datetime:
    """A session's own time."""
    return datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
