"""One search in one user's memory: words and meanings, priors, the floor, the token budget. Pure.

The floor keeps chit-chat and questions about things never said from dragging in whatever is least far away. A search
passes when one of its best rows holds half of the question's weight in words, or means more than generic sentences
do by ``FLOOR_DEVIATIONS`` (see ``memory.calibration``); neither depends on the embedder's scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.calibration import Calibration
from memory.index import cues, ranking, tokenise
from memory.index.dense import DenseScores
from memory.index.lexical import LexicalScores
from memory.index.rows import Bools
from memory.index.user_index import UserIndex
from memory.nouns import Recalled, RecallReason
from memory.tokens import estimate_tokens

Floats = npt.NDArray[np.float32]

FLOOR_DEVIATIONS = 2.1
FLOOR_COVERAGE = 0.5
# Where there is no vector the words must do alone, and few of them is all one gets.
FLOOR_COVERAGE_LEXICAL = 0.2
# What goes along with a pick that passes: a word of the question, some meaning, or a good part of the best window.
ITEM_DEVIATIONS = 1.5
ITEM_WINDOW = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for, read once.

    Attributes:
        text: The words.
        words: Without case and punctuation; two texts with the same words are the same question.
        terms: Search terms.
        asks_agent: Whether it asks for the agent's own words.
        asks_time: Whether it asks for a time.
        small_talk: Whether there is nothing to search for.
    """

    text: str
    words: tuple[str, ...]
    terms: tuple[str, ...]
    asks_agent: bool
    asks_time: bool
    small_talk: bool

    @classmethod
    def of(cls, text: str) -> Question:
        """Read a text."""
        return cls(
            text=text,
            words=tokenise.words(text),
            terms=tuple(tokenise.terms(text)),
            asks_agent=cues.asks_about_agent(text),
            asks_time=cues.asks_time(text),
            small_talk=cues.is_small_talk(text),
        )


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vector of a text that may be less than the whole question.

    Attributes:
        text: What was embedded.
        words: Its words, to compare with the question's.
        vector: float32[dim], length 1.
    """

    text: str
    words: tuple[str, ...]
    vector: Floats


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be found.

    Attributes:
        session_id: The session that asks.
        turn_id: Its current turn; what was said in it is the question and no evidence.
        outdated: Ids of utterances that only support what no longer holds.
    """

    session_id: str
    turn_id: int
    outdated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be found.

    Attributes:
        top_k: Items.
        token_budget: Estimated tokens of their texts.
    """

    top_k: int
    token_budget: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave.

    Attributes:
        items: Best first.
        tokens: Estimated tokens of their texts.
        reason: ``complete``, ``empty`` (nothing to search) or ``below_floor`` (nothing that fits).
    """

    items: tuple[Recalled, ...] = ()
    tokens: int = 0
    reason: RecallReason = RecallReason.COMPLETE


def nothing_to_find(index: UserIndex, question: Question, scope: Scope) -> RecallReason | None:
    """Why a search would be in vain, without searching: ``empty`` or ``below_floor``; None if it may find something."""
    if not (_eligible(index, question) & ~_asked_now(index, scope)).any():
        return RecallReason.EMPTY
    if question.small_talk:
        return RecallReason.BELOW_FLOOR
    return None


def search(
    index: UserIndex,
    question: Question,
    *,
    scope: Scope,
    limits: Limits,
    embedded: Embedded | None = None,
    calibration: Calibration | None = None,
    weights: ranking.Weights | None = None,
) -> Found:
    """Search by the words, and by the meaning where there is a vector.

    Args:
        index: The user's indexes.
        question: What is searched for.
        scope: What may be found.
        limits: How much may be found.
        embedded: A vector of the question or of a part of it; used together with ``calibration``.
        calibration: Measurements of the embedder that made it.
        weights: How much each signal counts; the measured ones by default.
    """
    weights = weights or ranking.Weights()
    vain = nothing_to_find(index, question, scope)
    if vain is not None:
        return Found(reason=vain)
    asked_now = _asked_now(index, scope)
    eligible = _eligible(index, question) & ~asked_now
    lexical = index.lexical.score(question.terms, asked_now)
    dense, share = None, 0.0
    if embedded is not None and calibration is not None:
        dense = _meaning(index, embedded, calibration, asked_now)
        share = heard_share(embedded, question)
    scores = ranking.fuse(
        index.rows,
        eligible,
        lexical,
        dense,
        weights=weights,
        asks_time=question.asks_time,
        dense_share=share,
        outdated=_marked(index, scope.outdated),
    )
    picked = ranking.pick(
        index.rows, scores, limits.top_k, neighbour=weights.neighbour, known=frozenset(question.terms)
    )
    kept = _above_floor(picked, lexical, dense, share)
    if not kept:
        return Found(reason=RecallReason.BELOW_FLOOR)
    return _within_budget([_recalled(index, pick) for pick in kept], limits.token_budget)


def heard_share(embedded: Embedded, question: Question) -> float:
    """How much of a question an embedded text holds, 0 to 1."""
    if embedded.words == question.words:
        return 1.0
    wanted = set(question.terms) or set(question.words)
    held = set(tokenise.terms(embedded.text)) if question.terms else set(embedded.words)
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _eligible(index: UserIndex, question: Question) -> Bools:
    rows = index.rows
    return rows.alive if question.asks_agent else rows.alive & ~rows.by_agent


def _asked_now(index: UserIndex, scope: Scope) -> Bools:
    """What belongs to the turn that is being answered."""
    rows = index.rows
    marks: Bools = (rows.sessions == rows.session_number(scope.session_id)) & (rows.turns == scope.turn_id)
    return marks


def _meaning(index: UserIndex, embedded: Embedded, calibration: Calibration, hidden: Bools) -> DenseScores:
    query = calibration.query(embedded.text, embedded.vector)
    return calibration.scores(query, index.dense.score(query, hidden), index.rows.han)


def _marked(index: UserIndex, utterance_ids: frozenset[str]) -> Bools:
    marks = np.zeros(index.rows.count, np.bool_)
    marks[index.rows.rows_of(tuple(utterance_ids))] = True
    return marks


def _above_floor(
    picked: Sequence[ranking.Ranked], lexical: LexicalScores, dense: DenseScores | None, share: float
) -> list[ranking.Ranked]:
    """The picks, without those that have nothing to do with the question; none if none has enough to do with it.

    The vector of a part of the question (``share`` below 1) may speak for an utterance, never against it.
    """

    def deviations(row: int) -> float:
        return float(dense.own[row]) if dense is not None and dense.known[row] else -np.inf

    def fits(row: int) -> bool:
        by_meaning = deviations(row)
        judged = np.isfinite(by_meaning) and share >= 1.0
        enough = FLOOR_COVERAGE if judged else FLOOR_COVERAGE_LEXICAL
        return by_meaning >= FLOOR_DEVIATIONS or bool(lexical.coverage[row] >= enough)

    def goes_along(row: int) -> bool:
        by_words = bool(lexical.coverage[row] > 0 or lexical.window[row] >= enough_around > 0)
        return by_words or deviations(row) >= ITEM_DEVIATIONS

    if not any(fits(pick.row) for pick in picked):
        return []
    enough_around = ITEM_WINDOW * max(float(lexical.window[pick.row]) for pick in picked)
    return [pick for pick in picked if goes_along(pick.row)]


def _recalled(index: UserIndex, pick: ranking.Ranked) -> Recalled:
    said = index.rows.utterance(pick.row)
    return Recalled(
        id=said.id,
        text=said.text,
        score=round(pick.score, 4),
        said_at=said.said_at,
        utterances=(said.id,),
        speaker=said.speaker,
    )


def _within_budget(items: Sequence[Recalled], budget: int) -> Found:
    """Items by rank until the budget is spent; one that is too long makes room for the next."""
    kept: list[Recalled] = []
    spent = 0
    for item in items:
        tokens = estimate_tokens(item.text)
        if spent + tokens <= budget:
            kept.append(item)
            spent += tokens
    return Found(tuple(kept), spent)
