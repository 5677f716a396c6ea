"""The recogniser with real weights on speech of two languages: word times, languages, damaged input, echo."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import soxr
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import InputAudioRawFrame, TranscriptionFrame

from memory.errors import UserError
from pipeline import virtual_time
from pipeline.audio_file import read_blocks
from pipeline.settings import ASRSettings, load_settings
from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.engine import WhisperEngine
from pipeline.speech.input_format import InputFormat
from pipeline.speech.playback import Noted, play_frames
from pipeline.speech.voice import Voice
from pipeline.speech.voices import load_voice
from pipeline.speech.whisper import StreamingWhisperSTTService
from pipeline.weights import Weights
from processors.frames import UserWordsFrame
from processors.speech_tail import SpeechTailVADProcessor
from tests.pipeline.speech.test_recognition_weights import finals, hear, keys, room_tone

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


def languages(notes: list[Noted]) -> list[str]:
    """Of the finals, in order, runs of one language once."""
    heard = [note.frame.result["language"] for note in notes if isinstance(note.frame, TranscriptionFrame)]
    return [language for language, _ in groupby(heard)]


def loud_noise(seconds: float) -> Samples:
    """Bursts that the VAD lets through."""
    count = int(seconds * SAMPLE_RATE)
    bursts = np.sin(2 * np.pi * 3 * np.arange(count) / SAMPLE_RATE) > 0
    return (np.random.default_rng(3).normal(0, 3000, count) * bursts).astype(np.int16)


def test_a_conversation_that_changes_its_language_is_followed(engine: WhisperEngine, voices: dict[str, Voice]) -> None:
    english, mandarin = (speech(voices[name], *said)[0] for name, said in (("en", ENGLISH), ("zh", MANDARIN)))
    notes = hear(engine, english, mandarin, english, language="auto")
    assert languages(notes) == ["en", "zh", "en"]
    text = " ".join(finals(notes)).lower()
    assert text.count("window") == text.count("library") == 2
    assert "明天下午" in text and "书馆" in text
    assert languages(hear(engine, mandarin, english, mandarin, language="auto")) == ["zh", "en", "zh"]


def test_noise_neither_finds_nor_flips_a_language(engine: WhisperEngine, voices: dict[str, Voice]) -> None:
    noise = np.concatenate([loud_noise(3), room_tone(1)])
    mandarin, _ = speech(voices["zh"], *MANDARIN)
    alone, among = (hear(engine, *parts, language="auto") for parts in ([mandarin], [noise, mandarin, noise, mandarin]))
    assert languages(among) == ["zh"]
    assert len(finals(among)) == 2 * len(finals(alone))


def test_english_words_in_a_mandarin_sentence_survive(engine: WhisperEngine, voices: dict[str, Voice]) -> None:
    audio, _ = speech(voices["zh"], MANDARIN[0], "我明天要去Microsoft开会。")
    for language in ("zh", "auto"):
        notes = hear(engine, audio, language=language)
        assert "Microsoft" in finals(notes)[-1] and "开会" in finals(notes)[-1]
        assert languages(notes) == ["zh"]


def test_one_recording_in_two_languages(engine: WhisperEngine, shared_dir: Path) -> None:
    path = shared_dir / "audio/mixed/en-us_zh-cn_code_switch.wav"
    notes = hear(engine, *read_blocks(path, SAMPLE_RATE), room_tone(1), language="auto")
    assert languages(notes) == ["en", "zh"] * 3


def damaged(audio: Samples) -> list[InputAudioRawFrame]:
    """The same speech as a bad line delivers it: three formats, broken and empty frames, a burst, an offset."""
    third = len(audio) // 3
    frames = [InputAudioRawFrame(b"", SAMPLE_RATE, 1)]
    for number, (rate, channels) in enumerate(((48_000, 2), (8_000, 1), (SAMPLE_RATE, 1))):
        part = audio[number * third : (number + 1) * third].astype(np.float32)
        samples = soxr.resample(part, SAMPLE_RATE, rate) if rate != SAMPLE_RATE else part
        samples = np.clip(3 * samples + 2_500, -32_768, 32_767).astype(np.int16)
        step = rate // 50 if number < 2 else 10 * rate
        for at in range(0, len(samples), step):
            block = np.repeat(samples[at : at + step], channels).tobytes()
            frames.append(InputAudioRawFrame(block + (b"\x07" if at % 3 == 0 else b""), rate, channels))
    return frames


def test_a_bad_line_is_understood_as_far_as_it_goes(engine: WhisperEngine, voices: dict[str, Voice]) -> None:
    audio, _ = speech(voices["en"], *ENGLISH)

    async def listen() -> list[Noted]:
        recogniser = StreamingWhisperSTTService(settings=ASRSettings(), shared=engine)
        sent = [*damaged(audio), InputAudioRawFrame(room_tone(2).tobytes(), SAMPLE_RATE, 1)]
        return await play_frames(sent, [InputFormat(), SpeechTailVADProcessor(VADParams()), recogniser])

    notes = virtual_time.run(listen(), virtual=True)
    heard = keys(" ".join(finals(notes)))
    expected = keys(" ".join(ENGLISH))
    assert SequenceMatcher(a=expected, b=heard, autojunk=False).ratio() > 0.8, heard


def test_model_folders_that_are_none_end_in_one_line(weights: Callable[[str], Path], tmp_path: Path) -> None:
    source = weights("whisper-base")
    model = (source / "model.bin").read_bytes()
    wrong = {
        "model.bin": [b"", model[:10], model[: len(model) // 2], model[:-1000], b"\x06" + bytes(2000)],
        "tokenizer.json": [b"{", b'{"hello": 1}', b"\xff\xfe\x00"],
        "vocabulary.json": [b"{", b'["a", "b"]'],
        "config.json": [b"[]", b"{", b"\xff\xfe", b'{"add_source_bos": false}', b'{"suppress_ids": "x"}'],
        "preprocessor_config.json": [b'{"feature_size": "x"}'],
    }
    del model
    for name, contents in wrong.items():
        for number, content in enumerate(contents):
            folder = tmp_path / f"{name}-{number}"
            folder.mkdir()
            for file in source.iterdir():
                if file.name != name and not file.name.startswith("."):
                    (folder / file.name).symlink_to(file)
            (folder / name).write_bytes(content)
            with pytest.raises(UserError) as caught:
                WhisperEngine.load(folder).warm_up()
            line = str(caught.value)
            assert str(folder) in line and "\n" not in line
            shutil.rmtree(folder)
