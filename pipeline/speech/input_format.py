"""The user's audio as everything behind expects it: 16 kHz, mono, whole samples, short blocks, no constant offset.

Transports differ, and so do their peers: a browser may change over from 48 kHz to 8 kHz, a driver may deliver ten
seconds at once after a hiccup, cheap sound cards lift the whole signal. The VAD, the recogniser and the turn model
would each be misled by some of it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
from loguru import logger
from pipecat.frames.frames import Frame, InputAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.utils import obj_id

from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.resampling import MonoResampler

BLOCK = SAMPLE_RATE // 50
# Blocks up to this long pass as they are.
LONGEST_BLOCK = SAMPLE_RATE // 10
RATES = range(4_000, 384_001)
MOST_CHANNELS = 32
# A mean beyond this is no sound; it is followed within about a second.
OFFSET = 150.0
FOLLOW = 0.02


class AudioFormatter:
    """Streams blocks of any format to blocks of the one format."""

    def __init__(self) -> None:
        self._resampler = MonoResampler()
        self._mean: float | None = None

    def feed(self, audio: bytes, sample_rate: int, channels: int) -> Iterator[Samples]:
        """Take in a block.

        Args:
            audio: int16, interleaved; a broken sample at the end is dropped.
            sample_rate: Hz.
            channels: Mixed down by their mean.

        Yields:
            int16 mono at 16 kHz, blocks of at most 0.1 s.

        Raises:
            ValueError: There is no such format.
        """
        if sample_rate not in RATES or not 1 <= channels <= MOST_CHANNELS:
            raise ValueError(f"audio of {channels} channels at {sample_rate} Hz")
        samples = self._resampler.feed(audio, sample_rate, channels)
        if len(samples) <= LONGEST_BLOCK:
            blocks = [samples] if len(samples) else []
        else:
            blocks = [samples[at : at + BLOCK] for at in range(0, len(samples), BLOCK)]
        yield from map(self._level, blocks)

    def _level(self, block: Samples) -> Samples:
        mean = float(block.mean())
        self._mean = mean if self._mean is None else self._mean + FOLLOW * (mean - self._mean)
        if abs(self._mean) < OFFSET:
            return block
        return np.clip(block - self._mean, -32_768, 32_767).astype(np.int16)


class InputFormat(FrameProcessor):
    """Stands in front of the VAD. A block of the right format passes as it is."""

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self._formatter = AudioFormatter()
        self._refused: set[str] = set()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Format audio; everything else passes."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, InputAudioRawFrame) or direction is not FrameDirection.DOWNSTREAM:
            await self.push_frame(frame, direction)
            return
        try:
            blocks = list(self._formatter.feed(frame.audio, frame.sample_rate, frame.num_channels))
        except ValueError as error:
            if str(error) not in self._refused:
                self._refused.add(str(error))
                logger.warning(f"{self}: input is left out: {error}")
            return
        for block in blocks:
            await self.push_frame(_with(frame, block.tobytes()), direction)


def _with(frame: InputAudioRawFrame, audio: bytes) -> InputAudioRawFrame:
    """The frame with other audio; the same one if nothing changes."""
    if (frame.audio, frame.sample_rate, frame.num_channels) == (audio, SAMPLE_RATE, 1):
        return frame
    piece = copy.copy(frame)
    piece.id = obj_id()
    piece.audio, piece.sample_rate, piece.num_channels = audio, SAMPLE_RATE, 1
    piece.num_frames = len(audio) // 2
    return piece
