"""Plays the user's side of a conversation: clips and typed turns, each at its moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.transports.replay import ReplayInput
from processors.turn_tracker import TurnTracker

# Quiet that must pass before the next turn begins, seconds of the conversation's clock.
PAUSE_SECONDS = 0.6
# A reply that does not end for this long is not waited for any more.
PATIENCE_SECONDS = 120.0
# Decoded audio that waits to be sent: enough to never run dry, little enough for a three-hour file.
AHEAD_SECONDS = 4.0
POLL_SECONDS = 0.02

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Cue:
    """One thing the user says.

    Attributes:
        name: What a progress bar shows.
        words: For a typed turn.
        blocks: For a spoken one: makes the stream of int16 mono blocks at the input rate.
        into_reply: Seconds after the reply's first audio; None to wait until the reply has ended.
    """

    name: str
    words: str | None = None
    blocks: Callable[[], Iterator[Samples]] | None = None
    into_reply: float | None = None


class Player:
    """Feeds a replay transport's input."""

    def __init__(
        self, cues: list[Cue], user: ReplayInput, tracker: TurnTracker, *, user_id: str, sample_rate: int
    ) -> None:
        """Prepare to play.

        Args:
            cues: What is said, in order.
            user: The input that is fed.
            tracker: Tells when a reply is heard and when it has ended.
            user_id: Who speaks.
            sample_rate: The input's, Hz.
        """
        self._cues = cues
        self._user = user
        self._tracker = tracker
        self._user_id = user_id
        self._sample_rate = sample_rate
        self._first: Iterator[Samples] | None = None

    async def prepare(self) -> None:
        """Queue the beginning of the first clip, so that its first sample is the recording's."""
        if self._cues and self._cues[0].blocks is not None:
            self._first = self._cues[0].blocks()
            await self._queue_a_second(self._first)

    async def play(self) -> None:
        """Play all cues and wait until the last reply has ended."""
        await self._user.started.wait()
        for index, cue in enumerate(self._cues):
            if cue.into_reply is not None:
                await self._wait_into_reply(cue.into_reply)
            elif index:
                await self._wait_until_settled()
            await self._say(cue)
        await self._wait_until_settled()

    async def _say(self, cue: Cue) -> None:
        if cue.words is not None:
            await self._user.type_words(cue.words, self._user_id)
        if cue.blocks is not None:
            blocks, self._first = self._first or cue.blocks(), None
            await self._stream(blocks)

    async def _stream(self, blocks: Iterator[Samples]) -> None:
        """Decode a little ahead of the clock."""
        while await self._queue_a_second(blocks):
            while self._user.queued_seconds > AHEAD_SECONDS:  # noqa: ASYNC110 - paced by the conversation
                await asyncio.sleep(POLL_SECONDS)
        await self._user.drained.wait()

    async def _queue_a_second(self, blocks: Iterator[Samples]) -> bool:
        """Decode about a second, off the event loop; False at the end."""
        loop = asyncio.get_running_loop()
        batch = await loop.run_in_executor(None, _next_second, blocks, self._sample_rate)
        if batch is not None:
            self._user.play(batch)
        return batch is not None

    async def _wait_into_reply(self, seconds: float) -> None:
        """Wait for the reply's first sample, then ``seconds`` more.

        A reply that never comes ends the wait; one that ends before is waited for like any other.
        """
        waited = 0.0
        settled = 0.0
        while not self._tracker.agent_is_audible:
            settled = settled + POLL_SECONDS if self._tracker.is_settled else 0.0
            if settled >= PAUSE_SECONDS or waited >= PATIENCE_SECONDS:
                return
            await asyncio.sleep(POLL_SECONDS)
            waited += POLL_SECONDS
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        while self._tracker.agent_is_audible and loop.time() < due:  # noqa: ASYNC110 - paced by the conversation
            await asyncio.sleep(min(POLL_SECONDS, due - loop.time()))
        if loop.time() < due:
            await self._wait_until_settled()

    async def _wait_until_settled(self) -> None:
        waited = 0.0
        settled = 0.0
        while settled < PAUSE_SECONDS and waited < PATIENCE_SECONDS:
            await asyncio.sleep(POLL_SECONDS)
            waited += POLL_SECONDS
            settled = settled + POLL_SECONDS if self._tracker.is_settled else 0.0


def _next_second(blocks: Iterator[Samples], sample_rate: int) -> Samples | None:
    """Collect about one second of samples; None at the end."""
    collected: list[Samples] = []
    length = 0
    for block in blocks:
        collected.append(block)
        length += len(block)
        if length >= sample_rate:
            break
    return np.concatenate(collected) if collected else None
