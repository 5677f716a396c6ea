"""Typed turns, for a pipeline without a recogniser: a chat, or a replay of words."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from pipecat.frames.frames import (
    OutputAudioRawFrame,
    StartFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from pipeline.clock import ConversationClock
from pipeline.transports.pausable import PausableOutput
from pipeline.transports.playback import PlaybackListener

# System frames overtake data frames: each step settles before the next.
SETTLE_SECONDS = 0.02


async def push_typed_turn(source: FrameProcessor, text: str, user_id: str) -> None:
    """Let a user's turn enter the pipeline as words.

    Args:
        source: The transport's input.
        text: The whole turn.
        user_id: Who says it.
    """
    await source.push_frame(VADUserStartedSpeakingFrame())
    await asyncio.sleep(SETTLE_SECONDS)
    await source.push_frame(VADUserStoppedSpeakingFrame(stop_secs=0.0))
    await asyncio.sleep(SETTLE_SECONDS)
    await source.push_frame(TranscriptionFrame(text, user_id, "", finalized=True))
    await asyncio.sleep(SETTLE_SECONDS)


class ChatInput(BaseInputTransport):
    """Has no microphone; turns are typed."""

    def __init__(self, params: TransportParams, clock: ConversationClock) -> None:
        super().__init__(params)
        self._conversation_clock = clock

    async def start(self, frame: StartFrame) -> None:
        """Start the conversation's clock."""
        await super().start(frame)
        self._conversation_clock.start()
        await self.set_transport_ready(frame)


class ChatOutput(PausableOutput):
    """Takes the (silent) audio as fast as it comes: words are there when they are made."""

    def __init__(self, params: TransportParams, listener: PlaybackListener, clock: ConversationClock) -> None:
        super().__init__(params)
        self._listener = listener
        self._conversation_clock = clock

    async def start(self, frame: StartFrame) -> None:
        """Get ready."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Take a block."""
        if not await self.may_play():
            return False
        samples = np.frombuffer(frame.audio, dtype=np.int16)
        self._listener.agent_audio(samples, frame.sample_rate, self._conversation_clock())
        return True


class ChatTransport(BaseTransport):
    """A keyboard and a screen."""

    def __init__(self, *, clock: ConversationClock, listener: PlaybackListener, **kwargs: Any) -> None:
        """Make both ends.

        Args:
            clock: The conversation's clock.
            listener: Told of what is "played".
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        params = TransportParams(audio_out_enabled=True, audio_out_end_silence_secs=0)
        self._input = ChatInput(params, clock)
        self._output = ChatOutput(params, listener, clock)

    def input(self) -> FrameProcessor:
        """The keyboard."""
        return self._input

    def output(self) -> FrameProcessor:
        """The screen."""
        return self._output
