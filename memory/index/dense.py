"""Cosine similarity of utterance vectors, smoothed over neighbours; a growing matrix in memory.

An utterance alone says little ("Yes, twice."), so its similarity is that of the weighted sum of its own vector and
its neighbours' in the same session. The sum is never stored: with raw cosines ``c`` the smoothed one is
``sum(w[k] * c[row + k]) / norm(sum(w[k] * v[row + k]))``, one matrix product and five look-ups. Smoothing stored
vectors finds as much as embedding three-utterance windows anew (measured on LoCoMo).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.index.rows import Bools, Rows

Floats = npt.NDArray[np.float32]

SMOOTHING: dict[int, float] = {-2: 0.4, -1: 0.6, 0: 1.0, 1: 0.4, 2: 0.2}
_CHUNK = 2048


@dataclass(frozen=True, slots=True)
class DenseScores:
    """How close the meaning of a query is to each row.

    Attributes:
        own: float32[n], cosine to the utterance alone, -1 to 1.
        smoothed: float32[n], cosine to the utterance with its neighbours, -1 to 1.
        known: bool[n], whether the row has a vector; the scores of others mean nothing.
    """

    own: Floats
    smoothed: Floats
    known: Bools


class DenseIndex:
    """The vectors of one user's utterances.

    Args:
        rows: The rows that this index shares with the others of the user.
        dim: Dimensions of a vector.
    """

    def __init__(self, rows: Rows, dim: int) -> None:
        self._rows = rows
        self._vectors: Floats = np.zeros((64, dim), np.float32)
        self._known: Bools = np.zeros(64, np.bool_)
        self._norms: Floats = np.ones(64, np.float32)
        self._stale: set[int] = set()
        self._scored = 0

    def put(self, row: int, vector: Floats) -> None:
        """Give a row its vector.

        Args:
            row: A row in use.
            vector: float32[dim], of length 1.
        """
        self._grow(row + 1)
        self._vectors[row] = vector
        self._known[row] = True
        self._touch(row)

    def remove(self, row: int, neighbours: tuple[int, ...]) -> None:
        """Take a row's vector out.

        Args:
            row: The row.
            neighbours: Rows that were beside it when it was taken out.
        """
        self._grow(row + 1)
        self._vectors[row] = 0
        self._known[row] = False
        for other in (row, *neighbours):
            self._touch(other)

    def score(self, query: Floats, hidden: Bools | None = None) -> DenseScores:
        """Score all rows against a query.

        Args:
            query: float32[dim].
            hidden: bool[n], rows that lend nothing to the rows beside them.
        """
        n = self._rows.count
        self._grow(n)
        self._stale.update(range(self._scored, n))
        self._scored = n
        self._refresh()
        # One thread: a threaded product takes longer, up to tenfold, when a recogniser keeps the other cores busy.
        own = np.vecdot(self._vectors[:n], query.astype(np.float32, copy=False))
        lent = own if hidden is None else np.where(hidden, np.float32(0), own)
        smoothed = np.zeros(n, np.float32)
        for offset, weight in SMOOTHING.items():
            link = self._rows.shifted(offset)
            smoothed += np.where(link >= 0, lent[link], np.float32(0)) * np.float32(weight)
        smoothed /= self._norms[:n]
        return DenseScores(own, smoothed, self._known[:n].copy())

    def known(self, row: int) -> bool:
        """Whether a row has a vector."""
        return row < len(self._known) and bool(self._known[row])

    def _touch(self, row: int) -> None:
        """Mark the rows whose smoothed vector holds this one."""
        self._stale.add(row)
        for links in (self._rows.before, self._rows.after):
            other = row
            for _ in range(2):
                other = int(links[other])
                if other < 0:
                    break
                self._stale.add(other)

    def _refresh(self) -> None:
        """Work out the lengths of the smoothed vectors that changed."""
        stale = np.array(sorted(self._stale), np.int32)
        self._stale.clear()
        links = {offset: self._rows.shifted(offset) for offset in SMOOTHING} if len(stale) else {}
        for start in range(0, len(stale), _CHUNK):
            rows = stale[start : start + _CHUNK]
            total = np.zeros((len(rows), self._vectors.shape[1]), np.float32)
            for offset, weight in SMOOTHING.items():
                link = links[offset][rows]
                inside = link >= 0
                total[inside] += np.float32(weight) * self._vectors[link[inside]]
            norms = np.linalg.norm(total, axis=1)
            self._norms[rows] = np.where(norms > 0, norms, 1)

    def _grow(self, size: int) -> None:
        old = len(self._vectors)
        if size <= old:
            return
        new = max(2 * old, size)
        vectors = np.zeros((new, self._vectors.shape[1]), np.float32)
        known = np.zeros(new, np.bool_)
        norms = np.ones(new, np.float32)
        vectors[:old], known[:old], norms[:old] = self._vectors, self._known, self._norms
        self._vectors, self._known, self._norms = vectors, known, norms
