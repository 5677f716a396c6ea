"""The conversation's clock: seconds since its first sample, on the event loop's time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from pipecat.clocks.base_clock import BaseClock


class ConversationClock:
    """Stands still until the transport starts it; maps to the session's local time and to the epoch."""

    def __init__(self, session_start: datetime | None = None, offset: float = 0.0) -> None:
        """Make a clock that has not started.

        Args:
            session_start: The session's own local time at its start (a scenario's ``clock``);
                None for now. Without a zone it is in the machine's.
            offset: What the clock shows at its start, seconds: the length of the recording
                that this session goes on with.
        """
        self._start: float | None = None
        self._offset = offset
        # astimezone() reads a time without a zone as local.
        self._session_start = (session_start or datetime.now()).astimezone()

    def start(self) -> None:
        """The first sample is about to be taken."""
        if self._start is None:
            self._start = asyncio.get_running_loop().time()

    def __call__(self) -> float:
        """Seconds on the recording's clock."""
        if self._start is None:
            return self._offset
        return asyncio.get_running_loop().time() - self._start + self._offset

    def now(self) -> datetime:
        """The session's local time."""
        return self._session_start + timedelta(seconds=self() - self._offset)

    def wall_time(self, seconds: float) -> float:
        """A time on this clock as seconds since the epoch."""
        return self._session_start.timestamp() + seconds - self._offset


class LoopClock(BaseClock):
    """Pipecat's clock on the event loop's time, so that it may be virtual."""

    def __init__(self) -> None:
        self._start: float | None = None

    def start(self) -> None:
        """Begin at 0."""
        self._start = asyncio.get_running_loop().time()

    def get_time(self) -> int:
        """Nanoseconds since the start."""
        if self._start is None:
            return 0
        return int((asyncio.get_running_loop().time() - self._start) * 1e9)
