"""Plays a recording to a recogniser behind the real VAD and notes what it says, and when: for measuring and tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import EndFrame, Frame, InputAudioRawFrame, StartFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.stt_service import STTService
from pipecat.workers.runner import WorkerRunner

from pipeline.speech.decoding import SAMPLE_RATE, Samples
from processors.speech_tail import SpeechTailVADProcessor

BLOCK_S = 0.02


@dataclass(frozen=True)
class Noted:
    """A frame that came out of the recogniser.

    Attributes:
        at: Seconds since the first sample.
        frame: The frame; audio is not noted.
    """

    at: float
    frame: Frame


class _Notebook(FrameProcessor):
    def __init__(self) -> None:
        super().__init__()
        self.started = asyncio.Event()
        self.begin = 0.0
        self.notes: list[Noted] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self.started.set()
        elif direction is FrameDirection.DOWNSTREAM and not isinstance(frame, InputAudioRawFrame):
            self.notes.append(Noted(asyncio.get_running_loop().time() - self.begin, frame))
        await self.push_frame(frame, direction)


async def play(audio: Samples, recogniser: STTService, *, vad: VADParams | None = None) -> list[Noted]:
    """Play a recording to a recogniser at the recording's speed.

    Args:
        audio: int16 mono at 16 kHz; a second of silence follows it.
        recogniser: Fresh; it is used up.
        vad: The VAD's parameters; Pipecat's by default.

    Returns:
        Everything that came out, in order.
    """
    size = int(BLOCK_S * SAMPLE_RATE)
    whole = np.concatenate([audio, np.zeros(SAMPLE_RATE, dtype=np.int16)])
    blocks = (whole[start : start + size].tobytes() for start in range(0, len(whole) - size + 1, size))
    frames = (InputAudioRawFrame(block, SAMPLE_RATE, 1) for block in blocks)
    return await play_frames(frames, [SpeechTailVADProcessor(vad or VADParams()), recogniser])


async def play_frames(frames: Iterable[Frame], processors: list[FrameProcessor]) -> list[Noted]:
    """Send frames through processors on the running loop's clock, which may be virtual.

    Args:
        frames: An audio frame arrives when its last sample has been spoken, any other right after the one before.
        processors: Fresh; they are used up.

    Returns:
        Everything that came out, in order.
    """
    notebook = _Notebook()
    worker = PipelineWorker(
        Pipeline([*processors, notebook]),
        params=PipelineParams(audio_in_sample_rate=SAMPLE_RATE),
        enable_rtvi=False,
        idle_timeout_secs=None,
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)

    async def feed() -> None:
        await notebook.started.wait()
        loop = asyncio.get_running_loop()
        due = notebook.begin = loop.time()
        for frame in frames:
            if isinstance(frame, InputAudioRawFrame):
                due += frame.num_frames / frame.sample_rate
                await asyncio.sleep(max(0.0, due - loop.time()))
            await worker.queue_frame(frame)
        await worker.queue_frame(EndFrame())

    await asyncio.gather(runner.run(), feed())
    return notebook.notes
