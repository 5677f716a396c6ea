"""One search: what may be found, the floor, the budget."""

from __future__ import annotations

import numpy as np
import pytest

from memory.calibration import Calibration
from memory.index.user_index import UserIndex
from memory.nouns import RecallReason, Speaker
from memory.search import Embedded, Found, Limits, Question, Scope, heard_share, search
from memory.tokens import estimate_tokens
from tests.memory.fakes import WordEmbedder, said

EMBEDDER = WordEmbedder()
CALIBRATION = Calibration.measure(EMBEDDER)
LIMITS = Limits(top_k=5, token_budget=430)
NOW = Scope("now", 1)

STORY = (
    "My dog is called Bruno.",
    "I always sit by the window.",
    "The rent goes up to nine hundred euros.",
    "My brother marries in Porto in June.",
    "我的猫叫咪咪。",
    "我对花生过敏。",
)


def index_of(*texts: str, speaker: Speaker = Speaker.USER, session: str = "s1") -> UserIndex:
    index = UserIndex(EMBEDDER.dim)
    add(index, *texts, speaker=speaker, session=session)
    return index


def add(index: UserIndex, *texts: str, speaker: Speaker = Speaker.USER, session: str = "s1", turn: int = 1) -> None:
    for text in texts:
        index.add(said(text, speaker=speaker, session=session, turn=turn))
        index.put_vector(text, EMBEDDER.embed_passages([text])[0])


def ask(index: UserIndex, text: str, scope: Scope = NOW, limits: Limits = LIMITS, *, embed: bool = True) -> Found:
    question = Question.of(text)
    embedded = Embedded(text, question.words, EMBEDDER.embed_query(text)) if embed else None
    return search(index, question, scope=scope, limits=limits, embedded=embedded, calibration=CALIBRATION)


def texts(found: Found) -> list[str]:
    return [item.text for item in found.items]


@pytest.mark.parametrize("embed", [True, False])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my dog called?", "My dog is called Bruno."),
        ("Who marries in Porto?", "My brother marries in Porto in June."),
        ("我的猫叫什么?", "我的猫叫咪咪。"),
        ("我对什么过敏?", "我对花生过敏。"),
    ],
)
def test_the_answer_comes_first(question: str, answer: str, embed: bool) -> None:
    found = ask(index_of(*STORY), question, embed=embed)
    assert found.reason is RecallReason.COMPLETE
    assert texts(found)[0] == answer


def test_an_item_is_the_utterance_itself() -> None:
    item = ask(index_of(*STORY), "What is my dog called?").items[0]
    assert item.id == "My dog is called Bruno."
    assert item.utterances == (item.id,)
    assert item.said_at == 1000.0
    assert item.brain == "left"
    assert item.speaker is Speaker.USER


def test_nothing_said_is_empty() -> None:
    assert ask(UserIndex(EMBEDDER.dim), "What is my dog called?") == Found(reason=RecallReason.EMPTY)


def test_what_is_said_in_this_turn_is_no_evidence_for_it() -> None:
    index = index_of(*STORY)
    add(index, "Is my dog called Bruno or Max?", session="now", turn=2)
    add(index, "Max is called my dog Bruno", session="other", turn=2)
    found = texts(ask(index, "Is my dog called Bruno or Max?", Scope("now", 2)))
    assert "Is my dog called Bruno or Max?" not in found
    assert "Max is called my dog Bruno" in found


@pytest.mark.parametrize(
    ("question", "included"), [("Which teacher did you recommend?", True), ("Who is my violin teacher?", False)]
)
def test_the_agents_words_are_found_only_when_asked_for(question: str, included: bool) -> None:
    index = index_of("I want to play the violin.")
    add(index, "A good violin teacher is Ines.", speaker=Speaker.AGENT)
    assert ("A good violin teacher is Ines." in texts(ask(index, question))) is included


def test_only_the_agent_has_spoken() -> None:
    index = index_of("Hello, I am Joe.", speaker=Speaker.AGENT)
    assert ask(index, "What is my name?").reason is RecallReason.EMPTY


@pytest.mark.parametrize("embed", [True, False])
@pytest.mark.parametrize("text", ["Quantum chromodynamics lattice", "Good morning.", "谢谢你", "火星上有水吗"])
def test_what_fits_nothing_recalls_nothing(text: str, embed: bool) -> None:
    assert ask(index_of(*STORY), text, embed=embed) == Found(reason=RecallReason.BELOW_FLOOR)


def test_the_floor_does_not_depend_on_the_embedders_scale() -> None:
    class Compressed(WordEmbedder):
        """All cosines above 0.9, as some models give them."""

        def _vector(self, text: str) -> np.ndarray:
            vector = super()._vector(text) * np.float32(0.25)
            vector[0] += 1
            return (vector / np.linalg.norm(vector)).astype(np.float32)

    for embedder in (WordEmbedder(synonyms={"pet": "dog"}), Compressed(synonyms={"pet": "dog"})):
        calibration = Calibration.measure(embedder)
        index = UserIndex(embedder.dim)
        for text in STORY:
            index.add(said(text))
            index.put_vector(text, embedder.embed_passages([text])[0])
        for text, reason in (("How is the pet?", RecallReason.COMPLETE), ("A zebra sings.", RecallReason.BELOW_FLOOR)):
            question = Question.of(text)
            embedded = Embedded(text, question.words, embedder.embed_query(text))
            found = search(index, question, scope=NOW, limits=LIMITS, embedded=embedded, calibration=calibration)
            assert found.reason is reason, (type(embedder).__name__, text)


def test_a_synonym_is_found_by_meaning_alone() -> None:
    embedder = WordEmbedder(synonyms={"pet": "dog"})
    index = UserIndex(embedder.dim)
    for text in STORY:
        index.add(said(text))
        index.put_vector(text, embedder.embed_passages([text])[0])
    question = Question.of("How is the pet?")
    options = {"scope": NOW, "limits": LIMITS, "calibration": Calibration.measure(embedder)}
    embedded = Embedded(question.text, question.words, embedder.embed_query(question.text))
    assert texts(search(index, question, embedded=embedded, **options))[0] == "My dog is called Bruno."  # type: ignore[arg-type]
    assert search(index, question, **options).reason is RecallReason.BELOW_FLOOR  # type: ignore[arg-type]


def test_what_no_longer_holds_comes_after_what_does() -> None:
    index = index_of("I live in Berlin.", "I like tea.", "I live in Lisbon.")
    found = ask(index, "Where do I live?", Scope("now", 1, outdated=frozenset({"I live in Lisbon."})))
    assert texts(found)[:2] == ["I live in Berlin.", "I live in Lisbon."]
    found = ask(index, "Where do I live?", Scope("now", 1, outdated=frozenset({"I live in Berlin."})))
    assert texts(found)[:2] == ["I live in Lisbon.", "I live in Berlin."]


def test_at_most_top_k_items() -> None:
    index = index_of(*(f"My dog likes toy number{i}." for i in range(9)))
    assert len(ask(index, "What does my dog like?", limits=Limits(3, 1000)).items) == 3


def test_the_token_budget_holds_and_rank_decides() -> None:
    long = "My dog Bruno " + "barks at the postman " * 40
    index = index_of("My dog Bruno is brown.", long, "Bruno the dog eats fish.")
    for budget in (0, 8, 20, 60, 1000):
        found = ask(index, "What about my dog Bruno?", limits=Limits(5, budget))
        assert found.tokens == sum(estimate_tokens(item.text) for item in found.items) <= budget
    assert long in texts(ask(index, "What about my dog Bruno?", limits=Limits(5, 1000)))
    short = ask(index, "What about my dog Bruno?", limits=Limits(5, 60))
    assert long not in texts(short)
    assert len(short.items) == 2


def test_nothing_unrelated_follows_the_answer() -> None:
    found = ask(index_of("My dog is called Bruno.", *(f"zebra{i} quagga{i}" for i in range(20))), "my dog Bruno")
    assert "zebra9 quagga9" not in texts(found)


@pytest.mark.parametrize(
    ("heard", "final", "share"),
    [
        ("my dog's name", "My dog's name?", 1.0),
        ("my dog's", "my dog's name", 0.5),
        ("a flight to Paris", "no, to Rome", 0.0),
        ("what did", "what did I say", 0.5),
    ],
)
def test_how_much_of_the_question_an_embedding_heard(heard: str, final: str, share: float) -> None:
    embedded = Embedded(heard, Question.of(heard).words, np.zeros(1, np.float32))
    assert heard_share(embedded, Question.of(final)) == pytest.approx(share)


def test_a_stale_embedding_does_not_decide() -> None:
    index = index_of("I loved the museum in Paris.", "I loved the ice cream in Rome.")
    question = Question.of("No, Rome")
    stale = Embedded("book a flight to Paris", ("paris",), EMBEDDER.embed_query("book a flight to Paris"))
    found = search(index, question, scope=NOW, limits=LIMITS, embedded=stale, calibration=CALIBRATION)
    assert texts(found)[0] == "I loved the ice cream in Rome."


@pytest.mark.parametrize(
    ("question", "heard", "answer"),
    [
        ("What is my dog's name?", "What is", "My dog is called Bruno."),
        ("我的猫叫什么名字?", "我的", "我的猫叫咪咪。"),
    ],
)
def test_the_vector_of_a_beginning_never_hides_what_the_words_find(question, heard, answer):
    """On a busy machine only a partial's vector may be there when the answer is due."""
    index = index_of(*STORY)
    asked = Question.of(question)
    beginning = Embedded(heard, Question.of(heard).words, EMBEDDER.embed_query(heard))
    found = search(index, asked, scope=NOW, limits=LIMITS, embedded=beginning, calibration=CALIBRATION)
    by_words = search(index, asked, scope=NOW, limits=LIMITS)
    assert texts(by_words)[:1] == [answer]
    assert texts(found)[:1] == [answer]
