"""From scores to a short ranked list: fusion by z-scores, soft priors, suppression of neighbours, a floor.

The fused score of a row is a weighted sum of z-scores over the rows that may be recalled (reciprocal-rank fusion
finds 7 points less on LoCoMo), plus priors. Priors move a row up or down and never take it out. Ties go to the later
row, so that equal inputs give equal lists and the newer of two equal statements comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.index.dense import DenseScores
from memory.index.lexical import LexicalScores
from memory.index.rows import Bools, Rows

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts, in standard deviations of the lexical score.

    Set on two LoCoMo conversations and on first-person spoken questions in English and Mandarin. What is spoken
    shares fewer words with its question than what is written, so the utterance's own meaning counts too.

    Attributes:
        window: z-score of the cosine to the utterance with its neighbours.
        own: z-score of the cosine to the utterance alone.
        asks_time: A time question, and the utterance names a time.
        question: The utterance only asks.
        outdated: The utterance only supports claims that no longer hold.
        session: Times the best score in the utterance's session.
        recency: From 0 for the oldest utterance to this for the newest.
        neighbour: Taken from the utterances beside one that was picked.
    """

    window: float = 1.1
    own: float = 1.3
    asks_time: float = 1.0
    question: float = -2.0
    outdated: float = -2.0
    session: float = 0.5
    recency: float = 0.3
    neighbour: float = 0.6


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row and its score, comparable within one ranking."""

    row: int
    score: float


def fuse(
    rows: Rows,
    eligible: Bools,
    lexical: LexicalScores,
    dense: DenseScores | None,
    *,
    weights: Weights,
    asks_time: bool = False,
    dense_share: float = 1.0,
    outdated: Bools | None = None,
) -> Floats:
    """Join all signals.

    Args:
        rows: The rows that were scored.
        eligible: bool[n], rows that may be recalled.
        lexical: Scores of the words.
        dense: Scores of the meaning; None without an embedding.
        weights: How much each signal counts.
        asks_time: Whether the query asks for a time.
        dense_share: 0 to 1; how much of the query the embedding has heard.
        outdated: bool[n], rows that only support what no longer holds.

    Returns:
        float32[n]; -inf for rows that may not be recalled.
    """
    total = _z(lexical.window, eligible)
    if dense is not None:
        known = eligible & dense.known
        total += np.float32(dense_share * weights.window) * _z(dense.smoothed, known)
        total += np.float32(dense_share * weights.own) * _z(dense.own, known)
    if asks_time:
        total += weights.asks_time * rows.timed
    total += weights.question * rows.questions
    if outdated is not None:
        total += weights.outdated * outdated
    total += weights.recency * np.arange(1, rows.count + 1, dtype=np.float32) / max(rows.count, 1)
    if weights.session and eligible.any():
        best = np.full(int(rows.sessions.max()) + 1, -np.inf, np.float32)
        np.maximum.at(best, rows.sessions[eligible], total[eligible])
        total += weights.session * np.where(np.isfinite(best), best, 0)[rows.sessions]
    return np.where(eligible, total, -np.inf).astype(np.float32)


def pick(rows: Rows, scores: Floats, k: int, *, neighbour: float, known: frozenset[str] = frozenset()) -> list[Ranked]:
    """Take the best rows one after the other; each pick lowers its neighbours and takes out its repetitions.

    Args:
        rows: The rows that were scored.
        scores: float32[n]; -inf for rows that may not be recalled.
        k: How many at most.
        neighbour: What a pick takes from the utterances beside it.
        known: Terms of the query. An earlier question that holds nothing else is the same question, and no answer.

    Returns:
        At most ``k``, best first.
    """
    left = scores.copy()
    picked: list[Ranked] = []
    said: set[tuple[str, ...]] = set()
    before, after, questions = rows.before, rows.after, rows.questions
    while len(picked) < k and len(left):
        row = len(left) - 1 - int(np.argmax(left[::-1]))
        score = float(left[row])
        if not np.isfinite(score):
            break
        left[row] = -np.inf
        terms = rows.terms(row)
        if terms in said or (questions[row] and known.issuperset(terms)):
            continue
        picked.append(Ranked(row, score))
        if terms:
            said.add(terms)
        for beside in (int(before[row]), int(after[row])):
            if beside >= 0:
                left[beside] -= np.float32(neighbour)
    return picked


def _z(scores: Floats, over: Bools) -> Floats:
    """float32[n]: standard deviations above the mean of the rows in ``over``; 0 for others and without spread."""
    chosen = scores[over]
    if len(chosen) < 2:
        return np.zeros(len(scores), np.float32)
    spread = float(chosen.std())
    if spread < 1e-9:
        return np.zeros(len(scores), np.float32)
    return np.where(over, (scores - chosen.mean()) / spread, 0).astype(np.float32)
