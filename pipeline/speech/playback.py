"""Plays a recording to a recogniser behind the real VAD and notes what it says, and when: for measuring and tests."""

from __future__ import annotations

import asyncio
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
    """Play a recording at its own speed on the running loop's clock, which may be virtual.

    Args:
        audio: int16 mono at 16 kHz; a second of silence follows it.
        recogniser: Fresh; it is used up.
        vad: The VAD's parameters; Pipecat's by default.

    Returns:
        Everything that came out, in order.
    """
    notebook = _Notebook()
    pipeline = Pipeline([SpeechTailVADProcessor(vad or VADParams()), recogniser, notebook])
    worker = PipelineWorker(
        pipeline,
        params=PipelineParams(audio_in_sample_rate=SAMPLE_RATE),
        enable_rtvi=False,
        idle_timeout_secs=None,
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)

    async def feed() -> None:
        await notebook.started.wait()
        loop = asyncio.get_running_loop()
        notebook.begin = loop.time()
        size = int(BLOCK_S * SAMPLE_RATE)
        whole = np.concatenate([audio, np.zeros(SAMPLE_RATE, dtype=np.int16)])
        for number, start in enumerate(range(0, len(whole) - size + 1, size), start=1):
            due = notebook.begin + number * BLOCK_S
            await asyncio.sleep(max(0.0, due - loop.time()))
            await worker.queue_frame(InputAudioRawFrame(whole[start : start + size].tobytes(), SAMPLE_RATE, 1))
        await worker.queue_frame(EndFrame())

    await asyncio.gather(runner.run(), feed())
    return notebook.notes
