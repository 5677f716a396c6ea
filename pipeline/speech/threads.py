"""How many threads one model may use."""

from __future__ import annotations

import os


def model_threads() -> int:
    """Half of the cores that this process may use, at least one.

    Recogniser, voice and language model work at the same time. Two threads that wait for each other on two
    busy cores are ten times slower than one (measured: a decode of a second took 6 s in place of 0.3 s).
    """
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        # macOS has no affinity.
        cores = os.cpu_count() or 1
    return max(1, cores // 2)
