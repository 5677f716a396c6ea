"""The recogniser with real weights on speech of two languages: word times, languages, damaged input, echo."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import soxr

from pipeline.settings import load_settings
from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.engine import WhisperEngine
from pipeline.speech.playback import Noted
from pipeline.speech.voice import Voice
from pipeline.speech.voices import load_voice
from pipeline.weights import Weights
from processors.frames import UserWordsFrame
from tests.pipeline.speech.test_recognition_weights import hear, keys, room_tone

pytestmark = pytest.mark.weights

Word = tuple[str, float, float]
ENGLISH = ["I like window seats and quiet rooms.", "My sister works in a small library."]
MANDARIN = ["请帮我订一个明天下午的会议室。", "我姐姐在一个小图书馆工作。"]


@pytest.fixture(scope="module")
def engine(weights: Callable[[str], object]) -> Iterator[WhisperEngine]:
    engine = WhisperEngine.load(weights("whisper-base"))
    yield engine
    engine.close()


def voice_of(language: str) -> Voice:
    settings = load_settings(overrides=[f"agent.language={language}"])
    cache = Weights(settings.weights)
    if cache.missing([cache.voice(language)]):
        pytest.skip(f"no voice for {language} in the cache")
    return load_voice(settings, cache)


@pytest.fixture(scope="module")
def voices() -> dict[str, Voice]:
    return {language: voice_of(language) for language in ("en", "zh")}


def speech(voice: Voice, *sentences: str, pause_s: float = 0.8) -> tuple[Samples, list[Word]]:
    """Sentences with pauses, and when their words are said."""
    parts, words, position = [room_tone(1)], [], float(SAMPLE_RATE)
    for sentence in sentences:
        for chunk in voice.synthesize(sentence):
            rate = voice.sample_rate
            begin = position / SAMPLE_RATE
            words += [(word.text, begin + word.start / rate, begin + word.end / rate) for word in chunk.words]
            parts.append(soxr.resample(chunk.audio, rate, SAMPLE_RATE).astype(np.int16))
            position += len(parts[-1])
        parts.append(room_tone(pause_s))
        position += len(parts[-1])
    return np.concatenate(parts), words


def timed(notes: list[Noted]) -> list[Word]:
    return [word for note in notes if isinstance(note.frame, UserWordsFrame) for word in note.frame.words]


@pytest.mark.parametrize(("language", "sentences"), [("en", ENGLISH), ("zh", MANDARIN)])
def test_words_are_placed_where_they_were_said(
    engine: WhisperEngine, voices: dict[str, Voice], language: str, sentences: list[str]
) -> None:
    audio, said = speech(voices[language], *sentences)
    heard = timed(hear(engine, audio, language=language))
    middles: dict[str, list[float]] = {}
    for text, start, end in said:
        units = keys(text)
        for place, unit in enumerate(units):
            middles.setdefault(unit, []).append(start + (end - start) * (place + 0.5) / len(units))
    errors = [
        min(abs((start + end) / 2 - middle) for middle in middles[key])
        for text, start, end in heard
        for key in keys(text)
        if key in middles
    ]
    assert len(errors) >= 0.8 * sum(len(keys(text)) for text, _, _ in said)
    assert np.median(errors) < 0.1
    assert np.quantile(errors, 0.9) < 0.25
