"""Everything of one user that can be searched, kept in step: rows, words, meanings. In memory only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from memory.index.dense import DenseIndex
from memory.index.lexical import LexicalIndex
from memory.index.rows import Rows
from memory.nouns import Utterance

Floats = npt.NDArray[np.float32]


class UserIndex:
    """The indexes of one user. Not thread-safe: its conversation's event loop owns it.

    Args:
        dim: Dimensions of a vector.
    """

    def __init__(self, dim: int) -> None:
        self.rows = Rows()
        self.lexical = LexicalIndex(self.rows)
        self.dense = DenseIndex(self.rows, dim)

    def add(self, utterance: Utterance) -> bool:
        """Make an utterance findable by its words.

        Returns:
            False if it was there already.
        """
        if utterance.id in self.rows:
            return False
        self.lexical.add(self.rows.add(utterance))
        return True

    def put_vector(self, utterance_id: str, vector: Floats) -> None:
        """Make an utterance findable by its meaning; one that was removed meanwhile stays removed.

        Args:
            utterance_id: The utterance.
            vector: float32[dim]; rounded as the journal rounds it, so that a restart changes no ranking.
        """
        row = self.rows.row(utterance_id)
        if row is not None:
            self.dense.put(row, vector.astype(np.float16).astype(np.float32))

    def remove(self, utterance_ids: Iterable[str]) -> int:
        """Take utterances out of everything.

        Returns:
            How many were there.
        """
        removed = 0
        for utterance_id in utterance_ids:
            row = self.rows.row(utterance_id)
            if row is None:
                continue
            terms = self.rows.terms(row)
            beside = tuple(int(link[row]) for link in (self.rows.before, self.rows.after) if link[row] >= 0)
            self.rows.remove(utterance_id)
            self.lexical.remove(row, terms)
            self.dense.remove(row, beside)
            removed += 1
        return removed

    def without_vector(self) -> list[Utterance]:
        """Utterances that can only be found by their words so far, in order of arrival."""
        rows = self.rows
        return [said for said in rows.utterances() if not self.dense.known(rows.rows_of([said.id])[0])]
