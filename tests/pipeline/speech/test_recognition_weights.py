"""The recogniser with real weights behind the real VAD, on speech that the tests make themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soxr
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import InterimTranscriptionFrame, TranscriptionFrame, VADUserStoppedSpeakingFrame

from pipeline import virtual_time
from pipeline.audio_file import read_blocks
from pipeline.settings import ASRSettings
from pipeline.speech.decoder import ShortContextDecoder
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Samples
from pipeline.speech.engine import WhisperEngine
from pipeline.speech.language import LanguageChoice
from pipeline.speech.playback import Noted, play
from pipeline.speech.script import ChineseScript
from pipeline.speech.trimming import unit_ends
from pipeline.speech.units import split_units, unit_key
from pipeline.speech.whisper import StreamingWhisperSTTService
from processors.frames import EmptySpeechFrame

pytestmark = pytest.mark.weights

Say = Callable[[str], Samples]


@pytest.fixture(scope="module")
def engine(weights) -> Iterator[WhisperEngine]:
    engine = WhisperEngine.load(weights("whisper-base"))
    engine.warm_up()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def say(weights) -> Say:
    """Speech at 16 kHz, the same every time."""
    from piper import PiperVoice, SynthesisConfig

    (model,) = weights("piper-en-joe").glob("*.onnx")
    voice = PiperVoice.load(model)
    steady = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)

    def speak(text: str) -> Samples:
        audio = np.concatenate([chunk.audio_int16_array for chunk in voice.synthesize(text, steady)])
        return soxr.resample(audio.astype(np.float32), voice.config.sample_rate, SAMPLE_RATE).astype(np.int16)

    return speak


def room_tone(seconds: float) -> Samples:
    return np.random.default_rng(1).normal(0, 8, int(seconds * SAMPLE_RATE)).astype(np.int16)


def hear(engine: WhisperEngine, *parts: Samples, language: str = "en", vad: VADParams | None = None) -> list[Noted]:
    async def listen() -> list[Noted]:
        settings = ASRSettings.model_validate({"language": language})
        recogniser = StreamingWhisperSTTService(model_path=Path("unused"), settings=settings, shared=engine)
        return await play(np.concatenate(parts), recogniser, vad=vad)

    return virtual_time.run(listen(), virtual=True)


def finals(notes: list[Noted]) -> list[str]:
    return [note.frame.text for note in notes if isinstance(note.frame, TranscriptionFrame)]


def keys(text: str) -> list[str]:
    return [unit_key(unit) for unit in split_units(text)]


def count(notes: list[Noted], *kinds: type) -> int:
    return sum(isinstance(note.frame, kinds) for note in notes)


def test_a_sentence_is_heard_while_it_is_spoken(engine: WhisperEngine, say: Say) -> None:
    notes = hear(engine, room_tone(1), say("I like window seats and quiet meeting rooms in the morning."), room_tone(1))
    assert keys(" ".join(finals(notes))) == "i like window seats and quiet meeting rooms in the morning".split()
    interims = [note.frame for note in notes if isinstance(note.frame, InterimTranscriptionFrame)]
    assert len(interims) >= 5
    assert "window" in interims[-1].result["stable"]
    for earlier, later in zip(interims, interims[1:], strict=False):
        assert later.result["stable"].startswith(earlier.result["stable"])


@pytest.mark.parametrize("answer", ["Yes.", "No.", "Stop!", "Never mind."])
def test_a_short_answer_is_heard_once(engine: WhisperEngine, say: Say, answer: str) -> None:
    notes = hear(engine, room_tone(1.5), say(answer), room_tone(1))
    assert [keys(text) for text in finals(notes)] == [keys(answer)]


def test_wait_is_not_lost(engine: WhisperEngine, say: Say) -> None:
    notes = hear(engine, room_tone(1.5), say("Wait,"), room_tone(0.3), say("make it the afternoon."), room_tone(1))
    assert keys(" ".join(finals(notes))) == ["wait", "make", "it", "the", "afternoon"]


@pytest.mark.parametrize("pause_s", [0.2, 0.35])
def test_the_first_word_after_a_stop_is_not_lost(engine: WhisperEngine, say: Say, pause_s: float) -> None:
    first, second = say("I moved to Lisbon in spring."), say("Tell me about the manager instead.")
    notes = hear(engine, room_tone(1), first, room_tone(pause_s), second, room_tone(1))
    assert keys(" ".join(finals(notes)))[-6:] == ["tell", "me", "about", "the", "manager", "instead"]


def test_every_stop_has_one_answer(engine: WhisperEngine, say: Say) -> None:
    parts = [room_tone(0.5)]
    for pause in (0.25, 0.4, 0.7):
        parts += [say("One more thing."), room_tone(pause)]
    notes = hear(engine, *parts, room_tone(1))
    assert count(notes, VADUserStoppedSpeakingFrame) == count(notes, TranscriptionFrame, EmptySpeechFrame) >= 2


@pytest.mark.parametrize("kind", ["white", "hum", "bursts", "breath"])
def test_nothing_is_made_up_even_when_the_vad_lets_noise_through(engine: WhisperEngine, kind: str) -> None:
    random = np.random.default_rng(3)
    time = np.arange(4 * SAMPLE_RATE) / SAMPLE_RATE
    noise = {
        "white": random.normal(0, 3000, len(time)),
        "hum": 6000 * np.sin(2 * np.pi * 100 * time) + random.normal(0, 100, len(time)),
        "bursts": random.normal(0, 6000, len(time)) * (np.sin(2 * np.pi * 3 * time) > 0.7),
        "breath": random.normal(0, 1500, len(time)) * np.abs(np.sin(2 * np.pi * 0.4 * time)),
    }[kind].astype(np.int16)
    decoder = ShortContextDecoder(engine.model, ChineseScript())
    for language in ("en", "zh"):
        choice = LanguageChoice(language, (language,), detect=False)
        for padding_s in (6.0, 30.0):
            decoding = decoder.decode(DecodeRequest(noise, choice, padding_s=padding_s))
            unlikely = decoding.avg_logprob < -1.0
            assert decoding.text == "" or unlikely, decoding
    assert finals(hear(engine, room_tone(0.5), noise, room_tone(1))) == []


def test_the_spectrogram_is_whispers_own(engine: WhisperEngine) -> None:
    audio = np.random.default_rng(0).normal(0, 3000, 2 * SAMPLE_RATE).astype(np.int16)
    ours = ShortContextDecoder(engine.model, ChineseScript()).spectrogram(audio, 7.0)
    padded = np.concatenate([audio.astype(np.float32) / 32768, np.zeros(5 * SAMPLE_RATE, dtype=np.float32)])
    theirs = engine.model.feature_extractor(padded)[:, : ours.shape[1]]
    assert ours.shape == (80, 700)
    assert np.allclose(ours, theirs, atol=1e-6)


def test_word_times_follow_the_speech(engine: WhisperEngine, say: Say) -> None:
    first, second = say("I had breakfast at home."), say("The library is closed today.")
    audio = np.concatenate([room_tone(0.5), first, room_tone(1.5), second])
    request = DecodeRequest(audio, LanguageChoice("en", ("en",), detect=False), word_times=True)
    decoding = ShortContextDecoder(engine.model, ChineseScript()).decode(request)
    assert decoding.times[-1][0] == len(decoding.text)
    ends = dict(zip(keys(decoding.text), unit_ends(decoding.text, decoding.times, request.seconds), strict=True))
    pause = 0.5 + len(first) / SAMPLE_RATE
    assert ends["had"] < ends["home"] < pause + 0.7
    assert pause + 1.3 < ends["library"] < ends["closed"] <= request.seconds


def test_a_prompt_continues_what_was_said(engine: WhisperEngine, say: Say) -> None:
    choice = LanguageChoice("en", ("en",), detect=False)
    request = DecodeRequest(say("and then we went home."), choice, prompt=" We had dinner,")
    decoding = ShortContextDecoder(engine.model, ChineseScript()).decode(request)
    assert keys(decoding.text) == ["and", "then", "we", "went", "home"]


def test_speech_without_a_pause_is_trimmed_and_heard_whole(engine: WhisperEngine, say: Say) -> None:
    sentences = [
        "The train to the coast leaves at noon.",
        "My sister works in a small library.",
        "We had soup and bread for dinner.",
        "The garden needs water every morning.",
        "He keeps his bicycle in the kitchen.",
        "They painted the old bridge green.",
        "Nobody knows where the keys are.",
        "The doctor called about the results.",
    ]
    speech = [say(sentence) for sentence in sentences]
    audio = np.concatenate([part[: len(part) - 2000] for part in speech])
    assert len(audio) > 13 * SAMPLE_RATE
    never = VADParams(stop_secs=1.5)
    notes = hear(engine, room_tone(0.5), audio, room_tone(2), vad=never)
    (text,) = finals(notes)
    expected = keys(" ".join(sentences))
    heard = keys(text)
    missing = [word for word in expected if word not in heard]
    assert len(missing) <= 2, text
    assert abs(len(heard) - len(expected)) <= 3, text


def test_mandarin_comes_out_simplified(engine: WhisperEngine, shared_dir: Path) -> None:
    audio = np.concatenate(list(read_blocks(shared_dir / "audio/zh/aishell2_IT0011W0001.wav", SAMPLE_RATE)))
    assert [keys(text) for text in finals(hear(engine, room_tone(1), audio, language="zh"))] == [list("换一首歌")]


def test_the_language_is_found_and_kept(engine: WhisperEngine, shared_dir: Path) -> None:
    english = np.concatenate(list(read_blocks(shared_dir / "audio/en/jfk.wav", SAMPLE_RATE)))
    mandarin = np.concatenate(list(read_blocks(shared_dir / "audio/zh/tencent_kejiguan.wav", SAMPLE_RATE)))
    notes = hear(engine, english, room_tone(1), mandarin, language="auto")
    languages = [note.frame.result["language"] for note in notes if isinstance(note.frame, TranscriptionFrame)]
    assert languages[0] == "en"
    assert languages[-1] == "zh"


def test_recordings_without_speech_say_nothing(engine: WhisperEngine, shared_dir: Path) -> None:
    entries = json.loads((shared_dir / "audio/manifest.json").read_text(encoding="utf-8"))
    silent = [entry["file"] for entry in entries if entry["language"] == "nospeech" and entry["seconds"] < 20]
    assert silent
    for file in silent:
        audio = np.concatenate(list(read_blocks(shared_dir / "audio" / file, SAMPLE_RATE)))
        assert finals(hear(engine, audio)) == [], file
