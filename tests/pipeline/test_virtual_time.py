import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline import virtual_time
from pipeline.virtual_time import VirtualTimeLoop, hold_time


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


def test_a_hold_that_is_never_released_lets_go(monkeypatch):
    monkeypatch.setattr(virtual_time, "MAX_HOLD_SECONDS", 0.1)

    async def main() -> str:
        with hold_time():
            try:
                await asyncio.wait_for(asyncio.Event().wait(), 0.2)
            except TimeoutError:
                return "timed out"
        return "hung"

    assert virtual_time.run(main(), virtual=True) == "timed out"


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
