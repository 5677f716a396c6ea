"""Embeds what the user is saying while it is being said, so that the final words find the work done.

Latest wins, one text at a time::

    partial ── 0.1 s ──► embed ─► ready        partial, partial ─► (newest waits) ─► embed ─► ready
    tail    ───────────► embed ─► ready        budget clock starts; counts only while an embedding is under way

Nothing is stored and nothing is searched here. A running embedding is not stopped; what it brings for a turn that is
over is dropped by its generation number. All methods run on the event loop; the embedder runs in the executor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt
from loguru import logger

from memory.index.tokenise import words
from memory.search import Embedded

Floats = npt.NDArray[np.float32]

PARTIAL_PAUSE_S = 0.1


class WorkClock:
    """Seconds of work since a mark: runs between ``start`` and ``stop`` only."""

    def __init__(self) -> None:
        self._done = 0.0
        self._since: float | None = None

    def mark(self, now: float) -> None:
        """Count from now on; work that is under way goes on."""
        self._done = 0.0
        if self._since is not None:
            self._since = now

    def start(self, now: float) -> None:
        """Work begins."""
        if self._since is None:
            self._since = now

    def stop(self, now: float) -> None:
        """Work ends."""
        self._done = self.spent(now)
        self._since = None

    def spent(self, now: float) -> float:
        """Seconds of work since the mark."""
        return self._done + (now - self._since if self._since is not None else 0.0)


class Speculation:
    """The query embedding of one conversation.

    Args:
        embed: Text to float32[dim]; blocking.
        executor: Where ``embed`` runs.
        limit_s: Work after the tail that a vector may have cost; one that cost more is not used.
    """

    def __init__(self, embed: Callable[[str], Floats], executor: Executor, limit_s: float) -> None:
        self._embed = embed
        self._executor = executor
        self._limit_s = limit_s
        self._generation = 0
        self._changed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._clock = WorkClock()
        self._marked_at: float | None = None
        self._running = False
        self._wanted = ""
        self._settled: tuple[str, ...] | None = None
        self.ready: Embedded | None = None
        self.failed = False

    @property
    def busy(self) -> bool:
        """Whether an embedding is under way or about to be."""
        return self._running or self._timer is not None

    @property
    def marked_at(self) -> float | None:
        """Loop time of the speech tail; None before it."""
        return self._marked_at

    def wants(self, spoken: tuple[str, ...]) -> bool:
        """Whether these words are the newest to be embedded, done or not."""
        return words(self._wanted) == spoken

    def spent(self) -> float:
        """Seconds of embedding since the tail."""
        return self._clock.spent(_now())

    def begin_turn(self) -> None:
        """Forget the turn that is over; what is still being embedded for it will be dropped."""
        self._generation += 1
        self._cancel_timer()
        self._clock = WorkClock()
        self._marked_at = None
        self._running = False
        self._wanted = ""
        self._settled = None
        self.ready = None
        self.failed = False

    def partial(self, text: str) -> None:
        """Words so far: they are embedded soon, newest first."""
        if not words(text) or words(text) == words(self._wanted):
            return
        if self._marked_at is not None:
            self.want(text)
            return
        self._wanted = text
        if self._timer is None and not self._running:
            self._timer = asyncio.get_running_loop().call_later(PARTIAL_PAUSE_S, self._start_wanted)

    def tail(self, text: str) -> None:
        """Speech paused: the budget starts, and the words so far are embedded at once."""
        self.mark()
        self.want(text)

    def mark(self) -> None:
        """Start the budget."""
        self._marked_at = _now()
        self._clock.mark(self._marked_at)

    def want(self, text: str) -> None:
        """Embed these words next, unless it is done or under way."""
        self._cancel_timer()
        if not words(text):
            return
        self._wanted = text
        if not self._running and self._settled != words(text):
            self._start_wanted()

    async def settle(self, text: str, timeout_s: float) -> None:
        """Wait until these words are embedded, have failed, or came too late; ``timeout_s`` at most."""
        target = words(text)
        until = _now() + timeout_s
        while self._settled != target:
            self._changed.clear()
            left = until - _now()
            if left <= 0:
                return
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                return

    def close(self) -> None:
        """Drop what is under way."""
        self.begin_turn()

    def _start_wanted(self) -> None:
        self._timer = None
        text, generation = self._wanted, self._generation
        loop = asyncio.get_running_loop()
        try:
            future = loop.run_in_executor(self._executor, self._embed, text)
        except RuntimeError:
            self._settled, self.failed = words(text), True
            return
        self._running = True
        self._clock.start(_now())
        future.add_done_callback(lambda done: self._arrived(done, text, generation))

    def _arrived(self, done: asyncio.Future[Floats], text: str, generation: int) -> None:
        error = None if done.cancelled() else done.exception()
        if error is not None:
            logger.warning("embedding a query failed: {}", error)
        if generation != self._generation:
            return
        self._running = False
        self._clock.stop(_now())
        self._settled = words(text)
        self.failed = done.cancelled() or error is not None
        if not self.failed and (self._marked_at is None or self.spent() <= self._limit_s):
            self.ready = Embedded(text, self._settled, done.result())
        self._changed.set()
        if words(self._wanted) != self._settled:
            self._start_wanted()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _now() -> float:
    return asyncio.get_running_loop().time()
