"""Smoothed cosines against a slow reference, while utterances come and go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index.dense import SMOOTHING
from memory.index.user_index import UserIndex
from memory.nouns import Utterance
from tests.memory.fakes import Floats, direction, said

DIM = 8


def naive(kept: list[Utterance], vectors: dict[str, Floats], query: Floats) -> dict[str, float]:
    scores = {}
    for utterance in kept:
        session = [other for other in kept if other.session_id == utterance.session_id]
        at = session.index(utterance)
        total = np.zeros(DIM, np.float32)
        for offset, weight in SMOOTHING.items():
            if 0 <= at + offset < len(session):
                total += weight * vectors.get(session[at + offset].id, np.zeros(DIM, np.float32))
        norm = np.linalg.norm(total)
        scores[utterance.id] = float(total @ query / norm) if norm > 0 else 0.0
    return scores


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["s1", "s2"]), st.booleans()), min_size=1, max_size=90),
    st.sets(st.integers(0, 89), max_size=30),
)
def test_smoothing_equals_the_reference_after_any_adding_and_removing(
    spoken: list[tuple[str, bool]], removed: set[int]
) -> None:
    index = UserIndex(DIM)
    utterances = [said("x", id=str(i), session=session) for i, (session, _) in enumerate(spoken)]
    vectors = {
        str(i): direction(f"v{i}", DIM).astype(np.float16).astype(np.float32)
        for i, (_, embedded) in enumerate(spoken)
        if embedded
    }
    query = direction("query", DIM)
    for number, utterance in enumerate(utterances):
        index.add(utterance)
        if utterance.id in vectors:
            index.put_vector(utterance.id, vectors[utterance.id])
        if number % 7 == 3:
            index.dense.score(query)
    index.remove(str(i) for i in removed)
    kept = [u for i, u in enumerate(utterances) if i not in removed]
    scores = index.dense.score(query)
    expected = naive(kept, vectors, query)
    for utterance in kept:
        row = index.rows.row(utterance.id)
        assert scores.smoothed[row] == pytest.approx(expected[utterance.id], abs=1e-5)
        assert scores.known[row] == (utterance.id in vectors)
        if utterance.id in vectors:
            assert scores.own[row] == pytest.approx(float(vectors[utterance.id] @ query), abs=1e-5)


def test_a_removed_vector_is_overwritten() -> None:
    index = UserIndex(DIM)
    index.add(said("gone"))
    index.put_vector("gone", direction("gone", DIM))
    index.remove(["gone"])
    assert not index.dense._vectors.any()
    index.put_vector("gone", direction("gone", DIM))
    assert not index.dense._vectors.any()


def test_what_lacks_a_vector_is_listed_in_order() -> None:
    index = UserIndex(DIM)
    for name in ("a", "b", "c"):
        index.add(said(name))
    index.put_vector("b", direction("b", DIM))
    assert [utterance.id for utterance in index.without_vector()] == ["a", "c"]


def test_ranking_is_the_same_before_and_after_a_round_trip_through_half_precision() -> None:
    vector = direction("precise", DIM)
    fresh, restarted = UserIndex(DIM), UserIndex(DIM)
    for index, stored in ((fresh, vector), (restarted, vector.astype("<f2").astype(np.float32))):
        index.add(said("precise"))
        index.put_vector("precise", stored)
    query = direction("query", DIM)
    assert fresh.dense.score(query).own[0] == restarted.dense.score(query).own[0]
