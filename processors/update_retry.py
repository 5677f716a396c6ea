"""Asks once more for the state update of an answer that was malformed, while its reply is being spoken.

    answer malformed ──► asked again ──► the turn is open ───► proposed: counts like any other, once the reply is heard
       (reply spoken)        │      └──► the turn was heard ──► applied, if the state is still the one it was
                             └── the next turn asks the model, the reply is dropped or cut ──► given up

Nothing waits for it. One try an answer, within a time; a model that fails it again and again is asked no more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from loguru import logger

from memory.session import MemorySession
from memory.state_events import StateEvent
from memory.state_update import KNOWN_KEYS, is_wrong_type, parse_update
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker

# Longest wait for the second answer, and at the end of the conversation, seconds.
RETRY_S = 10.0
LAST_RETRY_S = 3.0
# After so many failures in a row, the model is taken not to be able to.
MAX_FAILURES = 3


Asking = Callable[[], Coroutine[Any, Any, str]]


class AsksAgain(Protocol):
    """A language model that can be asked for the update alone."""

    def ask_update(self, answer: str, language: str) -> Asking:
        """Get ready to ask for the update to its last answer.

        Args:
            answer: What it wrote, as far as it came.
            language: ISO 639-1 code of the turn.

        Returns:
            Asks, and gives what the model wrote now. The prompt is that of the moment when this was called.
        """
        ...


@dataclass
class _Try:
    """One second try.

    Attributes:
        turn: Whose update.
        answer: What the turn was answered with.
        version: The state it may change; None while the turn is open.
        task: The work.
    """

    turn: TurnRecord
    answer: str
    version: int | None = None
    task: asyncio.Task[None] | None = None


class UpdateRetry:
    """The second tries of one conversation, one at a time."""

    def __init__(
        self, clock: Callable[[], float], tracker: TurnTracker, memory: MemorySession, model: AsksAgain | None
    ) -> None:
        """Prepare.

        Args:
            clock: The conversation's clock, seconds.
            tracker: Knows the turn.
            memory: Whose state changes.
            model: Is asked; None for one that cannot be.
        """
        self._clock = clock
        self._tracker = tracker
        self._memory = memory
        self._model = model
        self._failures = 0
        self._try: _Try | None = None
        tracker.on_closed.append(self._turn_closed)
        tracker.on_event.append(self._event)

    def answered(self, turn: TurnRecord, sound: bool) -> None:
        """An answer has ended; one that is not sound is asked for again.

        Args:
            turn: The open turn.
            sound: Whether the answer's format is the one that was asked for.
        """
        self._give_up("another answer came")
        if sound:
            self._failures = 0
            return
        if self._model is None or self._failures >= MAX_FAILURES:
            return
        ask = self._model.ask_update(turn.llm_response, turn.language)
        self._try = _Try(turn, turn.llm_response)
        self._try.task = asyncio.get_running_loop().create_task(self._work(self._try, ask), name="state update")

    async def close(self) -> None:
        """Wait a moment for what is under way."""
        if self._try is not None and self._try.task is not None:
            await asyncio.wait([self._try.task], timeout=LAST_RETRY_S)
            self._give_up("the conversation ended")

    async def _work(self, this: _Try, ask: Asking) -> None:
        try:
            async with asyncio.timeout(RETRY_S):
                text = await ask()
        except Exception as error:
            # The boundary to a server that may do anything.
            self._end(this, "failed", str(error) or type(error).__name__)
            return
        update = read_update(text)
        events, problems = parse_update(update)
        if update is None or any(map(is_wrong_type, problems)):
            self._failures += 1
            self._end(this, "failed", "malformed again")
            return
        self._failures = 0
        self._take(this, update, events)

    def _take(self, this: _Try, update: dict[str, Any], events: list[StateEvent]) -> None:
        if self._tracker.turn is this.turn and this.turn.llm_response == this.answer:
            self._tracker.proposed(update)
            self._end(this, "proposed")
        elif this.version is None or this.version != self._memory.state.version:
            self._end(this, "dropped", "the state has changed since")
        else:
            self._memory.apply(events, turn_id=this.turn.turn_id)
            self._end(this, "applied")

    def _turn_closed(self, turn: TurnRecord) -> None:
        this = self._try
        if this is None or this.turn is not turn:
            return
        if turn.interrupted or not turn.heard_text:
            self._give_up("the reply was not heard")
        else:
            this.version = self._memory.state.version

    def _event(self, event: dict[str, Any]) -> None:
        # A small server answers one request at a time.
        if event["kind"] == "llm_request":
            self._give_up("the model is asked something else")

    def _give_up(self, why: str) -> None:
        this = self._try
        if this is not None:
            if this.task is not None:
                this.task.cancel()
            self._end(this, "dropped", why)

    def _end(self, this: _Try, outcome: str, why: str = "") -> None:
        if self._try is this:
            self._try = None
        detail = {"turn_id": this.turn.turn_id, "outcome": outcome} | ({"reason": why} if why else {})
        logger.info("state_update of turn {}, second try: {} {}", this.turn.turn_id, outcome, why)
        self._tracker.note(self._clock(), "update_retry", **detail)


def read_update(text: str) -> dict[str, Any] | None:
    """The update in a second answer, with or without its key, alone or in a code block.

    Returns:
        None if there is none.
    """
    try:
        answer, _ = json.JSONDecoder(parse_constant=_refuse).raw_decode(text, max(text.find("{"), 0))
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    update = answer.get("state_update", answer if KNOWN_KEYS.issuperset(answer) else None)
    return update if isinstance(update, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
