"""What the process uses."""

from __future__ import annotations

import resource
import sys


def peak_resident_mb() -> float:
    """Largest resident memory of the process so far, megabytes (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
