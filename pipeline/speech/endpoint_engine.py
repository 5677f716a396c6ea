"""A transcription endpoint as a recogniser that any number of conversations share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from loguru import logger

from memory.errors import UserError
from pipeline.settings import ASRSettings
from pipeline.speech.decoder import Decoder
from pipeline.speech.decoding import SAMPLE_RATE
from pipeline.speech.endpoint_decoder import EndpointDecoder
from pipeline.speech.engine import DecodeQueue
from pipeline.speech.llm_failure import EndpointFailure
from pipeline.speech.script import ChineseScript
from pipeline.speech.transcription_client import PASSING, TranscriptionClient

T = TypeVar("T")

# Requests under way at once, over all conversations; a conversation has one.
MOST_REQUESTS = 32


class EndpointEngine:
    """The client, threads that wait for it, and a queue that is as wide as they are many."""

    def __init__(self, settings: ASRSettings) -> None:
        """Get ready; nothing is sent yet.

        Args:
            settings: With ``base_url``.
        """
        self._client = TranscriptionClient(settings)
        self._threads = ThreadPoolExecutor(max_workers=MOST_REQUESTS, thread_name_prefix="transcription")
        self.queue = DecodeQueue(MOST_REQUESTS)

    def decoder(self, script: ChineseScript) -> Decoder:
        """A decoder for one conversation.

        Args:
            script: Chinese characters are written in it.
        """
        return EndpointDecoder(self._client, script)

    def check_language(self, language: str | None) -> None:
        """Endpoints do not say which languages they know."""

    def is_ordinary(self, word: str) -> bool:
        """Whether a word is written as common words are: the endpoint's vocabulary is not known."""
        return word.islower()

    def warm_up(self) -> None:
        """Have half a second of faint noise transcribed: a wrong address, key or model shows before anybody speaks.

        Raises:
            UserError: The endpoint cannot be reached or refuses; one line says what to check.
        """
        noise = np.random.default_rng(0).integers(-30, 30, SAMPLE_RATE // 2, dtype=np.int16)
        timeout_s = self._client.endpoint.timeout_s
        try:
            self._client.transcribe(noise, language=None, prompt="", word_times=False, timeout_s=timeout_s)
        except EndpointFailure as failure:
            # A server that is loading its model or busy may hear the first turn all the same.
            busy = failure.reason in PASSING - {"unreachable"} or failure.reason.startswith("http_5")
            if not busy:
                raise UserError(failure.detail) from None
            logger.warning(failure.detail)

    async def run(self, function: Callable[..., T], *args: object) -> T:
        """Call a function in a thread. The caller has the turn."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    def close(self) -> None:
        """Let the threads end after the requests that are under way."""
        self._threads.shutdown(wait=False, cancel_futures=True)
