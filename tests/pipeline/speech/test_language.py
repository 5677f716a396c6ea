from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.language import LanguageLock, language_of

ENGLISH = {"en": 0.95, "zh": 0.01}
MANDARIN = {"en": 0.02, "zh": 0.93}
NOISE = {"haw": 0.6, "en": 0.14, "zh": 0.0}


def said(lock: LanguageLock, probabilities: dict[str, float], speech_s: float, avg_logprob: float = -0.3) -> str:
    """Decode and accept one utterance."""
    choice = lock.choice(speech_s, last=True)
    if not choice.detect:
        assert choice.preferred is not None
        return choice.preferred
    language = choice.pick(probabilities)
    lock.observe(language, probabilities[language], avg_logprob, speech_s)
    return language


def test_a_fixed_language_is_never_asked_for() -> None:
    lock = LanguageLock("zh")
    assert not lock.choice(9.0, last=True).detect
    lock.observe("en", 0.99, -0.1, 9.0)
    assert lock.language == "zh"


def test_the_first_confident_speech_locks() -> None:
    lock = LanguageLock(None)
    assert said(lock, MANDARIN, speech_s=0.4) == "zh"
    assert lock.language is None
    said(lock, MANDARIN, speech_s=1.5)
    assert lock.language == "zh"


def test_unlikely_words_lock_nothing() -> None:
    lock = LanguageLock(None)
    said(lock, ENGLISH, speech_s=2.0, avg_logprob=-0.9)
    assert lock.language is None


def test_locked_interims_and_short_speech_are_not_asked() -> None:
    lock = LanguageLock(None)
    said(lock, ENGLISH, speech_s=2.0)
    assert not lock.choice(2.0, last=False).detect
    assert not lock.choice(0.5, last=True).detect


def test_noise_never_flips() -> None:
    lock = LanguageLock(None)
    said(lock, MANDARIN, speech_s=2.0)
    for _ in range(5):
        assert said(lock, NOISE, speech_s=5.0) == "zh"
    assert lock.language == "zh"


def test_one_utterance_is_read_in_its_own_language_two_switch() -> None:
    lock = LanguageLock(None)
    said(lock, ENGLISH, speech_s=2.0)
    assert said(lock, MANDARIN, speech_s=2.0) == "zh"
    assert lock.language == "en"
    said(lock, ENGLISH, speech_s=2.0)
    said(lock, MANDARIN, speech_s=2.0)
    assert lock.language == "en"
    said(lock, MANDARIN, speech_s=2.0)
    assert lock.language == "zh"


def test_long_speech_switches_at_once() -> None:
    lock = LanguageLock(None)
    said(lock, ENGLISH, speech_s=2.0)
    said(lock, MANDARIN, speech_s=4.0)
    assert lock.language == "zh"


def test_after_a_vote_what_is_too_short_to_be_asked_leans_to_it() -> None:
    lock = LanguageLock(None)
    said(lock, ENGLISH, speech_s=2.0)
    said(lock, MANDARIN, speech_s=2.0)
    assert lock.choice(0.5, last=True).preferred == lock.choice(0.5, last=False).preferred == "zh"
    # Who is asked still has to be sure.
    assert said(lock, NOISE, speech_s=2.0) == "en"
    assert lock.choice(0.5, last=True).preferred == "en"


def test_a_conversation_may_go_to_and_fro() -> None:
    lock = LanguageLock(None)
    heard = [
        said(lock, probabilities, speech_s=2.0)
        for probabilities in (ENGLISH, ENGLISH, MANDARIN, MANDARIN, MANDARIN, ENGLISH, ENGLISH, MANDARIN)
    ]
    assert heard == ["en", "en", "zh", "zh", "zh", "en", "en", "zh"]
    assert lock.language == "en"


# What no speaker of another language would give: an unsure model, unlikely words, or hardly any speech.
unsure = st.tuples(st.floats(0, 0.84), st.floats(-3, 0), st.floats(0, 30))
unlikely = st.tuples(st.floats(0, 1), st.floats(-3, -0.71), st.floats(0, 30))
brief = st.tuples(st.floats(0, 1), st.floats(-3, 0), st.floats(0, 0.99))


@given(st.sampled_from(["en", "zh"]), st.lists(unsure | unlikely | brief, max_size=30))
def test_what_is_no_confident_speech_never_flips(locked: str, noises: list[tuple[float, float, float]]) -> None:
    lock = LanguageLock(None)
    other = {"en": "zh", "zh": "en"}[locked]
    said(lock, {locked: 0.9, other: 0.05}, speech_s=2.0)
    for probability, avg_logprob, speech_s in noises:
        said(lock, {other: probability, locked: 0.0, "haw": 1 - probability}, speech_s, avg_logprob)
        assert lock.language == locked
        assert lock.choice(0.5, last=True).preferred == locked


@pytest.mark.parametrize(
    ("text", "decoded", "language"),
    [
        ("我姐姐在图书馆", "en", "zh"),
        ("请打开 Bluetooth", "zh", "zh"),
        ("OK", "zh", "zh"),
        ("Microsoft PowerPoint 2024", "zh", "zh"),
        ("How do I go there?", "zh", "en"),
        ("I like 北京", "en", "en"),
        ("", "en", "en"),
    ],
)
def test_a_transcript_is_of_the_language_of_its_words(text: str, decoded: str, language: str) -> None:
    assert language_of(text, decoded) == language
