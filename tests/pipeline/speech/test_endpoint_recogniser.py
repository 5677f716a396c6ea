"""Recognition behind a transcription endpoint: every fault costs one turn at most, none the conversation."""

from __future__ import annotations

import asyncio
import time
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pytest
from loguru import logger
from pipecat.frames.frames import InterimTranscriptionFrame, TranscriptionFrame
from pydantic import SecretStr

from memory.errors import UserError
from pipeline import virtual_time
from pipeline.settings import ASRSettings
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Decoding, Verdict
from pipeline.speech.endpoint_decoder import EndpointDecoder
from pipeline.speech.endpoint_engine import EndpointEngine
from pipeline.speech.language import LanguageChoice
from pipeline.speech.llm_failure import EndpointFailure
from pipeline.speech.playback import Noted, play_frames
from pipeline.speech.script import ChineseScript
from pipeline.speech.transcription_client import TranscriptionClient
from pipeline.speech.whisper import StreamingWhisperSTTService
from processors.frames import EmptySpeechFrame, SpeechFailedFrame
from tests.fakes.openai_server import Behaviour, FakeOpenAI, breaks_off, fails, hangs, sends
from tests.fakes.scripted_speech import silence, words
from tests.fakes.transcription import dribbles, hears, listens, refuses_options, samples_of, serving
from tests.pipeline.speech.test_whisper import frames, only, spoken, texts

KEY = "sk-very-secret-4711"
EN = LanguageChoice("en", ("en", "zh"), detect=False)
ANY = LanguageChoice(None, ("en", "zh"), detect=True)
SPEECH = words(1, 5)


def settings_for(server: FakeOpenAI, **changes: Any) -> ASRSettings:
    values = {"base_url": server.base_url, "model": "fake", "api_key": SecretStr(KEY), "timeout_s": 5.0}
    return ASRSettings(**(values | changes))


def decode(server: FakeOpenAI, request: DecodeRequest, **changes: Any) -> Decoding:
    script = ChineseScript(changes.pop("script", "simplified"))
    return EndpointDecoder(TranscriptionClient(settings_for(server, **changes)), script).decode(request)


def hear(server: FakeOpenAI, *parts: Any, **options: Any) -> list[Noted]:
    async def listen() -> list[Noted]:
        engine = EndpointEngine(settings_for(server, **options))
        recogniser = StreamingWhisperSTTService(settings=settings_for(server, **options), shared=engine)
        try:
            return await play_frames(frames(*parts), [recogniser])
        finally:
            engine.close()

    return virtual_time.run(listen(), virtual=True)


def test_a_request_carries_the_audio_the_language_the_words_before_and_the_names() -> None:
    with serving(hears(" Ines is here.")) as server:
        request = DecodeRequest(SPEECH, EN, prompt=" We met Ines.", names=("Ines", "Xiaoyu"))
        assert decode(server, request).text == " Ines is here."
    (sent,) = server.requests
    assert sent.path == "/v1/audio/transcriptions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert np.array_equal(samples_of(sent), SPEECH)
    assert sent.body["model"] == "fake"
    assert sent.body["language"] == "en"
    assert sent.body["prompt"] == "Hello Xiaoyu, Ines. We met Ines."
    assert sent.body["response_format"] == "verbose_json"


def test_interims_a_stable_prefix_and_one_final() -> None:
    with serving(listens()) as server:
        notes = hear(server, silence(1), *spoken(1, 8), silence(0.5))
    (final,) = only(notes, TranscriptionFrame)
    assert final.text == "w1 w2 w3 w4 w5 w6 w7 w8"
    assert final.result["avg_logprob"] == -0.2
    interims = only(notes, InterimTranscriptionFrame)
    assert len(interims) >= 4
    assert interims[-1].result["stable"] == "w1 w2 w3 w4 w5 w6 w7"


@pytest.mark.parametrize("verbose", [True, False])
def test_half_a_minute_without_a_pause_is_trimmed_and_heard_whole(verbose: bool) -> None:
    with serving(listens(verbose=verbose)) as server:
        notes = hear(server, silence(1), *spoken(101, 100), silence(0.5))
    (text,) = texts(notes)
    said = [f"w{i}" for i in range(101, 201)]
    if verbose:
        assert text.split() == said
    else:
        # Where words end is estimated, so a cut may fall into one.
        assert SequenceMatcher(a=said, b=text.split(), autojunk=False).ratio() > 0.97
    assert max(len(samples_of(request)) for request in server.requests) < 22 * SAMPLE_RATE
    assert any("prompt" in request.body for request in server.requests)


def test_a_slow_endpoint_is_asked_less_often_and_never_queues() -> None:
    async def listen(server: FakeOpenAI) -> list[Noted]:
        engine = EndpointEngine(settings_for(server))
        recogniser = StreamingWhisperSTTService(settings=settings_for(server), shared=engine)
        sent = frames(silence(0.5), *spoken(1, 10), silence(1.5))
        try:
            return await play_frames(sent, [recogniser])
        finally:
            engine.close()

    at_once = {"now": 0, "most": 0}

    async def answer(request: Any, reply: Any) -> None:
        at_once["now"] += 1
        at_once["most"] = max(at_once.values())
        await listens(delay=0.6)(request, reply)
        at_once["now"] -= 1

    with serving(answer) as server:
        notes = virtual_time.run(listen(server), virtual=False)
    assert texts(notes) == [" ".join(f"w{i}" for i in range(1, 11))]
    assert at_once["most"] == 1
    assert 2 <= len(server.requests) <= 6


FAULTS: dict[str, tuple[Behaviour, str]] = {
    "401": (fails(401, f"Incorrect API key provided: {KEY}"), "http_401"),
    "403": (fails(403), "http_403"),
    "404": (fails(404, "model 'fake' not found"), "http_404"),
    "400": (fails(400, "audio too short"), "http_400"),
    "413": (fails(413), "http_413"),
    "429": (fails(429), "http_429"),
    "500": (fails(500), "http_500"),
    "503 with a page": (sends(b"<html>down</html>", "text/html", 503), "http_503"),
    "a page": (sends(b"<html>welcome</html>", "text/html"), "garbage"),
    "binary": (sends(bytes(range(256)), "application/octet-stream"), "garbage"),
    "nothing": (sends(b"", "application/json"), "garbage"),
    "a list": (sends(b"[1, 2]", "application/json"), "garbage"),
    "no text": (sends(b'{"hello": 1}', "application/json"), "garbage"),
    "a text that is none": (sends(b'{"text": {"a": 1}}', "application/json"), "garbage"),
    "an error with status 200": (sends(b'{"error": {"message": "overloaded"}}', "application/json"), "garbage"),
    "deep": (sends(b"[" * 100_000, "application/json"), "garbage"),
    "a flood": (sends(b'{"text": "' + b"a" * 3_000_000 + b'"}', "application/json"), "garbage"),
    "a closed connection": (breaks_off(""), "truncated|unreachable|error"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_one_turn(name: str) -> None:
    fault, reason = FAULTS[name]
    calm = {"broken": True}

    async def answer(request: Any, reply: Any) -> None:
        await (fault if calm["broken"] else listens())(request, reply)

    with serving(answer) as server:
        first = hear(server, silence(1), *spoken(1, 3), silence(0.5))
        calm["broken"] = False
        both = hear(server, silence(1), *spoken(4, 3), silence(0.5))
    (failure,) = only(first, SpeechFailedFrame)
    assert failure.part == "asr"
    assert failure.reason in reason.split("|")
    assert len(only(first, EmptySpeechFrame)) == 1
    assert "recogniser fake at http://127.0.0.1:" in failure.detail
    assert "\n" not in failure.detail
    assert KEY not in failure.detail
    assert texts(both) == ["w4 w5 w6"]


@pytest.mark.parametrize("fault", [hangs(), dribbles(), hears("late", delay=30)])
def test_silence_is_a_fault_that_takes_no_longer_than_it_may(fault: Behaviour) -> None:
    with serving(fault) as server:
        started = time.monotonic()
        with pytest.raises(EndpointFailure, match=r"kept silent for 0\.3 s; .*asr\.timeout_s") as caught:
            decode(server, DecodeRequest(SPEECH, EN), timeout_s=0.3)
        assert time.monotonic() - started < 10
    assert caught.value.reason == "timeout"


def test_an_interim_that_hangs_does_not_keep_the_final_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.speech.endpoint_decoder.INTERIM_TIMEOUT_S", 0.2)
    with serving(hangs(), listens()) as server:
        notes = hear(server, silence(1), *spoken(1, 3), silence(0.5), timeout_s=60)
    assert texts(notes) == ["w1 w2 w3"]
    assert only(notes, SpeechFailedFrame) == []


@pytest.mark.parametrize(
    ("fault", "tries"), [(fails(500), 2), (fails(429), 2), (hangs(), 2), (fails(401), 1), (fails(413), 1)]
)
def test_the_final_is_tried_twice_where_that_may_help(fault: Behaviour, tries: int) -> None:
    for final in (False, True):
        with serving(fault, hears("Here I am.")) as server:
            request = DecodeRequest(SPEECH, EN, final=final)
            if final and tries == 2:
                assert decode(server, request, timeout_s=0.5).text == " Here I am."
            else:
                with pytest.raises(EndpointFailure):
                    decode(server, request, timeout_s=0.5)
            assert len(server.requests) == (tries if final else 1)


def test_an_endpoint_that_is_down_costs_every_turn_and_is_logged_once() -> None:
    with serving(hears("")) as server:
        settings = settings_for(server)
    complaints: list[str] = []
    sink = logger.add(lambda message: complaints.append(message), level="ERROR")

    async def listen() -> list[Noted]:
        engine = EndpointEngine(settings)
        try:
            recogniser = StreamingWhisperSTTService(settings=settings, shared=engine)
            sent = frames(silence(1), *spoken(1, 5), silence(0.5), *spoken(6, 5), silence(0.5))
            return await play_frames(sent, [recogniser])
        finally:
            engine.close()

    try:
        notes = virtual_time.run(listen(), virtual=True)
    finally:
        logger.remove(sink)
    assert [frame.reason for frame in only(notes, SpeechFailedFrame)] == ["unreachable"] * 2
    assert len(only(notes, EmptySpeechFrame)) == 2
    assert len(complaints) == 1


@pytest.mark.parametrize(
    "refused",
    [("response_format",), ("prompt",), ("language",), ("temperature",), ("prompt", "response_format", "temperature")],
)
def test_what_an_endpoint_does_not_take_is_left_out_from_then_on(refused: tuple[str, ...]) -> None:
    with serving(refuses_options(*refused, otherwise=hears("Here I am."))) as server:
        decoder = EndpointDecoder(TranscriptionClient(settings_for(server)), ChineseScript())
        for seconds in (1, 2):
            request = DecodeRequest(words(1, 3 * seconds), EN, prompt="before")
            assert decoder.decode(request).text == " Here I am."
    assert len(server.requests) == len(refused) + 2


def test_a_bad_request_without_a_reason_is_put_more_simply_and_then_given_up() -> None:
    plain = refuses_options("response_format", message="bad request", otherwise=hears("Here I am."))
    with serving(plain) as server:
        assert decode(server, DecodeRequest(SPEECH, EN)).text == " Here I am."
    with serving(fails(400, "bad request")) as server:
        with pytest.raises(EndpointFailure, match="refused the request"):
            decode(server, DecodeRequest(SPEECH, EN, word_times=True))
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "verdict", "text"),
    [
        (hears("Fine."), Verdict.ACCEPT, " Fine."),
        (hears("Fine.", logprob=-0.8), Verdict.DOUBT, " Fine."),
        (hears("Fine.", logprob=-1.2), Verdict.REJECT, " Fine."),
        (hears("Fine.", logprob=-1.2, no_speech=0.9), Verdict.NO_SPEECH, ""),
        (hears("Thank you.", logprob=-0.2, no_speech=0.9), Verdict.NO_SPEECH, ""),
        (hears(""), Verdict.NO_SPEECH, ""),
        (hears(" ... "), Verdict.NO_SPEECH, ""),
        (hears("ha " * 200), Verdict.REJECT, " ha ha ha"),
        (refuses_options("response_format", otherwise=hears("Fine.")), Verdict.ACCEPT, " Fine."),
        (refuses_options("response_format", otherwise=hears("Thank you.")), Verdict.ACCEPT, " Thank you."),
        (refuses_options("response_format", otherwise=hears("Thanks for watching!")), Verdict.NO_SPEECH, ""),
        (refuses_options("response_format", otherwise=hears("请不吝点赞 订阅 转发")), Verdict.NO_SPEECH, ""),
    ],
)
def test_the_guard_judges_an_endpoint_too(answer: Behaviour, verdict: Verdict, text: str) -> None:
    with serving(answer) as server:
        decoding = decode(server, DecodeRequest(SPEECH, EN))
    assert (decoding.verdict, decoding.text.rstrip()) == (verdict, text)


@pytest.mark.parametrize(("script", "text"), [("simplified", "换一首歌"), ("traditional", "換一首歌")])
def test_mandarin_is_written_in_the_script_of_the_settings(script: str, text: str) -> None:
    with serving(hears("換一首歌" if script == "simplified" else "换一首歌")) as server:
        choice = LanguageChoice("zh", ("zh",), detect=False)
        assert decode(server, DecodeRequest(SPEECH, choice), script=script).text == text
    assert server.requests[0].body["language"] == "zh"


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        (hears("请帮我订一个房间", language="chinese"), "zh"),
        (hears("请帮我订一个房间", language="zh-CN"), "zh"),
        (hears("I like window seats", language="English"), "en"),
        (refuses_options("response_format", otherwise=hears("请帮我订一个房间")), "zh"),
        (refuses_options("response_format", otherwise=hears("I like window seats")), "en"),
    ],
)
def test_the_language_is_taken_from_the_endpoint_or_else_from_the_words(answer: Behaviour, language: str) -> None:
    with serving(answer) as server:
        decoding = decode(server, DecodeRequest(SPEECH, ANY))
    assert (decoding.language, decoding.language_probability) == (language, 0.9)
    assert all("language" not in request.body for request in server.requests)


def test_a_third_language_is_read_again_and_has_no_say() -> None:
    with serving(hears("Mae hi'n braf", language="welsh"), hears("My heart bra")) as server:
        decoding = decode(server, DecodeRequest(SPEECH, ANY))
    assert (decoding.text, decoding.language, decoding.language_probability) == (" My heart bra", "en", None)
    assert server.requests[1].body["language"] == "en"


def test_the_same_is_not_asked_twice() -> None:
    with serving(hears("Fine.", logprob=-1.2)) as server:
        notes = hear(server, silence(1), *spoken(1, 3), silence(0.5))
    assert texts(notes) == ["Fine."]
    sent = [samples_of(request).tobytes() for request in server.requests]
    assert len(set(sent)) == len(sent)


REFUSALS = [
    (fails(401), "refused the key; check INNERVOICE_ASR_API_KEY or asr.api_key_file"),
    (fails(403), "the key may not use it"),
    (fails(404, "The model `fake` does not exist"), "check asr.base_url (often ends in /v1) and asr.model: The model"),
    (sends(b"<html>welcome</html>", "text/html"), "no transcript; check asr.base_url"),
    (fails(400, "bad"), "refused the request: bad"),
]


@pytest.mark.parametrize(("fault", "said"), REFUSALS)
def test_wrong_settings_are_told_in_one_line_before_anybody_speaks(fault: Behaviour, said: str) -> None:
    with serving(fault) as server, pytest.raises(UserError) as caught:
        EndpointEngine(settings_for(server)).warm_up()
    line = str(caught.value)
    assert said in line
    assert "\n" not in line
    assert KEY not in line


def test_an_address_where_nobody_is_is_told_before_anybody_speaks() -> None:
    with serving(hears("")) as server:
        settings = settings_for(server)
    with pytest.raises(UserError, match=r"cannot be reached; check that it runs, and asr\.base_url"):
        EndpointEngine(settings).warm_up()


@pytest.mark.parametrize("fault", [fails(503), fails(429), hangs()])
def test_an_endpoint_that_is_busy_may_hear_the_first_turn_all_the_same(fault: Behaviour) -> None:
    with serving(fault) as server:
        EndpointEngine(settings_for(server, timeout_s=0.3)).warm_up()


def test_eight_conversations_ask_side_by_side() -> None:
    here: list[Any] = []
    all_here = asyncio.Event()

    async def answer(request: Any, reply: Any) -> None:
        here.append(request)
        if len(here) == 8:
            all_here.set()
        await all_here.wait()
        await listens()(request, reply)

    async def listen() -> list[list[Noted]]:
        engine = EndpointEngine(settings)

        async def one(first: int) -> list[Noted]:
            recogniser = StreamingWhisperSTTService(settings=settings, shared=engine)
            return await play_frames(frames(silence(1), *spoken(first, 3), silence(0.5)), [recogniser])

        try:
            return await asyncio.gather(*(one(10 * i + 1) for i in range(8)))
        finally:
            engine.close()

    with serving(answer) as server:
        settings = settings_for(server, timeout_s=30.0)
        heard = virtual_time.run(listen(), virtual=True)
    assert [texts(notes) for notes in heard] == [[f"w{10 * i + 1} w{10 * i + 2} w{10 * i + 3}"] for i in range(8)]
