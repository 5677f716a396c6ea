"""Measures how long the event loop keeps a timer waiting: nothing on the frame path may block it."""

from __future__ import annotations

import asyncio
import time

PERIOD_SECONDS = 0.01


class LoopProbe:
    """A timer that notes how late it wakes. Meaningful on a real-time loop only."""

    def __init__(self) -> None:
        self._late_ms: list[float] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._late_ms = []
        self._task = asyncio.get_running_loop().create_task(self._measure())

    async def stop(self) -> None:
        """Measure no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def percentile(self, share: float) -> float:
        """Lateness that ``share`` of the wake-ups stayed under, milliseconds.

        Args:
            share: 0 to 1, such as 0.99.
        """
        if not self._late_ms:
            return 0.0
        ordered = sorted(self._late_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    async def _measure(self) -> None:
        while True:
            due = time.perf_counter() + PERIOD_SECONDS
            await asyncio.sleep(PERIOD_SECONDS)
            self._late_ms.append(max(0.0, (time.perf_counter() - due) * 1000))
