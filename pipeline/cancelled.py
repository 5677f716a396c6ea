"""Whether Ctrl-C was pressed: libraries below may have swallowed the cancellation already."""

from __future__ import annotations

import asyncio


def was_cancelled() -> bool:
    """Whether somebody asked the current task to stop."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
