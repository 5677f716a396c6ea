"""The service for OpenAI-compatible endpoints against a scripted server: every fault degrades, none ends the call."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from queue import Queue
from typing import Any

import pytest
from loguru import logger
from pipecat.frames.frames import InterruptionFrame
from pipecat.tests.utils import SleepFrame, run_test
from pydantic import SecretStr

from pipeline import virtual_time
from pipeline.settings import LLMSettings
from pipeline.speech.apologies import apology
from pipeline.speech.llm import make_llm, probe
from pipeline.speech.llm_openai import UPDATE_TOKENS
from pipeline.speech.llm_stream import MAX_CHARACTERS
from tests.fakes.openai_server import (
    Behaviour,
    FakeOpenAI,
    Reply,
    Request,
    breaks_off,
    chunk,
    fails,
    hangs,
    has_role,
    refuses,
    says,
    sends,
    stalls,
    streams,
)
from tests.pipeline.speech.llm_runner import USER, Turns, context_frame, run_turns

KEY = "sk-very-secret-4711"


def settings_for(server: FakeOpenAI, **changes: Any) -> LLMSettings:
    values = {"base_url": server.base_url, "model": "fake", "api_key": SecretStr(KEY), "timeout_s": 5.0}
    return LLMSettings(**(values | changes))


async def turns_with(*behaviours: Behaviour, prompts: Any = (USER,), language: str = "en", **changes: Any) -> Turns:
    async with FakeOpenAI(*behaviours) as server:
        service = make_llm(settings_for(server, **changes), language=language, weights_path=None)
        return await run_turns(service, *prompts)


@pytest.mark.parametrize("by", ["char", "word", "whole"])
async def test_a_reply_is_streamed(by: str) -> None:
    text = "Hello, 你好. It is fine <b>today</b>."
    turns = await turns_with(says(text, by=by))
    assert turns.texts == [text]
    assert turns.failures == []
    assert len(turns.pieces[0]) > 1 or by == "whole"


async def test_a_stream_without_done_is_an_answer() -> None:
    turns = await turns_with(says("All right.", done=False))
    assert turns.texts == ["All right."]
    assert turns.failures == []


FAULTS = {
    "401": (fails(401, f"Incorrect API key provided: {KEY}"), "http_401"),
    "403": (fails(403), "http_403"),
    "404": (fails(404, "model 'fake' not found"), "http_404"),
    "429": (fails(429), "http_429"),
    "500": (fails(500), "http_500"),
    "503 with a page": (sends(b"<html>down</html>", "text/html", 503), "http_503"),
    "400 for no known reason": (fails(400, "bad things"), "http_400"),
    "not JSON": (sends(b"data: {not json\n\n"), "garbage"),
    "a page": (sends(b"<html>welcome</html>", "text/html"), "garbage"),
    "JSON that is no completion": (streams({"hello": 1}), "garbage"),
    "content that is no text": (streams(chunk({"a": 1})), "garbage"),
    "a list": (streams([1, 2]), "garbage"),
    "an object": (sends(b'{"hello": 1}', "application/json"), "garbage"),
    "an answer cut in the middle": (
        sends(b'{"choices": [{"message": {"content": "Sure', "application/json"),
        "garbage",
    ),
    "an answer of a wrong type": (sends(b'{"choices": [{"message": {"content": 4}}]}', "application/json"), "garbage"),
    "binary": (sends(bytes(range(256)), "application/octet-stream"), "garbage"),
    "an empty answer": (says(""), "empty"),
    "an answer of spaces": (says("  \n "), "empty"),
    "only thoughts": (says("<think>hm</think>"), "empty"),
    "done at once": (streams("[DONE]"), "truncated"),
    "nothing": (streams(), "truncated"),
    "a closed connection": (breaks_off(""), "truncated"),
    "an error event": (streams({"error": {"message": "overloaded"}}), "server_error"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_apologised_for_and_the_next_turn_works(name: str) -> None:
    fault, reason = FAULTS[name]
    turns = await turns_with(fault, says("Here I am."), prompts=(USER, USER))
    assert [failure.reason for failure in turns.failures] == [reason]
    assert turns.failures[0].part == "llm"
    assert turns.texts == [apology("en", reason), "Here I am."]
    detail = turns.failures[0].detail
    assert "fake at http://127.0.0.1:" in detail
    assert "\n" not in detail
    assert KEY not in detail


@pytest.mark.parametrize("fault", [hangs(), stalls(""), stalls("", keep_alive=0.02), says("late", first_delay=30)])
async def test_silence_is_a_fault(fault: Behaviour) -> None:
    turns = await turns_with(fault, timeout_s=0.3)
    assert [failure.reason for failure in turns.failures] == ["timeout"]
    assert turns.texts == [apology("en", "timeout")]
    assert "0.3 s" in turns.failures[0].detail


@pytest.mark.parametrize("fault", [hangs(), stalls(""), stalls("", keep_alive=0.02)])
def test_silence_is_a_fault_in_lock_step_too_and_takes_no_longer(fault: Behaviour) -> None:
    address: Queue[str] = Queue()
    done = threading.Event()

    async def serve() -> None:
        async with FakeOpenAI(fault) as server:
            address.put(server.base_url)
            await asyncio.to_thread(done.wait)

    # In a thread of its own: the server's time is real.
    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        settings = LLMSettings(base_url=address.get(timeout=20), model="fake", timeout_s=1.0)
        service = make_llm(settings, language="en", weights_path=None)
        started = time.monotonic()
        turns = virtual_time.run(run_turns(service, USER), virtual=True)
        # Without an end to its patience the clock would stand still for half a minute, or for ever.
        assert time.monotonic() - started < 25
    finally:
        done.set()
        thread.join()
    assert [failure.reason for failure in turns.failures] == ["timeout"]
    assert turns.texts == [apology("en", "timeout")]


async def test_an_endpoint_that_is_down() -> None:
    async with FakeOpenAI(hangs()) as server:
        settings = settings_for(server)
    turns = await run_turns(make_llm(settings, language="en", weights_path=None), USER)
    assert [failure.reason for failure in turns.failures] == ["unreachable"]
    assert turns.texts == [apology("en", "unreachable")]


@pytest.mark.parametrize(
    ("fault", "reason"), [(stalls("I think that"), "timeout"), (breaks_off("I think that"), "truncated")]
)
async def test_no_apology_in_the_middle_of_a_sentence(fault: Behaviour, reason: str) -> None:
    turns = await turns_with(fault, timeout_s=2.0)
    assert turns.texts == ["I think that"]
    assert [failure.reason for failure in turns.failures] == [reason]


async def test_an_answer_that_never_ends_is_cut() -> None:
    turns = await turns_with(says("again and " * 10_000))
    assert [failure.reason for failure in turns.failures] == ["endless"]
    assert "llm.max_tokens" in turns.failures[0].detail
    (text,) = turns.texts
    assert text.startswith("again and again")
    assert len(text) <= MAX_CHARACTERS


async def test_slow_tokens_are_no_fault_while_they_come() -> None:
    turns = await turns_with(says("one two three four five six seven", delay=0.4), timeout_s=2.0)
    assert turns.texts == ["one two three four five six seven"]
    assert turns.failures == []


@pytest.mark.parametrize(
    ("words", "configured", "spoken"),
    [
        ("你好吗？", "en", "zh"),
        ("How are you?", "zh", "en"),
        ("OK", "zh", "zh"),
        ("<notes>我</notes>\nHello", "en", "en"),
    ],
)
async def test_the_apology_is_in_the_users_language(words: str, configured: str, spoken: str) -> None:
    prompt = [{"role": "user", "content": words}]
    turns = await turns_with(fails(500), prompts=(prompt,), language=configured)
    assert turns.texts == [apology(spoken, "http_500")]


async def test_thoughts_are_not_spoken() -> None:
    turns = await turns_with(says("<think>The user greets me. < Or not? ></think>\n\nHello! 1 < 2.", by="char"))
    assert turns.texts == ["Hello! 1 < 2."]


async def test_only_what_every_server_knows_is_sent() -> None:
    async with FakeOpenAI(says("Yes.")) as server:
        settings = settings_for(server, headers={"X-Team": "blue"}, max_tokens=77)
        await run_turns(make_llm(settings, language="en", weights_path=None), USER)
    request = server.requests[0]
    assert request.body == {
        "model": "fake",
        "messages": USER,
        "stream": True,
        "max_tokens": 77,
        "temperature": 0.0,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-team"] == "blue"


ANSWER = '{"reply": "Yes.", "state_update": {"task": "x"}}'


async def test_an_answer_in_json_is_asked_for_with_its_schema_and_passed_on_as_it_is() -> None:
    async with FakeOpenAI(says(ANSWER, by="char")) as server:
        settings = settings_for(server, reply_format="json", max_tokens=77)
        turns = await run_turns(make_llm(settings, language="en", weights_path=None), USER)
    assert turns.texts == [ANSWER]
    body = server.requests[0].body
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["reply", "state_update"]
    assert body["max_tokens"] == 77 + UPDATE_TOKENS


@pytest.mark.parametrize("message", ["'response_format' is not supported", "Bad request", ""])
@pytest.mark.parametrize("status", [400, 422])
async def test_a_refused_format_is_left_out_from_then_on(status: int, message: str) -> None:
    async def picky(request: Request, reply: Reply) -> None:
        refused = "response_format" in request.body
        await (fails(status, message) if refused else says(ANSWER))(request, reply)

    async with FakeOpenAI(picky) as server:
        service = make_llm(settings_for(server, reply_format="json"), language="en", weights_path=None)
        turns = await run_turns(service, USER, USER)
    assert turns.texts == [ANSWER, ANSWER]
    assert turns.failures == []
    sent = [request.body.get("response_format", {}).get("type") for request in server.requests]
    assert sent == ["json_schema", "json_object", None, None]


async def test_a_format_that_was_not_to_blame_is_asked_for_again() -> None:
    turns: list[str] = []
    async with FakeOpenAI(fails(400, "no"), fails(400, "no"), fails(400, "no"), says(ANSWER)) as server:
        service = make_llm(settings_for(server, reply_format="json"), language="en", weights_path=None)
        turns = (await run_turns(service, USER, USER)).texts
    assert turns == [apology("en", "http_400"), ANSWER]
    assert server.requests[3].body["response_format"]["type"] == "json_schema"


async def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert (await turns_with(streams(chunk("a\ud83d b"), chunk(finish="stop")))).texts == ["a? b"]


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (
            lambda body: "max_tokens" in body,
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        (lambda body: "temperature" in body, "'temperature' does not support 0.0 with this model."),
        (has_role("system"), "System role not supported"),
        (has_role("developer"), "Unexpected role: developer"),
    ],
)
async def test_a_refused_parameter_is_left_out_from_then_on(refused: Any, message: str) -> None:
    prompt = [USER[0], {"role": "developer", "content": "Be brief."}, USER[1]]
    async with FakeOpenAI(refuses(refused, message, says("Yes."))) as server:
        service = make_llm(settings_for(server, developer_role=True), language="en", weights_path=None)
        turns = await run_turns(service, prompt, prompt)
    assert turns.texts == ["Yes.", "Yes."]
    assert turns.failures == []
    assert [refused(request.body) for request in server.requests] == [True, False, False]
    assert all("You are Joe." in json.dumps(request.body) for request in server.requests)


async def test_the_developer_role_is_sent_only_where_it_is_known() -> None:
    prompt = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    for known in (True, False):
        async with FakeOpenAI(says("Yes.")) as server:
            await run_turns(
                make_llm(settings_for(server, developer_role=known), language="en", weights_path=None), prompt
            )
        assert has_role("developer")(server.requests[0].body) is known


async def test_an_interruption_closes_the_connection_and_the_next_turn_works() -> None:
    async with FakeOpenAI(says("word " * 500, delay=0.02), says("Yes.")) as server:
        service = make_llm(settings_for(server), language="en", weights_path=None)
        down, _ = await run_test(
            service,
            frames_to_send=[
                context_frame(USER),
                SleepFrame(sleep=0.4),
                InterruptionFrame(),
                SleepFrame(sleep=0.2),
                context_frame(USER),
            ],
        )
        assert server.dropped == 1
    turns = Turns(down)
    assert 0 < len(turns.texts[0].split()) < 400
    assert turns.texts[1] == "Yes."
    assert turns.failures == []


async def test_no_key_in_any_log(caplog: pytest.LogCaptureFixture) -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, level="TRACE")
    caplog.set_level(logging.DEBUG)
    try:
        fault = fails(400, f"bad key {KEY} and header blue-secret")
        turns = await turns_with(fault, headers={"X-Pass": "blue-secret"})
        turns_401 = await turns_with(FAULTS["401"][0], headers={"X-Pass": "blue-secret"})
    finally:
        logger.remove(sink)
    shown = "".join(lines) + caplog.text + str(turns.failures) + str(turns_401.failures)
    assert "bad key ***" in shown
    assert KEY not in shown
    assert "blue-secret" not in shown


async def test_probe() -> None:
    async with FakeOpenAI(hangs(), models=["qwen3:4b", "fake"]) as server:
        assert await probe(settings_for(server)) is None
        assert await probe(settings_for(server, model="qwen3")) is None
        line = await probe(settings_for(server, model="gpt-5"))
        assert line is not None
        assert "gpt-5" in line
        assert "qwen3:4b" in line


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (fails(401), "refused the key"),
        (sends(b"<html>", "text/html"), "no chat completion"),
        (hangs(), "kept silent"),
        (None, None),
    ],
)
async def test_probe_says_what_is_wrong(models: Any, expected: str | None) -> None:
    async with FakeOpenAI(hangs(), models=models) as server:
        line = await probe(settings_for(server, timeout_s=0.3))
    if expected is None:
        assert line is None
    else:
        assert line is not None
        assert expected in line
        assert KEY not in line


async def test_probe_of_nothing_and_of_the_embedded_model() -> None:
    async with FakeOpenAI(hangs()) as server:
        settings = settings_for(server)
    line = await probe(settings)
    assert line is not None
    assert "cannot be reached" in line
    assert await probe(LLMSettings()) is None
    await asyncio.sleep(0)


def in_bytes(*contents: bytes) -> Behaviour:
    """Chunks whose text may be no sound UTF-8."""
    head, tail = json.dumps(chunk("@")).encode().split(b"@")
    events = [b"data: " + head + content + tail + b"\n\n" for content in contents]
    return sends(b"".join([*events, b"data: " + json.dumps(chunk(finish="stop")).encode() + b"\n\n"]))


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ((b"Room ", b"\xff\xfe four."), "Room \ufffd\ufffd four."),
        (("四号房".encode(), b" is \xe5 free."), "四号房 is \ufffd free."),
        (("四号房空着。".encode("gb18030"),), None),
    ],
)
async def test_a_broken_character_costs_a_character(contents: tuple[bytes, ...], said: str | None) -> None:
    turns = await turns_with(in_bytes(*contents))
    assert turns.failures == []
    assert said is None or turns.texts == [said]


def whole(message: dict[str, Any]) -> Behaviour:
    """A completion that is not streamed, although it was asked for."""
    answer = {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    return sends(json.dumps(answer).encode(), "application/json; charset=utf-8")


async def test_a_server_that_does_not_stream_is_heard() -> None:
    turns = await turns_with(whole({"role": "assistant", "content": "Sure, 你好."}))
    assert (turns.texts, turns.failures) == (["Sure, 你好."], [])
