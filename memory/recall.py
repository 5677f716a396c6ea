"""The recall ladder: how much of memory a turn gets before its deadline.

==== ============================================================ ==========================
tier what                                                         cost after the final words
==== ============================================================ ==========================
0    the inner state alone (it is in the prompt anyway)           0
1    the words of the FINAL text                                  < 1 ms, always
2    fused with the meaning of the text so far, embedded while     < 1 ms
     the user spoke (speculation)
3    the final text embedded anew, if its words changed           10-25 ms, if time is left
==== ============================================================ ==========================

::

    partial  partial  TAIL ─────────────── final words ── end of turn ── recall()
       embed    embed  │ embed ▓▓▓                         (idle)          │ search ▓
                       └─ budget: counts ▓ only ───────────────────────────┘ = RecallResult.ms

The budget starts at the speech tail and counts the work done for the turn, not the silence in which the program waits
for the user's turn to end. A vector that cost more than the budget is not used, even if the turn's end comes later, so
that a result means the same on a slow machine as on a fast one. A caller who comes more than a budget after the tail
gets what is there; new work then goes on for ``GRACE_S`` at most, and only if the budget is not used up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np
import numpy.typing as npt
from loguru import logger

from memory.calibration import Calibration
from memory.index.user_index import UserIndex
from memory.nouns import RecallReason, RecallResult
from memory.search import Embedded, Found, Limits, Question, Scope, nothing_to_find, search
from memory.speculation import Speculation

Floats = npt.NDArray[np.float32]

# Kept of the budget for the search itself: under 1 ms for 1,000 utterances, some 10 ms for 50,000.
RESERVE_S = 0.010
# The longest wait for a final embedding after the budget, counted from the call: the user is waiting.
GRACE_S = 0.030


class Recaller:
    """Recall for one conversation.

    Args:
        index: The user's indexes.
        embed: Query text to float32[dim]; blocking.
        calibration: Measurements of the embedder; None without one: tier 1 is the highest then.
        executor: Where ``embed`` runs.
        deadline_ms: The budget from the speech tail, milliseconds.
        limits: How much may be recalled.
    """

    def __init__(
        self,
        index: UserIndex,
        embed: Callable[[str], Floats],
        calibration: Calibration,
        executor: Executor,
        *,
        deadline_ms: float,
        limits: Limits,
    ) -> None:
        self._index = index
        self._calibration = calibration
        self._limits = limits
        self._budget_s = deadline_ms / 1000
        self._limit_s = max(self._budget_s - RESERVE_S, self._budget_s / 2)
        self._speculation = Speculation(embed, executor, self._limit_s)
        self._answered = False

    @property
    def busy(self) -> bool:
        """Whether a query is being embedded; background work should wait."""
        return self._speculation.busy

    def partial(self, text: str) -> None:
        """Words so far, while the user speaks; or the final transcript, before the turn has ended."""
        self._begin_if_new()
        self._speculation.partial(text)

    def tail(self, text: str) -> None:
        """The user paused: the budget starts. Speech that resumes and pauses again starts it anew."""
        self._begin_if_new()
        self._speculation.tail(text)

    async def recall(self, text: str, scope: Scope) -> RecallResult:
        """Climb as far as the deadline allows. Never raises.

        Args:
            text: The final words.
            scope: What may be found.

        Returns:
            Items, tier, reason, and the milliseconds of work between the tail (or the call) and the result.
        """
        loop = asyncio.get_running_loop()
        started = loop.time()
        question = Question.of(text)
        if self._answered and not _is_of(self._speculation, question):
            self._speculation.begin_turn()
        self._answered = True
        try:
            vain = nothing_to_find(self._index, question, scope)
        except Exception:
            logger.exception("recall failed; the turn goes on without memories")
            return RecallResult(tier=0, reason=RecallReason.ERROR, ms=_ms(loop.time() - started))
        if vain is not None:
            return RecallResult(tier=1, reason=vain, ms=_ms(loop.time() - started))
        asked = await self._embed_final(question)
        # What runs on after the limit is not used, so the result could have been given then.
        spent, started = min(self._speculation.spent(), self._limit_s), loop.time()
        found, tier, reason = self._climb(question, scope, asked=asked)
        return RecallResult(found.items, tier, reason, _ms(spent + loop.time() - started), found.tokens)

    def close(self) -> None:
        """Drop what is under way."""
        self._speculation.close()

    def _begin_if_new(self) -> None:
        """The first words after a recall belong to the next turn."""
        if self._answered:
            self._answered = False
            self._speculation.begin_turn()

    async def _embed_final(self, question: Question) -> bool:
        """Have the final words embedded if there is time. True if nobody had asked for them before."""
        speculation = self._speculation
        if _is_of(speculation, question):
            return False
        if speculation.marked_at is None:
            speculation.mark()
        marked_at = speculation.marked_at or 0.0
        now = asyncio.get_running_loop().time()
        left = min(
            self._limit_s - speculation.spent(), max(marked_at + self._limit_s, now + min(GRACE_S, self._limit_s)) - now
        )
        if left <= 0:
            return False
        new = not speculation.wants(question.words)
        speculation.want(question.text)
        await speculation.settle(question.text, left)
        return new

    def _climb(self, question: Question, scope: Scope, *, asked: bool) -> tuple[Found, int, RecallReason]:
        """The highest tier that what is ready now allows; the next lower one where it breaks."""
        speculation = self._speculation
        missed = RecallReason.ERROR if speculation.failed else RecallReason.DEADLINE
        if speculation.ready is not None:
            try:
                found = self._search(question, scope, speculation.ready)
            except Exception:
                logger.exception("ranking by meaning failed; the turn goes on with the words alone")
                missed = RecallReason.ERROR
            else:
                if not _is_of(speculation, question):
                    return found, 2, missed
                return found, 3 if asked else 2, found.reason
        try:
            return self._search(question, scope), 1, missed
        except Exception:
            logger.exception("recall failed; the turn goes on without memories")
            return Found(), 0, RecallReason.ERROR

    def _search(self, question: Question, scope: Scope, embedded: Embedded | None = None) -> Found:
        return search(
            self._index,
            question,
            scope=scope,
            limits=self._limits,
            embedded=embedded,
            calibration=self._calibration,
        )


def _is_of(speculation: Speculation, question: Question) -> bool:
    return speculation.ready is not None and speculation.ready.words == question.words


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
