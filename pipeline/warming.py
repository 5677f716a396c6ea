"""Lets a conversation begin while the reader of words still loads: the first words take seconds to say."""

from __future__ import annotations

from concurrent.futures import Executor
from datetime import datetime

from memory.inner_state import InnerState
from memory.nouns import Understanding
from memory.session import Understands


class WarmingUnderstander:
    """Reads like the reader it wraps, and waits for it where it must. A failure to load is raised there, too."""

    def __init__(self, reader: Understands, executor: Executor) -> None:
        """Begin to load.

        Args:
            reader: Is warmed up in the background.
            executor: Has a thread for it.
        """
        self._reader = reader
        self._loading = executor.submit(reader.warm_up)

    def warm_up(self) -> None:
        """Nothing to wait for: loading has begun."""

    def understand(self, text: str, *, now: datetime, state: InnerState, language: str | None = None) -> Understanding:
        """What the words say; blocking, in a thread, until the reader has loaded."""
        self._loading.result()
        return self._reader.understand(text, now=now, state=state, language=language)
