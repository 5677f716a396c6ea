"""What Silero knows before it says so: the first silent window after speech, the first window of speech."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams, VADState
from pipecat.processors.audio.vad_processor import VADProcessor

from processors.frames import SpeechOnsetFrame, SpeechTailFrame


class SpeechTailVADAnalyzer(SileroVADAnalyzer):
    """Silero (the ONNX file that Pipecat carries) that reports its states in between, too.

    SPEAKING → STOPPING is the speech tail, about 160 ms before stop; QUIET → STARTING is the onset,
    about 200 ms before start.
    """

    def __init__(self, params: VADParams) -> None:
        super().__init__(params=params)
        self._state_before = VADState.QUIET
        self.on_tail: Callable[[], Awaitable[None]] | None = None
        self.on_onset: Callable[[bool], Awaitable[None]] | None = None

    async def analyze_audio(self, buffer: bytes) -> VADState:
        """Analyse a block of 16-bit mono audio and report changes before returning."""
        before = self._state_before
        state = await super().analyze_audio(buffer)
        self._state_before = state
        if before == VADState.SPEAKING and state == VADState.STOPPING and self.on_tail is not None:
            await self.on_tail()
        if state != before and VADState.STARTING in (before, state) and self.on_onset is not None:
            await self.on_onset(state != VADState.QUIET)
        return state


class SpeechTailVADProcessor(VADProcessor):
    """A VAD processor that pushes tail and onset in order with the audio that caused them."""

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

        async def push_onset(likely: bool) -> None:
            await self.push_frame(SpeechOnsetFrame(likely=likely))

        analyzer.on_tail = push_tail
        analyzer.on_onset = push_onset
