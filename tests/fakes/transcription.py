"""A transcription endpoint on loopback, in a thread of its own: its time is real, whatever the test's is.

with serving(hears("Hello there.")) as server:
    ... ASRSettings(base_url=server.base_url, model="fake") ...
    server.requests[0].body["language"]
"""

from __future__ import annotations

import asyncio
import io
import threading
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any

import numpy as np

from pipeline.speech.decoding import DecodeRequest, Samples
from pipeline.speech.language import LanguageChoice
from tests.fakes.openai_server import Behaviour, FakeOpenAI, Reply, Request
from tests.fakes.scripted_speech import ScriptedDecoder


def transcript(
    text: str, *, logprob: float = -0.2, no_speech: float = 0.05, language: str = "english", end: float = 1.0
) -> dict[str, Any]:
    """What Whisper servers send for ``verbose_json``."""
    segment = {"id": 0, "start": 0.0, "end": end, "text": text, "avg_logprob": logprob, "no_speech_prob": no_speech}
    return {
        "task": "transcribe",
        "language": language,
        "duration": end,
        "text": text,
        "segments": [segment] if text else [],
    }


def hears(text: str, *, delay: float = 0.0, **evidence: Any) -> Behaviour:
    """Hears the same in everything; without ``verbose_json`` it sends the text alone."""

    async def answer(request: Request, reply: Reply) -> None:
        await asyncio.sleep(delay)
        verbose = request.body.get("response_format") == "verbose_json"
        await reply.json(200, transcript(text, **evidence) if verbose else {"text": text})

    return answer


def listens(*, delay: float = 0.0, verbose: bool = True) -> Behaviour:
    """Hears scripted words (``tests.fakes.scripted_speech``); with ``verbose`` it tells when, if it is asked."""

    async def answer(request: Request, reply: Reply) -> None:
        await asyncio.sleep(delay)
        audio = samples_of(request)
        decoding = ScriptedDecoder().decode(
            DecodeRequest(audio, LanguageChoice("en", ("en",), detect=False), word_times=True)
        )
        if not verbose:
            await reply.json(200, {"text": decoding.text.strip()})
            return
        body = transcript(decoding.text, end=len(audio) / 16_000)
        if "word" in request.body.get("timestamp_granularities[]", []):
            ends = [end for _, end in decoding.times]
            body["words"] = [
                {"word": word, "start": end - 0.2, "end": end}
                for word, end in zip(decoding.text.split(), ends, strict=True)
            ]
        await reply.json(200, body)

    return answer


def dribbles() -> Behaviour:
    """Sends one byte after the other and never ends."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "application/json")
        while True:
            await reply.data(b" ")
            await asyncio.sleep(0.02)

    return answer


def refuses_options(*names: str, message: str = "", otherwise: Behaviour) -> Behaviour:
    """Answers 400 to requests with any of these fields."""

    async def answer(request: Request, reply: Reply) -> None:
        for name in names:
            value = request.body.get(name)
            if value is not None and (name != "response_format" or value == "verbose_json"):
                await reply.json(400, {"error": {"message": message or f"{name} is not supported"}})
                return
        await otherwise(request, reply)

    return answer


def samples_of(request: Request) -> Samples:
    """The audio of a request."""
    with wave.open(io.BytesIO(request.body["file"])) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[FakeOpenAI]:
    """Run a server; each request takes the next behaviour and the last one stays."""
    ready: Queue[tuple[FakeOpenAI, str]] = Queue()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with FakeOpenAI(*behaviours) as server:
            ready.put((server, server.base_url))
            await done.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        yield ready.get(timeout=20)[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()


def wait_until(condition: Any, seconds: float = 20.0) -> None:
    """Poll for something that another thread does."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)
