"""An event loop whose clock jumps: lock-step replay of a real-time pipeline.

Every timer of the program (pacing of audio, silence time-outs, deadlines) runs on ``loop.time()``.
``VirtualTimeLoop`` keeps that clock itself: while anything is ready to run, while a thread works for the
loop, or while somebody holds the time, it stands still; when all have settled it jumps to the next timer.
So a pipeline runs as fast as the machine allows, and two runs see the same order of events::

    audio 20 ms ──► decode (thread) ──► interim ──► nothing ready ──► clock += 20 ms ──► audio 20 ms …
                    └─ the clock stands ─┘

Work that leaves the loop by other ways than ``run_in_executor`` (a socket, a foreign thread) is
wrapped in ``hold_time()``, which is free on an ordinary loop.
"""

from __future__ import annotations

import asyncio
import selectors
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

# A held clock is let go after this many real seconds, so that a peer that never answers meets its time-out.
MAX_HOLD_SECONDS = 30.0


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    """A selector that advances the loop's clock in place of sleeping."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.holds = 0
        self._held_since: float | None = None

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout <= 0:
            if timeout is not None:
                return super().select(0)
            return super().select(None)
        events = super().select(0)
        if events:
            return events
        if self.holds > 0:
            started = time.monotonic()
            self._held_since = self._held_since if self._held_since is not None else started
            if started - self._held_since < MAX_HOLD_SECONDS:
                return super().select(0.05)
            events = super().select(min(timeout, 0.05))
            self.now += time.monotonic() - started
            return events
        self._held_since = None
        self.now += timeout
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on virtual time; see the module's docstring."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made, on its own clock."""
        return self._jumping.now

    def hold(self) -> None:
        """Stop the clock until ``release`` has been called as often."""
        self._jumping.holds += 1

    def release(self) -> None:
        """Undo one ``hold``."""
        self._jumping.holds -= 1
        self._jumping._held_since = None

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Run ``func`` in a thread; the clock stands still until its result has arrived."""
        self.hold()
        try:
            future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        except BaseException:
            self.release()
            raise
        future.add_done_callback(lambda _: self.release())
        return future


def is_virtual() -> bool:
    """Whether the running loop's time is virtual."""
    return isinstance(asyncio.get_running_loop(), VirtualTimeLoop)


@contextmanager
def hold_time() -> Iterator[None]:
    """Stop a virtual clock while something outside of the loop is awaited. Free on an ordinary loop."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualTimeLoop):
        yield
        return
    loop.hold()
    try:
        yield
    finally:
        loop.release()


def run(main: Coroutine[Any, Any, T], *, virtual: bool) -> T:
    """Run a coroutine to its end, on virtual time or on the machine's.

    Args:
        main: The coroutine.
        virtual: True for lock-step.

    Returns:
        What the coroutine returns.
    """
    factory = VirtualTimeLoop if virtual else None
    # The runner turns Ctrl-C into a cancelled task if nobody else has taken it.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)
