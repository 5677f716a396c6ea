"""Gives utterances their vectors in the background: whatever is new, whatever an earlier run did not get to."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt
from loguru import logger

from memory.embedder import Embedder
from memory.index.user_index import UserIndex
from memory.nouns import Utterance

Floats = npt.NDArray[np.float32]

_BATCH = 4
# A batch holds the embedder's thread, and the next question waits for it.
_BATCH_CHARACTERS = 240
_YIELD_S = 0.05
# What was just said is being answered now: its understanding and its recall come first.
PAUSE_S = 0.3


class VectorFiller:
    """Embeds utterances in small batches while no question is being embedded.

    Args:
        index: Where the vectors go.
        embedder: Makes them.
        executor: Where it runs.
        busy: Whether a question has precedence now.
        store: Takes new vectors (utterance id -> float32[dim]) to disk; returns at once.
    """

    def __init__(
        self,
        index: UserIndex,
        embedder: Embedder,
        executor: Executor,
        *,
        busy: Callable[[], bool],
        store: Callable[[dict[str, Floats]], None],
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._executor = executor
        self._busy = busy
        self._store = store
        self._waiting: deque[Utterance] = deque()
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def add(self, utterances: Sequence[Utterance]) -> None:
        """Embed these a moment later, when there is time; returns at once."""
        self._waiting.extend(utterances)
        if self._waiting and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._fill(), name="memory vectors")

    async def idle(self) -> None:
        """Embed everything now; returns when nothing is left, or embedding failed."""
        self._hurry.set()
        try:
            while self._task is not None and not self._task.done():
                await asyncio.shield(self._task)
        finally:
            self._hurry.clear()

    async def close(self) -> None:
        """Stop; what has no vector yet gets one when memory is opened again."""
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _fill(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), PAUSE_S)
        while self._waiting:
            if self._busy():
                await asyncio.sleep(_YIELD_S)
                continue
            batch = self._next_batch()
            texts = [said.text for said in batch]
            try:
                made = await loop.run_in_executor(self._executor, self._embedder.embed_passages, texts)
            except Exception as error:
                logger.error("utterances are found by their words only until memory is opened again: {}", error)
                self._waiting.clear()
                return
            vectors = {said.id: vector for said, vector in zip(batch, made, strict=True)}
            for utterance_id, vector in vectors.items():
                self._index.put_vector(utterance_id, vector)
            self._store(vectors)

    def _next_batch(self) -> list[Utterance]:
        batch = [self._waiting.popleft()]
        size = len(batch[0].text)
        while self._waiting and len(batch) < _BATCH and size + len(self._waiting[0].text) <= _BATCH_CHARACTERS:
            batch.append(self._waiting.popleft())
            size += len(batch[-1].text)
        return batch
