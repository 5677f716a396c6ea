"""A transport that plays recorded or synthesised speech as the user, and writes the agent's to a sink.

Both directions are paced on ``loop.time()``: on an ordinary loop that is real time; on a virtual one
(``pipeline.virtual_time``) it is lock-step. The same code runs in both.

    input:   20 ms blocks without a gap: the current clip, else silence
    output:  a block is due when the one before has ended; writing returns when it has been played
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    InputAudioRawFrame,
    OutputAudioRawFrame,
    StartFrame,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from pipeline.clock import ConversationClock
from pipeline.transports.pausable import PausableOutput
from pipeline.transports.playback import PlaybackListener
from pipeline.transports.typed import push_typed_turn

BLOCK_SECONDS = 0.02

Samples = npt.NDArray[np.int16]


class ReplayInput(BaseInputTransport):
    """Sends 20 ms blocks for as long as the pipeline runs."""

    def __init__(self, params: TransportParams, on_block: Callable[[Samples], None], clock: ConversationClock) -> None:
        super().__init__(params)
        self._on_block = on_block
        self._conversation_clock = clock
        self._waiting: deque[Samples] = deque()
        self._sender: asyncio.Task[None] | None = None
        self.on_start: Callable[[], None] = lambda: None
        self.started = asyncio.Event()
        self.drained = asyncio.Event()
        self.drained.set()

    def play(self, samples: Samples) -> None:
        """Queue samples of the user's side behind those that wait.

        Args:
            samples: int16 mono at the pipeline's input rate.
        """
        if len(samples):
            self.drained.clear()
            self._waiting.append(samples)

    async def type_words(self, text: str, user_id: str) -> None:
        """Let a user's turn enter as words, for a pipeline without a recogniser.

        Args:
            text: The whole turn.
            user_id: Who says it.
        """
        await push_typed_turn(self, text, user_id)

    @property
    def queued_seconds(self) -> float:
        """How much waits to be sent."""
        return sum(len(samples) for samples in self._waiting) / self.sample_rate

    async def start(self, frame: StartFrame) -> None:
        """Begin to send blocks."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._sender = self.create_task(self._send_blocks(), f"{self}::send")

    async def stop(self, frame: EndFrame) -> None:
        """Send no more."""
        await self._stop_sending()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """Send no more."""
        await self._stop_sending()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """Send no more, also when the pipeline was cancelled before it had begun."""
        await self._stop_sending()
        await super().cleanup()

    async def _stop_sending(self) -> None:
        if self._sender is not None:
            await self.cancel_task(self._sender)
            self._sender = None

    async def _send_blocks(self) -> None:
        loop = asyncio.get_running_loop()
        size = int(self.sample_rate * BLOCK_SECONDS)
        self._conversation_clock.start()
        due = loop.time()
        self.started.set()
        self.on_start()
        while True:
            block = self._next_block(size)
            # A block exists when its last sample has been spoken.
            due += BLOCK_SECONDS
            await asyncio.sleep(max(0.0, due - loop.time()))
            self._on_block(block)
            await self.push_audio_frame(InputAudioRawFrame(block.tobytes(), self.sample_rate, 1))

    def _next_block(self, size: int) -> Samples:
        block = np.zeros(size, dtype=np.int16)
        filled = 0
        while filled < size and self._waiting:
            head = self._waiting.popleft()
            taken = min(len(head), size - filled)
            block[filled : filled + taken] = head[:taken]
            filled += taken
            if taken < len(head):
                self._waiting.appendleft(head[taken:])
        if not self._waiting:
            self.drained.set()
        return block


class ReplayOutput(PausableOutput):
    """Plays into a sink, at the pace of a loudspeaker."""

    def __init__(self, params: TransportParams, listener: PlaybackListener, clock: ConversationClock) -> None:
        super().__init__(params)
        self._listener = listener
        self._conversation_clock = clock
        self._play_head = 0.0

    async def start(self, frame: StartFrame) -> None:
        """Get ready to play."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Play a block; returns when its last sample has been heard."""
        if not await self.may_play():
            return False
        samples = np.frombuffer(frame.audio, dtype=np.int16)
        begin = max(self._conversation_clock(), self._play_head)
        self._play_head = begin + len(samples) / frame.sample_rate
        self._listener.agent_audio(samples, frame.sample_rate, begin)
        await asyncio.sleep(max(0.0, self._play_head - self._conversation_clock()))
        return True


class ReplayTransport(BaseTransport):
    """Input and output of a replayed conversation.

    Attributes:
        user: The input; feed it with ``play``.
    """

    def __init__(
        self,
        *,
        sample_rate: int,
        clock: ConversationClock,
        on_user_block: Callable[[Samples], None],
        listener: PlaybackListener,
        **kwargs: Any,
    ) -> None:
        """Make both ends.

        Args:
            sample_rate: Hz, of both directions.
            clock: The conversation's clock; the first block starts it.
            on_user_block: Gets each block of the user's side as it is sent.
            listener: Gets each block of the agent's side as it starts to play.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        params = TransportParams(
            audio_in_enabled=True,
            audio_out_enabled=True,
            audio_in_sample_rate=sample_rate,
            audio_out_sample_rate=sample_rate,
            audio_out_10ms_chunks=2,
            audio_out_end_silence_secs=0,
        )
        self.user = ReplayInput(params, on_user_block, clock)
        self._output = ReplayOutput(params, listener, clock)

    def input(self) -> FrameProcessor:
        """The user's side."""
        return self.user

    def output(self) -> FrameProcessor:
        """The agent's side."""
        return self._output
