from __future__ import annotations

from pipeline.speech.language import LanguageLock

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
