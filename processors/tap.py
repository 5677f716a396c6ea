"""A processor that looks at frames and passes every one on at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

Handler = Callable[[float, Any], None]


class Tap(FrameProcessor):
    """Calls a handler for each downstream frame of a type, with the time on the conversation's clock.

    Handlers are plain functions and must return at once: the tap has no queue of its own
    (Pipecat's direct mode), so what it sees is exactly what has happened at its place.
    """

    def __init__(self, clock: Callable[[], float], handlers: Mapping[type[Frame], Handler], **kwargs: Any) -> None:
        """Make the tap.

        Args:
            clock: The conversation's clock, seconds.
            handlers: Frame type to handler; the first matching type is called.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(enable_direct_mode=True, **kwargs)
        self._clock = clock
        self._handlers = dict(handlers)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Look at a frame and pass it on."""
        await super().process_frame(frame, direction)
        if direction == FrameDirection.DOWNSTREAM:
            for kind, handler in self._handlers.items():
                if isinstance(frame, kind):
                    handler(self._clock(), frame)
                    break
        await self.push_frame(frame, direction)
