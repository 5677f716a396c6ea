"""Gives each user message to memory exactly once, whatever happens to the frames that carry it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from memory.session import Heard, MemorySession
from processors.spoken_words import join_speech
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker


class Hearing:
    """Turns user messages of the context into turns and remembered utterances.

    Both the injector and the aggregator's event call ``take``: an interruption may drop the frame,
    the user's words stay.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        memory: MemorySession,
        tracker: TurnTracker,
        on_turn_ended: Callable[[], None] = lambda: None,
        parts: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Begin with nothing heard.

        Args:
            clock: The conversation's clock, seconds.
            memory: Gets the words.
            tracker: Gets the turns.
            on_turn_ended: Called when the words of a turn were taken.
            parts: Gives the final transcripts that the turn consists of.
        """
        self._clock = clock
        self._memory = memory
        self._tracker = tracker
        self._on_turn_ended = on_turn_ended
        self._parts = parts
        self._taken = 0
        self._latest: asyncio.Task[Heard] | None = None
        self._running: set[asyncio.Task[Heard]] = set()

    def take(self, messages: Sequence[Any]) -> None:
        """Start to remember the user messages that are new.

        Args:
            messages: All messages of the shared context, in order.
        """
        texts = [str(m.get("content", "")) for m in messages if isinstance(m, dict) and m.get("role") == "user"]
        for text in texts[self._taken :]:
            self._taken += 1
            self.take_words(self._as_written(text))

    def _as_written(self, text: str) -> str:
        """A message of the context, which puts a space between all transcripts, as people write it."""
        parts = self._parts()
        return join_speech(parts) if "".join("".join(parts).split()) == "".join(text.split()) else text

    def take_words(self, text: str) -> None:
        """Start to remember a turn that is no message of the context: the conversation ended in the middle of it.

        Args:
            text: All words of the turn.
        """
        goes_on = self._tracker.turn is not None
        turn = self._tracker.turn_ended(self._clock(), text)
        self._on_turn_ended()
        self._latest = asyncio.get_running_loop().create_task(self._hear(text, turn, goes_on=goes_on))
        self._running.add(self._latest)
        self._latest.add_done_callback(self._running.discard)

    async def understood(self) -> Heard | None:
        """Wait until the latest message was understood; a cancelled wait does not cancel the work."""
        return await asyncio.shield(self._latest) if self._latest is not None else None

    async def close(self) -> None:
        """Wait until everything that was taken is remembered."""
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _hear(self, text: str, turn: TurnRecord, *, goes_on: bool) -> Heard:
        heard = await self._memory.hear(
            text,
            turn_id=turn.turn_id,
            said_at=turn.started_at,
            language=turn.language,
            whole=turn.user_text if goes_on else None,
        )
        self._tracker.understood(
            before=heard.state_before.to_contract(),
            after=heard.state_after.to_contract(),
            emotion=heard.understanding.emotion,
        )
        return heard
