"""Words to terms, and BM25 over windows, against a slow reference."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.index import lexical
from memory.index.tokenise import count_han, join, stem, terms, words
from memory.index.user_index import UserIndex
from memory.nouns import Utterance
from tests.memory.fakes import said

VOCABULARY = ["dog", "cat", "Bruno", "train", "window", "狗", "豆豆", "靠窗"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My dog's name", "the DOG names"),
        ("bakes baked baking", "bake bake bake"),
        ("stopped stopping", "stop stops"),
        ("parties", "party"),
        ("café", "CAFE"),
        ("Ｂｏｏｋ", "book"),
    ],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


def test_a_stem_is_never_empty_and_keeps_short_words() -> None:
    assert stem("bus") == "bus"
    assert stem("red") == "red"
    assert stem("king") == "king"
    assert stem("A302") == "A302"


def test_mandarin_gives_characters_and_pairs_without_particles() -> None:
    assert terms("我的狗叫豆豆。") == ["狗", "叫", "豆", "豆", "狗叫", "叫豆", "豆豆"]
    assert "什么" not in terms("我的狗叫什么名字?")
    assert {"名字", "狗"} <= set(terms("我的狗叫什么名字?"))


def test_mixed_text_is_cut_by_script() -> None:
    assert terms("帮我订A302会议室") == ["帮", "订", "帮订", "a302", "会", "议", "室", "会议", "议室"] or {
        "a302",
        "会议",
    } <= set(terms("帮我订A302会议室"))


def test_question_words_alone_leave_nothing() -> None:
    assert terms("What did I say to you?") == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Hello, Bruno!", "hello bruno", True), ("a b", "a b c", False), ("你好。", "你好", True)],
)
def test_words_ignore_case_and_punctuation(one: str, other: str, same: bool) -> None:
    assert (words(one) == words(other)) is same


@pytest.mark.parametrize(
    ("stable", "unstable", "joined"),
    [
        ("I like", "window seats", "I like window seats"),
        ("我的狗", "叫豆豆", "我的狗叫豆豆"),
        ("hello", ", you", "hello, you"),
        ("", "tail", "tail"),
        ("head ", "", "head"),
        ("订", "A302", "订A302"),
    ],
)
def test_parts_of_a_transcript_are_joined(stable: str, unstable: str, joined: str) -> None:
    assert join(stable, unstable) == joined


@given(st.text(max_size=200))
def test_any_text_can_be_cut(text: str) -> None:
    assert all(terms(text))
    assert count_han(text) <= len(text)


def naive_windows(kept: list[Utterance], query: list[str]) -> dict[str, float]:
    """BM25 over windows, the slow and obvious way."""
    documents: dict[str, Counter[str]] = {}
    for utterance in kept:
        session = [other for other in kept if other.session_id == utterance.session_id]
        at = session.index(utterance)
        document: Counter[str] = Counter()
        for offset, weight in ((-2, 1), (-1, 1), (0, 2), (1, 1)):
            if 0 <= at + offset < len(session):
                for term in terms(session[at + offset].text):
                    document[term] += weight
        documents[utterance.id] = document
    average = max(sum(d.total() for d in documents.values()) / len(documents), 1e-6)
    scores = {}
    for utterance_id, document in documents.items():
        score = 0.0
        for term, times in Counter(query).items():
            if not document[term]:
                continue
            matches = sum(1 for d in documents.values() if d[term])
            rarity = math.log1p((len(documents) - matches + 0.5) / (matches + 0.5))
            norm = lexical.K1 * (1 - lexical.B + lexical.B * document.total() / average)
            score += times * rarity * document[term] * (lexical.K1 + 1) / (document[term] + norm)
        scores[utterance_id] = score
    return scores


spoken = st.lists(
    st.tuples(st.sampled_from(["s1", "s2"]), st.lists(st.sampled_from(VOCABULARY), max_size=5)),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(spoken, st.sets(st.integers(0, 13)), st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3))
def test_scores_equal_the_reference_after_any_adding_and_removing(
    spoken: list[tuple[str, list[str]]], removed: set[int], query: list[str]
) -> None:
    utterances = [said(" ".join(text), id=str(i), session=session) for i, (session, text) in enumerate(spoken)]
    index = UserIndex(dim=4)
    for number, utterance in enumerate(utterances):
        assert index.add(utterance)
        if number % 3 == 2:
            index.remove(str(i) for i in removed if i <= number)
    index.remove(str(i) for i in removed)
    kept = [u for i, u in enumerate(utterances) if i not in removed]
    if not kept:
        assert not index.rows.alive.any()
        return
    query_terms = terms(" ".join(query))
    scores = index.lexical.score(query_terms)
    # Neighbours are who stood beside it when it came; removing in between joins the ends as the reference does.
    expected = naive_windows(kept, query_terms)
    for utterance in kept:
        row = index.rows.row(utterance.id)
        assert scores.window[row] == pytest.approx(expected[utterance.id], rel=1e-4, abs=1e-5)
    assert not scores.window[~index.rows.alive].any()
    assert (scores.coverage >= 0).all()
    assert (scores.coverage <= 1 + 1e-6).all()


def test_coverage_weighs_rare_terms_more() -> None:
    index = UserIndex(dim=4)
    for text in ("a red train", "a blue train", "a green train", "Bruno"):
        index.add(said(text))
    coverage = index.lexical.score(terms("Bruno train")).coverage
    assert coverage[3] > coverage[0] > 0


def test_a_word_that_was_never_said_lowers_coverage() -> None:
    index = UserIndex(dim=4)
    index.add(said("a red train"))
    known = index.lexical.score(terms("train")).coverage[0]
    unknown = index.lexical.score(terms("train zebra")).coverage[0]
    assert known == pytest.approx(1)
    assert unknown < 0.5


def test_what_is_asked_lends_no_words_to_its_neighbours() -> None:
    spoken = ["a red train", "a blue car", "where is the zebra", "a green bus"]
    whole, without = UserIndex(dim=4), UserIndex(dim=4)
    for text in spoken:
        whole.add(said(text))
    for text in (*spoken[:2], spoken[3]):
        without.add(said(text))
    hidden = np.array([False, False, True, False])
    shown = whole.lexical.score(terms("zebra bus"), hidden)
    assert shown.window[1] == 0
    assert shown.window[2] == shown.coverage[2] == 0
    assert whole.lexical.score(terms("zebra bus")).window[1] > 0
    assert shown.coverage[3] == pytest.approx(without.lexical.score(terms("zebra bus")).coverage[2])


def test_a_removed_utterance_leaves_no_term_behind() -> None:
    index = UserIndex(dim=4)
    index.add(said("my secret is Zanzibar"))
    index.remove(["my secret is Zanzibar"])
    assert index.remove(["my secret is Zanzibar"]) == 0
    assert "zanzibar" not in repr(vars(index.lexical)).lower()
    assert "zanzibar" not in repr(vars(index.rows)).lower()
    assert not np.any(index.lexical.score(["zanzibar"]).window)


def test_the_same_utterance_is_indexed_once() -> None:
    index = UserIndex(dim=4)
    assert index.add(said("a red train"))
    assert not index.add(said("a red train"))
    assert len(index.rows) == 1
