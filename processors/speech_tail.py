"""The speech tail: Silero's first silent window after speech, about 160 ms before it says stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams, VADState
from pipecat.processors.audio.vad_processor import VADProcessor

from processors.frames import SpeechTailFrame


class SpeechTailVADAnalyzer(SileroVADAnalyzer):
    """Silero (the ONNX file that Pipecat carries) that also reports SPEAKING → STOPPING."""

    def __init__(self, params: VADParams) -> None:
        super().__init__(params=params)
        self._state_before = VADState.QUIET
        self.on_tail: Callable[[], Awaitable[None]] | None = None

    async def analyze_audio(self, buffer: bytes) -> VADState:
        """Analyse a block of 16-bit mono audio and report the tail before returning."""
        before = self._state_before
        state = await super().analyze_audio(buffer)
        self._state_before = state
        if before == VADState.SPEAKING and state == VADState.STOPPING and self.on_tail is not None:
            await self.on_tail()
        return state


class SpeechTailVADProcessor(VADProcessor):
    """A VAD processor that pushes ``SpeechTailFrame`` in order with the audio that caused it."""

    def __init__(self, params: VADParams, **kwargs: Any) -> None:
        """Make the processor.

        Args:
            params: Pipecat's VAD parameters.
            **kwargs: Passed on to ``VADProcessor``.
        """
        analyzer = SpeechTailVADAnalyzer(params)
        super().__init__(vad_analyzer=analyzer, **kwargs)

        async def push_tail() -> None:
            await self.push_frame(SpeechTailFrame(at=asyncio.get_running_loop().time()))

        analyzer.on_tail = push_tail
