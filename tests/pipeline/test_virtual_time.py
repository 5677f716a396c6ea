import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline import virtual_time
from pipeline.virtual_time import Patience, VirtualTimeLoop, hold_time


def test_sleep_takes_no_real_time():
    async def main() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    started = time.monotonic()
    assert virtual_time.run(main(), virtual=True) == pytest.approx(3600)
    assert time.monotonic() - started < 60


def test_time_stands_still_while_a_thread_works():
    async def main() -> tuple[float, str]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as executor:
            work = loop.run_in_executor(executor, lambda: time.sleep(0.2) or "done")
            ticks = asyncio.ensure_future(asyncio.sleep(5))
            result = await work
            seen = loop.time()
            await ticks
        return seen, result

    seen, result = virtual_time.run(main(), virtual=True)
    assert result == "done"
    assert seen == 0.0


def test_hold_time_stops_the_clock():
    async def main() -> float:
        loop = asyncio.get_running_loop()
        release = asyncio.Event()
        loop.run_in_executor(None, lambda: time.sleep(0.1))
        ticking = asyncio.ensure_future(asyncio.sleep(10))

        async def outside() -> None:
            with hold_time():
                await asyncio.to_thread(time.sleep, 0.1)
                release.set()

        task = asyncio.ensure_future(outside())
        await release.wait()
        await task
        seen = loop.time()
        ticking.cancel()
        return seen

    assert virtual_time.run(main(), virtual=True) == 0.0


def test_a_peer_that_never_answers_meets_its_time_out_after_as_much_real_time():
    async def main() -> str:
        with hold_time(0.3):
            try:
                await asyncio.wait_for(asyncio.Event().wait(), 1000)
            except TimeoutError:
                return "timed out"
        return "hung"

    started = time.monotonic()
    assert virtual_time.run(main(), virtual=True) == "timed out"
    assert 0.3 <= time.monotonic() - started < 60


def test_a_peer_that_only_keeps_the_line_open_uses_up_the_same_patience():
    async def main() -> str:
        patience = Patience(0.3)
        loop = asyncio.get_running_loop()
        due = loop.time() + 1000
        timers = []
        while loop.time() < due:
            alive = asyncio.Event()
            timers.append(threading.Timer(0.02, loop.call_soon_threadsafe, [alive.set]))
            timers[-1].start()
            with patience.hold():
                try:
                    async with asyncio.timeout_at(due):
                        await alive.wait()
                except TimeoutError:
                    break
        for timer in timers:
            timer.join()
        return "timed out"

    assert virtual_time.run(main(), virtual=True) == "timed out"


def test_a_thread_may_work_longer_than_any_peer_is_waited_for(monkeypatch):
    monkeypatch.setattr(virtual_time, "MAX_HOLD_SECONDS", 0.05)

    async def main() -> float:
        ticking = asyncio.ensure_future(asyncio.sleep(10))
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.4)
        seen = asyncio.get_running_loop().time()
        ticking.cancel()
        return seen

    assert virtual_time.run(main(), virtual=True) == 0.0


def test_timers_fire_in_order():
    async def main() -> list[str]:
        order: list[str] = []

        async def at(seconds: float, name: str) -> None:
            await asyncio.sleep(seconds)
            order.append(name)

        await asyncio.gather(at(0.3, "c"), at(0.1, "a"), at(0.2, "b"))
        return order

    assert virtual_time.run(main(), virtual=True) == ["a", "b", "c"]


async def test_hold_time_is_free_on_an_ordinary_loop():
    assert not isinstance(asyncio.get_running_loop(), VirtualTimeLoop)
    with hold_time():
        await asyncio.sleep(0)


def test_code_can_ask_which_time_it_runs_on():
    async def ask() -> bool:
        return virtual_time.is_virtual()

    assert virtual_time.run(ask(), virtual=True)
    assert not virtual_time.run(ask(), virtual=False)
