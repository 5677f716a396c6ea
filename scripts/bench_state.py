#!/usr/bin/env python3
"""How long an inner state takes: to change on the event loop, and until it is durable behind it.

.venv/bin/python scripts/bench_state.py                                  SQLite, in a folder of its own
.venv/bin/python scripts/bench_state.py --store redis://127.0.0.1:6379   Redis
.venv/bin/python scripts/bench_state.py --turns 2000 --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from memory.errors import UserError
from memory.inner_state import StateHistory
from memory.privacy import KeyRing
from memory.sessions.base import SessionStore
from memory.sessions.redis import RedisSessionStore
from memory.sessions.sqlite import SQLiteSessionStore
from memory.state_events import FactsStated, PendingChanged, StateEvent, StepDone, SummaryAdded
from memory.state_keeper import StateKeeper
from memory.write_queue import WriteQueue

USER, SESSION = "bench", "bench"


def events_of(turn: int) -> list[StateEvent]:
    """What a busy turn does to a state that is full already."""
    return [
        FactsStated({f"fact {turn % 12}": f"value {turn} " + "x" * 40}),
        PendingChanged(add=(f"question {turn}",)),
        StepDone(f"step {turn}"),
        SummaryAdded(f"what was said in turn {turn} " + "y" * 60),
    ]


async def measure(store: SessionStore, turns: int) -> dict[str, list[float]]:
    """Commit a state per turn, one after the other.

    Args:
        store: Where it goes.
        turns: How many.

    Returns:
        Milliseconds per turn: ``loop`` for what the event loop did, ``durable`` until it was saved.
    """
    with ThreadPoolExecutor(1) as executor:
        writes = WriteQueue(executor)
        keeper = StateKeeper(store, writes, user_id=USER, session_id=SESSION, history=StateHistory(), stored_version=0)
        times: dict[str, list[float]] = {"loop": [], "durable": []}
        for turn in range(turns):
            started = time.perf_counter()
            keeper.apply(events_of(turn), turn)
            times["loop"].append((time.perf_counter() - started) * 1000)
            if not await writes.flush():
                raise UserError(writes.error or "not saved")
            times["durable"].append((time.perf_counter() - started) * 1000)
    return times


def summary(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Percentiles, milliseconds."""
    return {
        name: {f"p{percent}": round(float(np.percentile(values, percent)), 2) for percent in (50, 95, 99)}
        for name, values in times.items()
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="sqlite", help="sqlite, or an address as in session.store")
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-state-") as name:
        folder = Path(name)
        keys = KeyRing(folder / "keys")
        try:
            if options.store == "sqlite":
                store: SessionStore = SQLiteSessionStore(folder / "sessions.sqlite", keys, time.time)
            else:
                store = RedisSessionStore(options.store, keys, time.time, expire_s=3600)
            try:
                found = summary(asyncio.run(measure(store, options.turns)))
                store.forget(USER)
            finally:
                store.close()
        except UserError as error:
            print(error, file=sys.stderr)
            return 2
    if options.json:
        print(json.dumps({"turns": options.turns, "milliseconds": found}))
        return 0
    print(f"{'milliseconds':<14}{'p50':>8}{'p95':>8}{'p99':>8}")
    for name, row in found.items():
        print(f"{name:<14}" + "".join(f"{value:>8.2f}" for value in row.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
