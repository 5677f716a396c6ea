"""Durable writes of one conversation, in order, off the event loop; a full disk delays them and loses nothing.

A job is a coroutine function that leaves the loop only through ``run``. A job that fails with ``UserError`` (disk full,
file locked, server gone) stays at the head and is tried again with the next write, and after some seconds; what is
behind it waits, so that the order holds.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import TypeVar

from loguru import logger

from memory.errors import UserError

T = TypeVar("T")
Job = Callable[[], Awaitable[None]]


RETRY_S = 5.0


class WriteQueue:
    """Writes that are still to be done. Used on one event loop.

    Args:
        executor: One thread that blocking writes run in.
        retry_s: What failed is tried again after this, seconds.
    """

    def __init__(self, executor: Executor, retry_s: float = RETRY_S) -> None:
        self._executor = executor
        self._retry_s = retry_s
        self._retry: asyncio.TimerHandle | None = None
        self._closed = False
        self._jobs: deque[Job] = deque()
        self._drain: asyncio.Task[None] | None = None
        self.error: str | None = None

    def __len__(self) -> int:
        """How many writes are not durable yet."""
        return len(self._jobs)

    def put(self, job: Job) -> None:
        """Do this after all that was put before; returns at once."""
        self._jobs.append(job)
        self._wake()

    async def run(self, write: Callable[[], T]) -> T:
        """Run a blocking write in the writer thread; for use inside a job."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, write)

    async def flush(self) -> bool:
        """Try to write everything.

        Returns:
            Whether everything is durable; ``error`` says why not.
        """
        while self._jobs:
            drain = self._wake()
            await asyncio.shield(drain)
            if self.error is not None:
                return False
        return True

    def close(self) -> None:
        """Try nothing more by itself; what is left is lost unless it is flushed."""
        self._closed = True
        self._cancel_retry()

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _wake(self) -> asyncio.Task[None]:
        self._cancel_retry()
        if self._drain is None or self._drain.done():
            self._drain = asyncio.get_running_loop().create_task(self._write_all(), name="memory writes")
        return self._drain

    async def _write_all(self) -> None:
        while self._jobs:
            try:
                await self._jobs[0]()
            except UserError as error:
                if self.error is None:
                    logger.error("memory cannot be written, it is kept until it can: {}", error)
                self.error = str(error)
                if not self._closed:
                    self._retry = asyncio.get_running_loop().call_later(self._retry_s, self._wake)
                return
            except Exception:
                # A defect in one write must not hold back all later ones.
                logger.exception("a write to memory failed and is given up")
            self._jobs.popleft()
            if self.error is not None:
                logger.info("memory can be written again")
                self.error = None
