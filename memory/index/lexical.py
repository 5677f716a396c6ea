"""BM25 over windows of neighbouring utterances, incremental and in memory.

The document of an utterance is its own terms twice plus those of the two utterances before and the one after it in
the same session: spoken answers leave out what the question before them named. Only the utterances' own postings are
stored; the windows are made when a query is scored, so an added utterance reaches its neighbours at once.

BM25 as in Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Measured on the
development half of LoCoMo, windows find a quarter more evidence than single utterances.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from memory.index.rows import Bools, Ints, Rows

Floats = npt.NDArray[np.float32]

K1 = 1.2
B = 0.6
OWN_WEIGHT = 2.0
# A term's rarity is judged as if this much else had been said without it.
_USUAL_UTTERANCES = 50
# Offset from a term's utterance to the utterances whose window it is in.
REACHES = (-1, 1, 2)


@dataclass(slots=True)
class _Postings:
    rows: array[int] = field(default_factory=lambda: array("i"))
    counts: array[int] = field(default_factory=lambda: array("H"))


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """How well the words of a query fit each row.

    Attributes:
        window: float32[n], BM25 of the utterance with its neighbours.
        coverage: float32[n], share (0 to 1) of the query's terms, weighted by their rarity, that the utterance
            itself holds.
    """

    window: Floats
    coverage: Floats


class LexicalIndex:
    """The terms of one user's utterances.

    Args:
        rows: The rows that this index shares with the others of the user.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._postings: dict[str, _Postings] = {}
        self._lengths: array[float] = array("f")

    def add(self, row: int) -> None:
        """Index the utterance that was just given ``row``; rows are added in order."""
        terms = self._rows.terms(row)
        for term, count in Counter(terms).items():
            postings = self._postings.setdefault(term, _Postings())
            postings.rows.append(row)
            postings.counts.append(min(count, 65535))
        self._lengths.append(len(terms))

    def remove(self, row: int, terms: Sequence[str]) -> None:
        """Take a row's terms out.

        Args:
            row: The row.
            terms: The terms it was indexed with.
        """
        for term in set(terms):
            postings = self._postings[term]
            position = postings.rows.index(row)
            del postings.rows[position], postings.counts[position]
            if not postings.rows:
                del self._postings[term]
        self._lengths[row] = 0

    def score(self, query: Sequence[str], hidden: Bools | None = None) -> LexicalScores:
        """Score all rows against a query.

        Args:
            query: Search terms, as ``tokenise.terms`` gives them.
            hidden: bool[n], rows that count as not said: what is being asked now must not lend its words to
                the windows beside it.

        Returns:
            Scores for every row; 0 where nothing fits.
        """
        n = self._rows.count
        window, coverage = np.zeros(n, np.float32), np.zeros(n, np.float32)
        hidden = np.zeros(n, np.bool_) if hidden is None else hidden
        documents = int((self._rows.alive & ~hidden).sum())
        if not documents or not query:
            return LexicalScores(window, coverage)
        links = {reach: self._rows.shifted(reach) for reach in REACHES}
        norm = self._length_norm(links, hidden, documents)
        total = 0.0
        for term, times in Counter(query).items():
            postings = self._postings.get(term)
            if postings is None:
                total += _rarity(0, documents)
                continue
            rows = np.array(postings.rows, np.int32)
            counts = np.array(postings.counts, np.float32)
            shown = ~hidden[rows]
            rows, counts = rows[shown], counts[shown]
            rarity = _rarity(len(rows), documents)
            total += rarity
            coverage[rows] += np.float32(rarity)
            spread = _spread(rows, counts, links, n)
            spread[hidden] = 0
            hit = np.flatnonzero(spread)
            saturated = spread[hit] * (K1 + 1) / (spread[hit] + norm[hit])
            window[hit] += (times * _idf(len(hit), documents) * saturated).astype(np.float32)
        coverage /= np.float32(total)
        return LexicalScores(window, coverage)

    def _length_norm(self, links: dict[int, Ints], hidden: Bools, documents: int) -> Floats:
        """float32[n]: what BM25 adds to a term's count for the length of the window."""
        own = np.where(hidden, np.float32(0), np.frombuffer(self._lengths, np.float32))
        lengths = np.float32(OWN_WEIGHT) * own
        for link in links.values():
            inside = link >= 0
            lengths += np.bincount(link[inside], own[inside], minlength=len(own)).astype(np.float32)
        lengths[hidden] = 0
        average = max(float(lengths.sum()) / documents, 1e-6)
        return (K1 * (1 - B + B * lengths / average)).astype(np.float32)


def _spread(rows: Ints, counts: Floats, links: dict[int, Ints], n: int) -> Floats:
    """float32[n]: how often a term is in each window."""
    targets = [rows] + [links[reach][rows] for reach in REACHES]
    weights = [np.float32(OWN_WEIGHT) * counts] + [counts] * len(REACHES)
    at = np.concatenate(targets)
    weight = np.concatenate(weights)
    inside = at >= 0
    return np.bincount(at[inside], weight[inside], minlength=n).astype(np.float32)


def _idf(matches: int, documents: int) -> float:
    return math.log1p((documents - matches + 0.5) / (matches + 0.5))


def _rarity(matches: int, documents: int) -> float:
    """Inverse document frequency that stays sensible when only a handful of utterances is known."""
    return math.log((documents + _USUAL_UTTERANCES) / (matches + 0.5))
