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
import math
import selectors
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

# A clock that is held for a peer is let go after this many real seconds, so that one that never answers meets its
# time-out. Threads of the loop hold it for as long as they work.
MAX_HOLD_SECONDS = 30.0


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    """A selector that advances the loop's clock in place of sleeping."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.holds: dict[object, float] = {}

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout <= 0:
            if timeout is not None:
                return super().select(0)
            return super().select(None)
        events = super().select(0)
        if events:
            return events
        if self._is_held():
            return super().select(0.05)
        self.now += timeout
        return []

    def _is_held(self) -> bool:
        now = time.monotonic()
        return any(until > now for until in self.holds.values())


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An asyncio loop on virtual time; see the module's docstring."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made, on its own clock."""
        return self._jumping.now

    def hold(self, seconds: float = math.inf) -> object:
        """Stop the clock.

        Args:
            seconds: Real seconds after which it jumps on all the same.

        Returns:
            What ``release`` takes.
        """
        token = object()
        self._jumping.holds[token] = time.monotonic() + seconds
        return token

    def release(self, token: object) -> None:
        """Undo one ``hold``."""
        self._jumping.holds.pop(token, None)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Run ``func`` in a thread; the clock stands still until its result has arrived."""
        token = self.hold()
        try:
            future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        except BaseException:
            self.release(token)
            raise
        future.add_done_callback(lambda _: self.release(token))
        return future


def is_virtual() -> bool:
    """Whether the running loop's time is virtual."""
    return isinstance(asyncio.get_running_loop(), VirtualTimeLoop)


class Patience:
    """Real seconds for which a virtual clock may be stopped while one peer is waited for.

    When they are used up the clock jumps on, and the peer meets the time-out that it has on that clock.
    """

    def __init__(self, seconds: float = MAX_HOLD_SECONDS) -> None:
        """Begin with all of it.

        Args:
            seconds: The time-out on the virtual clock, or more.
        """
        self._left = seconds

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Stop a virtual clock while the peer is awaited. Free on an ordinary loop."""
        loop = asyncio.get_running_loop()
        if not isinstance(loop, VirtualTimeLoop):
            yield
            return
        started = time.monotonic()
        token = loop.hold(self._left)
        try:
            yield
        finally:
            loop.release(token)
            self._left -= time.monotonic() - started


def hold_time(seconds: float = MAX_HOLD_SECONDS) -> AbstractContextManager[None]:
    """Stop a virtual clock while something outside of the loop is awaited once. Free on an ordinary loop."""
    return Patience(seconds).hold()


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
