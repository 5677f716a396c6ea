"""Fusion, priors, suppression and ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index import ranking
from memory.index.dense import DenseScores
from memory.index.lexical import LexicalScores
from memory.index.rows import Rows
from tests.memory.fakes import Floats, said

ONLY_WORDS = ranking.Weights(session=0, recency=0, question=0, asks_time=0, outdated=0)


def rows_of(*texts: str, session: str = "s1") -> Rows:
    rows = Rows()
    for number, text in enumerate(texts):
        rows.add(said(text, id=str(number), session=session))
    return rows


def lexical(*scores: float) -> LexicalScores:
    array = np.array(scores, np.float32)
    return LexicalScores(array, array)


def dense(*scores: float, known: tuple[bool, ...] | None = None) -> DenseScores:
    array = np.array(scores, np.float32)
    return DenseScores(array, array, np.array(known or [True] * len(scores)))


def everyone(rows: Rows) -> np.ndarray:
    return np.ones(rows.count, np.bool_)


def test_words_and_meaning_add_up() -> None:
    rows = rows_of("a", "b", "c", "d")
    fused = ranking.fuse(rows, everyone(rows), lexical(1, 1, 0, 0), dense(0.8, 0.7, 0.8, 0.7), weights=ONLY_WORDS)
    assert int(np.argmax(fused)) == 0
    assert int(np.argmin(fused)) == 3


def test_the_scale_of_the_embedder_does_not_matter() -> None:
    rows = rows_of("a", "b", "c")
    one = ranking.fuse(rows, everyone(rows), lexical(1, 0, 2), dense(0.80, 0.81, 0.79), weights=ONLY_WORDS)
    other = ranking.fuse(rows, everyone(rows), lexical(1, 0, 2), dense(0.1, 0.2, 0.0), weights=ONLY_WORDS)
    np.testing.assert_allclose(one, other, atol=1e-3)


def test_a_row_without_a_vector_is_neither_helped_nor_harmed_by_meaning() -> None:
    rows = rows_of("a", "b", "c")
    with_meaning = ranking.fuse(
        rows, everyone(rows), lexical(0, 1, 2), dense(9, 0.5, 0.1, known=(False, True, True)), weights=ONLY_WORDS
    )
    words_only = ranking.fuse(rows, everyone(rows), lexical(0, 1, 2), None, weights=ONLY_WORDS)
    assert with_meaning[0] == words_only[0]


def test_half_heard_meaning_counts_half() -> None:
    rows = rows_of("a", "b")
    args = (rows, everyone(rows), lexical(0, 0), dense(1, 0))
    whole = ranking.fuse(*args, weights=ONLY_WORDS)
    half = ranking.fuse(*args, weights=ONLY_WORDS, dense_share=0.5)
    np.testing.assert_allclose(half, whole / 2, atol=1e-5)


def test_who_may_not_be_recalled_changes_nothing_for_the_others() -> None:
    rows = rows_of("a", "b", "c")
    eligible = np.array([True, True, False])
    one = ranking.fuse(rows, eligible, lexical(0, 1, 100), dense(0, 1, 100), weights=ONLY_WORDS)
    other = ranking.fuse(rows, eligible, lexical(0, 1, -5), dense(0, 1, -5), weights=ONLY_WORDS)
    np.testing.assert_allclose(one[:2], other[:2])
    assert np.isneginf(one[2])


@pytest.mark.parametrize(
    ("better", "worse", "options"),
    [
        ("My dog is Bruno.", "Where is my dog?", {}),
        ("I went there last Friday.", "I went there with Bruno.", {"asks_time": True}),
        ("I eat fish now.", "I eat no fish.", {"outdated": np.array([False, True])}),
    ],
)
def test_priors_decide_between_equals(better: str, worse: str, options: dict[str, object]) -> None:
    rows = rows_of(better, worse)
    fused = ranking.fuse(
        rows,
        everyone(rows),
        lexical(1, 1),
        None,
        weights=ranking.Weights(),
        **options,  # type: ignore[arg-type]
    )
    assert fused[0] > fused[1]


def test_a_good_session_lifts_what_was_said_in_it() -> None:
    rows = Rows()
    for number, session in enumerate(("s1", "s1", "s2")):
        rows.add(said(f"t{number}", session=session))
    fused = ranking.fuse(rows, everyone(rows), lexical(5, 1, 1), None, weights=ranking.Weights(recency=0, session=0.5))
    assert fused[1] > fused[2]


def test_between_equals_the_newer_comes_first() -> None:
    rows = rows_of("Bruno sleeps", "Bruno eats", "Bruno runs")
    scores = ranking.fuse(rows, everyone(rows), lexical(1, 1, 1), None, weights=ONLY_WORDS)
    assert [pick.row for pick in ranking.pick(rows, scores, 3, neighbour=0)] == [2, 1, 0]


def test_a_pick_lowers_its_neighbours() -> None:
    rows = rows_of("a", "b", "c", "d")
    scores = np.array([3.0, 2.9, 0.0, 2.5], np.float32)
    assert [p.row for p in ranking.pick(rows, scores, 3, neighbour=0.6)] == [0, 3, 1]
    assert [p.row for p in ranking.pick(rows, scores, 3, neighbour=0.0)] == [0, 1, 3]


def test_repetitions_are_picked_once() -> None:
    rows = rows_of("My dog is Bruno.", "my dog is bruno", "I like tea.")
    scores = np.array([3.0, 2.0, 1.0], np.float32)
    assert [p.row for p in ranking.pick(rows, scores, 3, neighbour=0)] == [0, 2]


def test_the_same_question_asked_before_is_no_answer() -> None:
    rows = rows_of("What is my dog's name?", "My dog's name is Bruno.", "What is my dog's favourite food?")
    scores = np.array([9.0, 5.0, 4.0], np.float32)
    picked = ranking.pick(rows, scores, 3, neighbour=0, known=frozenset({"dog", "nam"}))
    assert [p.row for p in picked] == [1, 2]


def test_nothing_eligible_gives_nothing() -> None:
    rows = rows_of("a", "b")
    scores = ranking.fuse(rows, np.zeros(2, np.bool_), lexical(1, 2), None, weights=ranking.Weights())
    assert ranking.pick(rows, scores, 5, neighbour=0.6) == []


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=30), st.integers(0, 40))
def test_picks_are_distinct_finite_and_best_first(values: list[float], k: int) -> None:
    rows = rows_of(*(f"word{i}" for i in range(len(values))))
    scores: Floats = np.array(values, np.float32)
    picked = ranking.pick(rows, scores, k, neighbour=0.6)
    assert len(picked) == min(k, len(values))
    assert len({p.row for p in picked}) == len(picked)
    if picked:
        assert picked[0].score == scores.max()
