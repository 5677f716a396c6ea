"""Asks an OpenAI-compatible endpoint for a transcript; blocking, for the recogniser's threads."""

from __future__ import annotations

import io
import time
import wave
from collections.abc import Callable
from typing import Any

from openai import APIStatusError, OpenAI, Timeout

from pipeline.settings import ASRSettings
from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.llm_failure import Endpoint, EndpointFailure, server_message
from pipeline.speech.transcript_json import Transcript, read_transcript

CONNECT_TIMEOUT_S = 3.0
# Longest answer, bytes; three words a second with times and tokens are 2 kB.
LONGEST_ANSWER = 2_000_000
# What may be left out of a request that an endpoint refuses, the most refused first, with the words that blame it.
_OPTIONS = (
    ("timestamp_granularities", ("timestamp", "granularit")),
    ("response_format", ("response_format", "verbose", "format")),
    ("prompt", ("prompt",)),
    ("temperature", ("temperature",)),
    ("language", ("language",)),
)
# A second try helps against these.
PASSING = frozenset({"timeout", "unreachable", "truncated", "server_error", "http_408", "http_429"})


class TranscriptionClient:
    """One endpoint; any number of conversations and threads share it. Learns what the endpoint does not take."""

    def __init__(self, settings: ASRSettings, clock: Callable[[], float] = time.monotonic) -> None:
        """Get ready; nothing is sent yet.

        Args:
            settings: With ``base_url``.
            clock: Seconds, for the time-outs.
        """
        key = settings.api_key.get_secret_value() if settings.api_key is not None else ""
        self.endpoint = Endpoint(
            settings.base_url or "",
            settings.model,
            settings.timeout_s,
            (key,),
            serves="recogniser",
            section="asr",
            key_variable="INNERVOICE_ASR_API_KEY",
            answer="transcript",
            failure_class=EndpointFailure,
        )
        # Local servers want no key, but the client wants one.
        self._client = OpenAI(api_key=key or "none", base_url=settings.base_url, max_retries=0)
        self._clock = clock
        self._left_out: frozenset[str] = frozenset()

    def transcribe(
        self, audio: Samples, *, language: str | None, prompt: str, word_times: bool, timeout_s: float
    ) -> Transcript:
        """Ask once.

        Args:
            audio: int16 mono at 16 kHz.
            language: Code to read it in; None lets the endpoint decide.
            prompt: Text said before, or names that may be said.
            word_times: Whether to ask for the times of the words.
            timeout_s: Longest wait for the whole answer, seconds.

        Returns:
            What it heard.

        Raises:
            EndpointFailure: There is no usable answer.
        """
        deadline = self._clock() + timeout_s
        options: dict[str, Any] = {"response_format": "verbose_json", "temperature": 0.0}
        if language is not None:
            options["language"] = language
        if prompt:
            options["prompt"] = prompt
        if word_times:
            options["timestamp_granularities"] = ["word", "segment"]
        recording = wav(audio)
        left_out = self._left_out
        for _ in range(len(_OPTIONS) + 1):
            asked = {name: value for name, value in options.items() if name not in left_out}
            try:
                transcript = read_transcript(self._ask(recording, asked, deadline))
            except APIStatusError as error:
                blamed = _blamed(server_message(error), asked) if error.status_code in (400, 415, 422) else None
                if blamed is None:
                    raise self.endpoint.failure_of(error, answering=False) from None
                left_out |= {blamed}
                continue
            except ValueError as error:
                raise self.endpoint.failure("garbage", str(error)) from None
            except EndpointFailure:
                raise
            except Exception as error:
                # The boundary to a server that may do anything.
                raise self.endpoint.failure_of(error, answering=False) from None
            self._left_out |= left_out
            return transcript
        raise self.endpoint.failure("http_400")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, recording: bytes, options: dict[str, Any], deadline: float) -> bytes:
        left = deadline - self._clock()
        if left <= 0:
            raise TimeoutError
        timeout = Timeout(left, connect=min(CONNECT_TIMEOUT_S, left))
        body = bytearray()
        # Read piece by piece: a time-out for the whole of it is none of the client's.
        with self._client.audio.transcriptions.with_streaming_response.create(
            file=("speech.wav", recording, "audio/wav"), model=self.endpoint.model, timeout=timeout, **options
        ) as response:
            for piece in response.iter_bytes():
                body += piece
                if self._clock() > deadline:
                    raise TimeoutError
                if len(body) > LONGEST_ANSWER:
                    raise ValueError("an answer without end")
        return bytes(body)


def wav(audio: Samples) -> bytes:
    """A WAV file of int16 mono audio at 16 kHz."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(audio.astype("<i2").tobytes())
    return buffer.getvalue()


def _blamed(message: str, asked: dict[str, Any]) -> str | None:
    """Which option a refused request goes without next; None if it was refused for another reason."""
    said = message.casefold()
    for name, words in _OPTIONS:
        if name in asked and any(word in said for word in words):
            return name
    # Some say nothing but "bad request"; the longer form of the answer is what most of them lack.
    return next((name for name, _ in _OPTIONS[:2] if name in asked), None)
