"""An output that can fall silent in mid-word and go on there: nothing is lost, what was queued waits.

    block  block  ┤ SpeechPausedFrame … SpeechResumedFrame ├ block  block      goes on
    block  block  ┤ SpeechPausedFrame … InterruptionFrame  ┤                   dropped, queue and held block alike

Words travel in the same queue, so that what counts as heard pauses with the sound.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pipecat.frames.frames import CancelFrame, EndFrame, Frame, InterruptionFrame
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport

from processors.frames import SpeechPausedFrame, SpeechResumedFrame


class PausableOutput(BaseOutputTransport):
    """Base of output transports; before it plays a block, a subclass asks ``may_play``.

    A pause must be shorter than the transport's write time-out (``audio_out_write_timeout_secs``).
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plays = asyncio.Event()
        self._plays.set()
        self._interruptions = 0

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pause and go on; see the base class for the rest."""
        if isinstance(frame, SpeechPausedFrame):
            self._plays.clear()
        elif isinstance(frame, SpeechResumedFrame | EndFrame | CancelFrame):
            self._plays.set()
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame):
            # The base class has emptied the queue; the block that waits goes the same way.
            self._interruptions += 1
            self._plays.set()

    async def may_play(self) -> bool:
        """Wait while the output is paused.

        Returns:
            Whether the block that waited is still to be played; False after an interruption.
        """
        if self._plays.is_set():
            return True
        before = self._interruptions
        await self._plays.wait()
        return before == self._interruptions
