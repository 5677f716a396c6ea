from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import numpy as np
import pytest
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)

from memory.errors import UserError
from pipeline import virtual_time
from pipeline.settings import ASRSettings
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Decoding, Samples, WordEnds
from pipeline.speech.engine import DecodeQueue, WhisperEngine
from pipeline.speech.playback import Noted, play_frames
from pipeline.speech.whisper import StreamingWhisperSTTService
from processors.frames import EmptySpeechFrame, KnownNamesFrame, SpeechFailedFrame, SpeechTailFrame, UserWordsFrame
from tests.fakes.scripted_speech import BLOCK, GAP_S, LEVEL, VAD_S, WORD_S, ScriptedDecoder, silence, words

T = TypeVar("T")


class Engine(WhisperEngine):
    """A thread and a queue without a model."""

    def __init__(self) -> None:
        self.model = SimpleNamespace()
        self.executor = ThreadPoolExecutor(max_workers=1)
        self.queue = DecodeQueue()

    def is_ordinary(self, word: str) -> bool:
        return word.islower()


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


def frames(*parts: Samples | Frame, rate: int = SAMPLE_RATE, channels: int = 1) -> list[Frame]:
    out: list[Frame] = []
    for part in parts:
        if isinstance(part, Frame):
            out.append(part)
            continue
        samples = np.repeat(part, rate // SAMPLE_RATE * channels)
        size = BLOCK * rate // SAMPLE_RATE * channels
        out += [
            InputAudioRawFrame(samples[i : i + size].astype(np.int16).tobytes(), rate, channels)
            for i in range(0, len(samples), size)
        ]
    return out


def spoken(first: int, count: int) -> list[Samples | Frame]:
    """Words with the VAD's frames around them."""
    sound = words(first, count)
    return [
        sound[: 10 * BLOCK],
        VADUserStartedSpeakingFrame(start_secs=VAD_S),
        sound[10 * BLOCK :],
        silence(0.1),
        SpeechTailFrame(),
        silence(0.16),
        VADUserStoppedSpeakingFrame(stop_secs=VAD_S),
    ]


def hear(engine: Engine, sent: list[Frame], decoder: ScriptedDecoder | None = None, **options: object) -> list[Noted]:
    async def listen() -> list[Noted]:
        recogniser = StreamingWhisperSTTService(
            model_path=Path("unused"),
            settings=ASRSettings.model_validate(options),
            shared=engine,
            decoder=decoder or ScriptedDecoder(),
        )
        return await play_frames(sent, [recogniser])

    return virtual_time.run(listen(), virtual=True)


def only(notes: list[Noted], kind: type[Frame]) -> list[Frame]:
    return [note.frame for note in notes if isinstance(note.frame, kind)]


def texts(notes: list[Noted]) -> list[str]:
    return [frame.text for frame in only(notes, TranscriptionFrame)]


def test_interims_then_one_final(engine: Engine) -> None:
    notes = hear(engine, frames(silence(1), *spoken(1, 6), silence(0.5)))
    (final,) = only(notes, TranscriptionFrame)
    assert final.text == "w1 w2 w3 w4 w5 w6"
    assert final.finalized
    assert not final.interruptible
    assert (final.language, final.result["language"]) == ("en", "en")
    interims = only(notes, InterimTranscriptionFrame)
    assert interims[-1].result["stable"] + interims[-1].result["unstable"] == interims[-1].text == final.text
    order = [type(note.frame) for note in notes]
    assert InterimTranscriptionFrame not in order[order.index(TranscriptionFrame) :]
    assert order.index(VADUserStoppedSpeakingFrame) < order.index(TranscriptionFrame)


def test_in_lock_step_the_final_comes_with_the_stop(engine: Engine) -> None:
    notes = hear(engine, frames(silence(1), *spoken(1, 6), silence(0.5)))
    at = {type(note.frame): note.at for note in notes}
    assert at[TranscriptionFrame] == pytest.approx(at[VADUserStoppedSpeakingFrame])


def test_two_runs_are_the_same(engine: Engine) -> None:
    sent = [silence(1), *spoken(1, 9), silence(0.3), *spoken(10, 4), silence(0.5)]
    runs = [
        [(round(note.at, 6), getattr(note.frame, "text", None)) for note in hear(engine, frames(*sent))]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_speech_without_words_is_said_to_be_empty(engine: Engine) -> None:
    noise = np.full(SAMPLE_RATE, 50, dtype=np.int16)
    start, stop = VADUserStartedSpeakingFrame(start_secs=VAD_S), VADUserStoppedSpeakingFrame(stop_secs=VAD_S)
    notes = hear(engine, frames(silence(1), noise, start, noise, silence(0.3), stop, silence(0.2)))
    assert len(only(notes, EmptySpeechFrame)) == 1
    assert texts(notes) == []


def test_a_decode_error_costs_one_turn(engine: Engine) -> None:
    decoder = ScriptedDecoder()
    decoder.failures = 4  # two interims, the tail, and the last try at the stop
    notes = hear(engine, frames(silence(1), *spoken(1, 2), silence(0.5), *spoken(3, 3), silence(0.5)), decoder)
    assert texts(notes) == ["w3 w4 w5"]
    (failure,) = only(notes, SpeechFailedFrame)
    assert (failure.part, failure.reason, failure.detail) == ("asr", "decode", "out of memory")
    assert len(only(notes, EmptySpeechFrame)) == 1


def test_speech_that_the_end_cuts_off_is_still_heard(engine: Engine) -> None:
    start = VADUserStartedSpeakingFrame(start_secs=VAD_S)
    notes = hear(engine, frames(silence(1), words(1, 1), start, words(2, 3)))
    assert texts(notes) == ["w1 w2 w3 w4"]


@pytest.mark.parametrize(("rate", "channels"), [(16000, 2), (48000, 1)])
def test_any_format_reaches_the_decoder_at_16_khz_mono(engine: Engine, rate: int, channels: int) -> None:
    decoder = ScriptedDecoder()
    hear(engine, frames(silence(1), *spoken(1, 3), silence(0.5), rate=rate, channels=channels), decoder)
    audio = max((request.audio for request in decoder.requests), key=len)
    loud = np.abs(audio) > LEVEL / 2
    assert np.count_nonzero(loud) / SAMPLE_RATE == pytest.approx(3 * (WORD_S - GAP_S), abs=0.03)
    assert np.median(audio[loud]) == pytest.approx(LEVEL + 2, abs=3)


def test_conversations_share_one_model(engine: Engine) -> None:
    async def listen(first: int) -> list[Noted]:
        recogniser = StreamingWhisperSTTService(
            model_path=Path("unused"), settings=ASRSettings(), shared=engine, decoder=ScriptedDecoder()
        )
        return await play_frames(frames(silence(1), *spoken(first, 5), silence(0.5)), [recogniser])

    async def together() -> list[list[Noted]]:
        return await asyncio.gather(listen(1), listen(11), listen(21))

    heard = virtual_time.run(together(), virtual=True)
    assert [texts(notes) for notes in heard] == [
        ["w1 w2 w3 w4 w5"],
        ["w11 w12 w13 w14 w15"],
        ["w21 w22 w23 w24 w25"],
    ]


def test_a_folder_without_a_model_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a CTranslate2 Whisper model"):
        StreamingWhisperSTTService(model_path=tmp_path, settings=ASRSettings())


def test_an_english_model_refuses_mandarin(engine: Engine) -> None:
    engine.model = SimpleNamespace(model=SimpleNamespace(is_multilingual=False))
    with pytest.raises(UserError, match=r"asr\.language: zh: asr\.model knows English only"):
        StreamingWhisperSTTService(
            model_path=Path("unused"), settings=ASRSettings.model_validate({"language": "zh"}), shared=engine
        )


def test_names_are_heard_as_they_are_written(engine: Engine) -> None:
    class Shivon(ScriptedDecoder):
        def decode(self, request: DecodeRequest) -> Decoding:
            decoding = super().decode(request)
            return replace(decoding, text=decoding.text.replace("w2", "Shivon"), times=())

    told = KnownNamesFrame(names=("Siobhan", "Bhattacharya"))
    for bias, heard in ((True, "w1 Siobhan w3 w4"), (False, "w1 Shivon w3 w4")):
        notes = hear(engine, [told, *frames(silence(1), *spoken(1, 4), silence(0.5))], Shivon(), name_bias=bias)
        assert texts(notes) == [heard]
        assert only(notes, KnownNamesFrame) == []


def test_the_times_of_the_words_follow_the_final(engine: Engine) -> None:
    notes = hear(engine, frames(silence(1), *spoken(1, 3), silence(0.5)))
    order = [type(note.frame) for note in notes]
    assert order.index(TranscriptionFrame) < order.index(UserWordsFrame)
    (frame,) = only(notes, UserWordsFrame)
    assert [word for word, _, _ in frame.words] == ["w1", "w2", "w3"]
    assert [start for _, start, _ in frame.words] == pytest.approx([1.0, 1.3, 1.6], abs=0.05)
    assert frame.heard_s == pytest.approx(1.9 + 0.1 + 0.16, abs=0.05)


def test_the_times_of_the_last_words_come_before_the_end(engine: Engine) -> None:
    start = VADUserStartedSpeakingFrame(start_secs=VAD_S)
    notes = hear(engine, frames(silence(1), words(1, 1), start, words(2, 3)))
    (frame,) = only(notes, UserWordsFrame)
    assert len(frame.words) == 4


def test_a_failed_alignment_costs_nothing_but_the_times(engine: Engine) -> None:
    class Misaligned(ScriptedDecoder):
        def decode(self, request: DecodeRequest) -> Decoding:
            return replace(super().decode(request), align=self.fail)

        def fail(self) -> WordEnds:
            raise IndexError("no such token")

    notes = hear(engine, frames(silence(1), *spoken(1, 3), silence(0.5), *spoken(4, 3), silence(0.5)), Misaligned())
    assert texts(notes) == ["w1 w2 w3", "w4 w5 w6"]
    assert only(notes, UserWordsFrame) == only(notes, SpeechFailedFrame) == []


def test_any_error_of_a_decoder_costs_one_turn(engine: Engine) -> None:
    class Broken(ScriptedDecoder):
        def decode(self, request: DecodeRequest) -> Decoding:
            if np.max(request.audio, initial=0) <= LEVEL + 3:
                raise KeyError("unheard of")
            return super().decode(request)

    notes = hear(engine, frames(silence(1), *spoken(1, 3), silence(2), *spoken(4, 3), silence(0.5)), Broken())
    assert texts(notes) == ["w4 w5 w6"]
    assert len(only(notes, SpeechFailedFrame)) == len(only(notes, EmptySpeechFrame)) == 1


class BusyEngine(Engine):
    """Every decode takes its time, on the loop's clock."""

    decode_s = 0.1

    async def run(self, function: Callable[..., T], *args: object) -> T:
        await asyncio.sleep(self.decode_s)
        return function(*args)


def eight_at_once(engine: Engine, decoders: list[ScriptedDecoder]) -> list[list[Noted]]:
    """Eight people speak at once; the one after the other begins 0.15 s later."""

    async def listen(number: int, decoder: ScriptedDecoder) -> list[Noted]:
        recogniser = StreamingWhisperSTTService(settings=ASRSettings(), shared=engine, decoder=decoder)
        first = 1 + 30 * number
        sent = frames(silence(0.6 + 0.15 * number), *spoken(first, 12), silence(2.5 - 0.15 * number))
        return await play_frames(sent, [recogniser])

    async def together() -> list[list[Noted]]:
        return await asyncio.gather(*(listen(number, decoder) for number, decoder in enumerate(decoders)))

    return virtual_time.run(together(), virtual=True)


def test_eight_conversations_share_one_model_and_nobody_starves() -> None:
    engine = BusyEngine()
    decoders = [ScriptedDecoder() for _ in range(8)]
    heard = eight_at_once(engine, decoders)
    engine.close()
    for number, notes in enumerate(heard):
        assert texts(notes) == [" ".join(f"w{30 * number + i}" for i in range(1, 13))]
        at = {type(note.frame): note.at for note in notes}
        # One decode that runs, and at worst everybody's last one before it.
        assert at[TranscriptionFrame] - at[VADUserStoppedSpeakingFrame] <= 9 * engine.decode_s
    interims = [len(only(notes, InterimTranscriptionFrame)) for notes in heard]
    assert min(interims) >= 2
    assert max(interims) <= 2 * min(interims)


def test_finals_go_before_interims() -> None:
    """The first speaker is at the end while seven others are in the middle: they wait for one decode at most."""
    engine = BusyEngine()
    engine.decode_s = 0.2

    async def listen(first: int, count: int) -> list[Noted]:
        recogniser = StreamingWhisperSTTService(settings=ASRSettings(), shared=engine, decoder=ScriptedDecoder())
        return await play_frames(frames(silence(0.6), *spoken(first, count), silence(1)), [recogniser])

    async def together() -> list[list[Noted]]:
        return await asyncio.gather(listen(1, 6), *(listen(101 + 30 * i, 20) for i in range(7)))

    notes, *others = virtual_time.run(together(), virtual=True)
    engine.close()
    tail = next(note.at for note in notes if isinstance(note.frame, SpeechTailFrame))
    final = next(note.at for note in notes if isinstance(note.frame, TranscriptionFrame))
    assert final - tail <= 2 * engine.decode_s + 0.05
    assert all(len(texts(heard)) == 1 for heard in others)


def test_an_error_in_one_conversation_leaves_the_others_alone() -> None:
    engine = BusyEngine()
    decoders = [ScriptedDecoder() for _ in range(8)]
    decoders[3].failures = 1000
    heard = eight_at_once(engine, decoders)
    engine.close()
    assert [len(texts(notes)) for notes in heard] == [1, 1, 1, 0, 1, 1, 1, 1]
    assert len(only(heard[3], SpeechFailedFrame)) == 1
