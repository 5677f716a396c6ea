"""The user-turn stop strategy: feeds ``Endpointing`` with frames, asks Smart Turn off the frame path."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import numpy as np
from loguru import logger
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_stop.base_user_turn_stop_strategy import BaseUserTurnStopStrategy

from processors.endpointing import Endpointing, EndpointingParams
from processors.frames import EmptySpeechFrame, SpeechOnsetFrame
from processors.smart_turn import SAMPLE_RATE, WINDOW_SECONDS, SmartTurn

# Audio before the VAD's start that belongs to the turn: its own delay, and half a second before it.
PRE_SPEECH_SECONDS = 0.7


class EndOfTurnStrategy(BaseUserTurnStopStrategy):
    """Ends a user turn once the words are final and the turn sounds complete.

    A finalised transcript never waits for a time-out: the recogniser says ``EmptySpeechFrame`` where
    there were no words. All silences are counted in samples of the input.
    """

    def __init__(self, params: EndpointingParams, smart_turn: SmartTurn | None, **kwargs: Any) -> None:
        """Make the strategy.

        Args:
            params: Silences; ``use_verdict`` needs ``smart_turn``.
            smart_turn: The judge; None to decide by silence alone.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        self._endpointing = Endpointing(params)
        self._smart_turn = smart_turn if params.use_verdict else None
        self._blocks: deque[bytes] = deque()
        self._buffered = 0
        self._judging: asyncio.Task[None] | None = None
        self._in_turn = False

    async def handle_user_turn_started(self) -> None:
        """Begin to look for the end of the turn, on its own audio alone."""
        self._in_turn = True
        # A turn that begins with words has its audio behind it already.
        if not self._endpointing.has_speech:
            self._trim(PRE_SPEECH_SECONDS)

    async def handle_user_turn_stopped(self) -> None:
        """Forget the turn that ended."""
        self._in_turn = False
        self._endpointing.reset()
        await self._stop_judging()

    async def cleanup(self) -> None:
        """Release the pending verdict."""
        await self._stop_judging()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Note what the frame says and end the turn if it is over.

        Args:
            frame: Any frame that passes the user aggregator.

        Returns:
            Always ``CONTINUE``.
        """
        if isinstance(frame, InputAudioRawFrame):
            self._buffer(frame)
            self._endpointing.silence(len(frame.audio) / 2 / frame.sample_rate)
            if self._in_turn and not (self._endpointing.has_speech or self._endpointing.has_words):
                self._endpointing.begun_late()
        elif isinstance(frame, SpeechOnsetFrame):
            self._endpointing.onset(frame.likely)
        elif isinstance(frame, VADUserStartedSpeakingFrame):
            if not self._in_turn:
                self._trim(PRE_SPEECH_SECONDS)
            self._endpointing.speech_started()
            await self._stop_judging()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self._endpointing.speech_stopped(frame.stop_secs)
            await self._start_judging()
        elif isinstance(frame, TranscriptionFrame | EmptySpeechFrame):
            self._words(frame)
        else:
            return ProcessFrameResult.CONTINUE
        await self._end_if_over()
        return ProcessFrameResult.CONTINUE

    def _words(self, frame: TranscriptionFrame | EmptySpeechFrame) -> None:
        """Count the words of the turn; what was said beside a turn (a backchannel) is no part of the next one."""
        if self._in_turn:
            self._endpointing.words(frame.text if isinstance(frame, TranscriptionFrame) else "")
        else:
            self._endpointing.left_out()

    async def _end_if_over(self) -> None:
        if self._in_turn and self._endpointing.is_over():
            await self.trigger_user_turn_stopped()

    def _buffer(self, frame: InputAudioRawFrame) -> None:
        """Keep the last seconds of input; Smart Turn wants 16 kHz."""
        if self._smart_turn is None or frame.sample_rate != SAMPLE_RATE:
            return
        self._blocks.append(frame.audio)
        self._buffered += len(frame.audio)
        self._trim(WINDOW_SECONDS)

    def _trim(self, seconds: float) -> None:
        while self._blocks and self._buffered - len(self._blocks[0]) >= seconds * SAMPLE_RATE * 2:
            self._buffered -= len(self._blocks.popleft())

    async def _start_judging(self) -> None:
        await self._stop_judging()
        if self._smart_turn is None or not self._blocks:
            self._endpointing.verdict(True)
            return
        audio = np.frombuffer(b"".join(self._blocks), dtype=np.int16)
        self._judging = self.task_manager.create_task(self._judge(self._smart_turn, audio), f"{self}::judge")

    async def _stop_judging(self) -> None:
        if self._judging is not None:
            await self.task_manager.cancel_task(self._judging)
            self._judging = None

    async def _judge(self, smart_turn: SmartTurn, audio: np.ndarray[Any, np.dtype[np.int16]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            probability = await loop.run_in_executor(smart_turn.executor, smart_turn.complete_probability, audio)
        except (RuntimeError, ValueError) as error:
            logger.warning(f"Smart Turn failed, silence decides: {error}")
            probability = 0.0
        self._judging = None
        self._endpointing.verdict(probability > 0.5)
        await self._end_if_over()
