"""Understands what was heard, one utterance after the other, and lets it change state and claims."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from loguru import logger

from memory.claim_keeper import ClaimKeeper
from memory.entity_keeper import EntityKeeper
from memory.index import cues
from memory.inner_state import InnerState
from memory.nouns import Understanding, Utterance
from memory.state_events import RolledBack
from memory.state_keeper import StateKeeper


class Understands(Protocol):
    """Reads words without a language model; blocking, pure."""

    def warm_up(self) -> None:
        """Load everything."""
        ...

    def understand(self, text: str, *, now: datetime, state: InnerState, language: str | None = None) -> Understanding:
        """What the words say."""
        ...


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of the user's words.

    Attributes:
        utterance: As it is remembered.
        understanding: What the words say; empty if understanding failed.
        state_before: The inner state before them.
        state_after: The inner state after them.
    """

    utterance: Utterance
    understanding: Understanding
    state_before: InnerState
    state_after: InnerState


class Hearing:
    """The user's words of one conversation on their way into state, claims and entities.

    Args:
        understander: Reads the words.
        executor: Where it runs.
        now: The session's own time.
        state: What the words change.
        claims: What the words state.
        entities: What the words name.
    """

    def __init__(
        self,
        understander: Understands,
        executor: Executor,
        *,
        now: Callable[[], datetime],
        state: StateKeeper,
        claims: ClaimKeeper,
        entities: EntityKeeper,
    ) -> None:
        self._understander = understander
        self._executor = executor
        self._now = now
        self._state = state
        self._claims = claims
        self._entities = entities
        self._in_order = asyncio.Lock()
        self._latest: Heard | None = None
        self._tasks: set[asyncio.Task[Heard]] = set()

    async def hear(self, utterance: Utterance, language: str | None, whole: str | None = None) -> Heard:
        """Take an utterance in, after all that came before it, even if the caller is cancelled.

        Args:
            utterance: What was said.
            language: ISO 639-1 if the recogniser knows it.
            whole: All words of a turn that goes on; they are read in place of its beginning, which had no end.
        """
        work = self._take_in(utterance, language, whole)
        task = asyncio.get_running_loop().create_task(work, name="memory hears")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def idle(self) -> None:
        """Wait until everything heard so far has been taken in."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take_in(self, utterance: Utterance, language: str | None, whole: str | None) -> Heard:
        async with self._in_order:
            before = self._state.current
            goes_on = whole is not None and self._take_back(utterance.turn_id)
            text = whole if goes_on and whole is not None else utterance.text
            understanding = await self._understand(text, utterance.language, language)
            after = self._state.apply(understanding.updates, utterance.turn_id)
            self._claims.believe(utterance, understanding)
            self._entities.mention(utterance, understanding)
            self._latest = Heard(utterance, understanding, before, after)
            return self._latest

    def _take_back(self, turn_id: int) -> bool:
        """Undo what the beginning of a turn did to state and claims; not if anything else changed the state since."""
        begun = self._latest
        if begun is None or begun.utterance.turn_id != turn_id or self._state.current is not begun.state_after:
            return False
        if begun.state_after is not begun.state_before:
            self._state.apply((RolledBack(begun.state_before.version),), turn_id)
        self._claims.take_back(begun.utterance)
        return True

    async def _understand(self, text: str, spoken: str, language: str | None) -> Understanding:
        state, now = self._state.current, self._now()
        nothing = Understanding(text, spoken, is_question=cues.seeks_information(text))
        if not text.strip():
            return nothing
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor,
                lambda: self._understander.understand(text, now=now, state=state, language=language),
            )
        except Exception:
            logger.exception("the words could not be understood; they are remembered as they are")
            return nothing
