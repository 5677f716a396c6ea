"""Writes keep their order, survive a full disk, and never hold up the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.journal import JournalWriteError
from memory.write_queue import Job, WriteQueue


class Disk:
    """Writes names; full after ``room`` of them."""

    def __init__(self, queue: WriteQueue) -> None:
        self.queue = queue
        self.room = 1000
        self.written: list[str] = []
        self.tried = 0

    def job(self, name: str) -> Job:
        async def write() -> None:
            await self.queue.run(lambda: self._write(name))

        return write

    def _write(self, name: str) -> None:
        self.tried += 1
        if len(self.written) >= self.room:
            raise JournalWriteError("journal.sqlite: no space left on the disk; free some")
        self.written.append(name)


@pytest.fixture
async def disk() -> AsyncIterator[Disk]:
    with ThreadPoolExecutor(1) as executor:
        yield Disk(WriteQueue(executor))


async def test_writes_happen_in_order_and_flush_waits_for_all(disk: Disk) -> None:
    names = [str(i) for i in range(50)]
    for name in names:
        disk.queue.put(disk.job(name))
    assert await disk.queue.flush()
    assert disk.written == names
    assert len(disk.queue) == 0


async def test_what_failed_is_tried_again_by_itself(disk: Disk) -> None:
    disk.queue = WriteQueue(disk.queue._executor, retry_s=0.001)
    written = asyncio.Event()
    tries = 0

    async def write() -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise JournalWriteError("journal.sqlite: no space left on the disk; free some")
        written.set()

    disk.queue.put(write)
    await written.wait()
    assert await disk.queue.flush()
    assert disk.queue.error is None


async def test_a_closed_queue_tries_nothing_by_itself(disk: Disk) -> None:
    disk.queue = WriteQueue(disk.queue._executor, retry_s=0.001)
    disk.room = 0
    disk.queue.put(disk.job("a"))
    assert not await disk.queue.flush()
    disk.queue.close()
    tried = disk.tried
    await asyncio.sleep(0.02)
    assert disk.tried == tried
    disk.room = 1
    assert await disk.queue.flush()


async def test_flush_with_nothing_to_do_returns(disk: Disk) -> None:
    assert await disk.queue.flush()


async def test_a_full_disk_delays_writes_and_loses_none(disk: Disk) -> None:
    disk.room = 2
    for name in "abcd":
        disk.queue.put(disk.job(name))
    assert not await disk.queue.flush()
    assert disk.written == ["a", "b"]
    assert disk.queue.error == "journal.sqlite: no space left on the disk; free some"
    assert len(disk.queue) == 2
    disk.room = 1000
    disk.queue.put(disk.job("e"))
    assert await disk.queue.flush()
    assert disk.written == list("abcde")
    assert disk.queue.error is None


async def test_a_full_disk_is_tried_once_a_write(disk: Disk) -> None:
    disk.room = 0
    for name in "abc":
        disk.queue.put(disk.job(name))
        await asyncio.sleep(0.05)
    assert disk.tried == 3


async def test_a_defect_in_one_write_does_not_hold_back_the_next(disk: Disk) -> None:
    async def broken() -> None:
        raise ZeroDivisionError

    disk.queue.put(broken)
    disk.queue.put(disk.job("a"))
    assert await disk.queue.flush()
    assert disk.written == ["a"]


async def test_a_cancelled_flush_cancels_no_write(disk: Disk) -> None:
    disk.queue.put(disk.job("a"))
    flush = asyncio.ensure_future(disk.queue.flush())
    await asyncio.sleep(0)
    flush.cancel()
    await asyncio.gather(flush, return_exceptions=True)
    assert await disk.queue.flush()
    assert disk.written == ["a"]
