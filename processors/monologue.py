"""Splits the model's answer: the reply is spoken while it is written, the update waits for the end of the turn.

    model    {"reply": "Sure, …", "state_update": {…}}
    voice             Sure, … ┊ (reply written: say what waits)
    tracker                                            proposed ── turn closes, heard ► inner state
                                                                └─ interrupted ───────► what the user said of it

A proposal says what the agent means to do, so it counts only once the user has heard the reply; what the user
said has changed the state long before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from loguru import logger
from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from memory.said_by_user import as_far_as_said
from memory.session import MemorySession
from memory.state_update import is_wrong_type, parse_update
from processors.frames import OwnWordsFrame, ReplyWrittenFrame, SpeechFailedFrame, goes_on
from processors.reply_guard import ReplyGuard
from processors.reply_json import ReplyResult, ReplyStream
from processors.reply_salvage import has_words
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker


class Monologue(FrameProcessor):
    """Sits right behind the language model and tells the tracker what it says.

    In the ``json`` format ``LLMTextFrame`` leaves with what of it is spoken, or not at all. An answer that holds
    nothing to say is apologised for, and ``SpeechFailedFrame`` says what was wrong with a malformed one. Plain
    answers pass. There is no queue (Pipecat's direct mode): the first word is not delayed.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        tracker: TurnTracker,
        *,
        reply_format: Literal["json", "plain"],
        apology: Callable[[str], str],
        guard: Callable[[], ReplyGuard | None] = lambda: None,
        on_answer: Callable[[TurnRecord, bool], None] = lambda turn, sound: None,
        **kwargs: Any,
    ) -> None:
        """Make the processor.

        Args:
            clock: The conversation's clock, seconds.
            tracker: Knows the turn.
            reply_format: What the model was asked for.
            apology: What is said in place of an answer without words, by the ISO 639-1 code of a language.
            guard: Gives what watches over the reply that begins; None where nothing has to.
            on_answer: Told of an open turn whose answer can be spoken, and whether its format is the one asked for.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(enable_direct_mode=True, **kwargs)
        self._conversation_clock = clock
        self._tracker = tracker
        self._is_json = reply_format == "json"
        self._apology = apology
        self._make_guard = guard
        self._on_answer = on_answer
        self._begin()

    def _begin(self) -> None:
        self._guard: ReplyGuard | None = None
        self._answer = ReplyStream()
        self._answered = False
        self._written = False
        self._failed = False

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take an answer apart; pass everything else on."""
        await super().process_frame(frame, direction)
        if direction != FrameDirection.DOWNSTREAM:
            await self.push_frame(frame, direction)
        elif isinstance(frame, OwnWordsFrame):
            self._tracker.model_text(self._conversation_clock(), "", reply=frame.text)
            await self.push_frame(frame)
        elif isinstance(frame, LLMTextFrame):
            await self._say_on(frame)
        else:
            if isinstance(frame, LLMFullResponseEndFrame):
                await self._end(frame)
            elif isinstance(frame, LLMFullResponseStartFrame | InterruptionFrame):
                self._begin()
                self._guard = self._make_guard() if isinstance(frame, LLMFullResponseStartFrame) else None
            elif isinstance(frame, SpeechFailedFrame):
                self._failed = True
            await self.push_frame(frame, direction)

    async def _say_on(self, frame: LLMTextFrame) -> None:
        text = frame.text
        self._answered = self._answered or not text.isspace()
        frame.text = self._passed(self._answer.feed(text) if self._is_json else text)
        written = self._is_json and self._answer.is_written and not self._written
        if written and self._guard is not None:
            frame.text += self._guard.finish(may_ask=False)
        self._tracker.model_text(self._conversation_clock(), text, reply=frame.text)
        if frame.text:
            await self.push_frame(frame)
        if written:
            self._written = True
            self._tracker.reply_written()
            await self.push_frame(ReplyWrittenFrame())

    def _passed(self, text: str) -> str:
        """What the guard lets pass of the reply."""
        return text if self._guard is None else self._guard.feed(text)

    async def _end(self, frame: LLMFullResponseEndFrame) -> None:
        """Say what is left to say, take note of the proposal; a reply that was dropped is left alone."""
        answer, answered, failed, guard = self._answer, self._answered, self._failed, self._guard
        self._begin()
        turn = self._tracker.turn
        if not self._is_json and answered and guard is not None and self._tracker.reply_is_due:
            await self._say_last(guard.finish(may_ask=not goes_on(frame)), frame)
        # A model that only called tools, and a fault of the endpoint, have been seen to by the model's service.
        if not (self._is_json and answered and turn is not None and self._tracker.reply_is_due):
            return
        result = answer.finish()
        if result.problem is not None and not failed:
            logger.warning("language model: {}", result.problem)
            await self.push_frame(SpeechFailedFrame(part="llm", reason="malformed", detail=result.problem))
        rest = result.rest if has_words(result.reply) else self._apology(turn.language)
        if guard is not None:
            rest = guard.feed(rest) + guard.finish(may_ask=not goes_on(frame))
        await self._say_last(rest, frame)
        self._take_proposal(result)
        # What says sorry for a fault is no answer that could be mended.
        if has_words(result.reply) and ("{" in turn.llm_response or not failed):
            self._on_answer(turn, is_sound(result) and not failed)

    async def _say_last(self, rest: str, end: LLMFullResponseEndFrame) -> None:
        if rest:
            self._tracker.model_text(self._conversation_clock(), "", reply=rest)
            last = LLMTextFrame(rest)
            last.skip_tts = end.skip_tts
            await self.push_frame(last)

    def _take_proposal(self, result: ReplyResult) -> None:
        if isinstance(result.state_update, dict):
            self._tracker.proposed(result.state_update)


def is_sound(result: ReplyResult) -> bool:
    """Whether an answer's format is the one that was asked for, down to the types of its update."""
    return result.problem is None and not any(map(is_wrong_type, parse_update(result.state_update)[1]))


def apply_proposal(turn: TurnRecord, memory: MemorySession) -> None:
    """Let what the model proposed in a turn change the inner state.

    Of a reply that was cut only that counts which repeats the user's own words; of one that nobody heard nothing.
    An update with a value of the wrong type is refused as a whole; unknown keys are left out.

    Args:
        turn: Has just closed.
        memory: Whose state changes.
    """
    if turn.proposed_update is None or not (turn.heard_text or turn.interrupted):
        return
    update = as_far_as_said(turn.proposed_update, turn.user_text) if turn.interrupted else turn.proposed_update
    events, problems = parse_update(update)
    if problems:
        logger.warning("state_update of turn {}: {}", turn.turn_id, "; ".join(problems))
        detail = f"state_update: {'; '.join(problems)}"
        turn.failures.append({"part": "llm", "reason": "malformed", "detail": detail})
    if events and not any(map(is_wrong_type, problems)):
        memory.apply(events, turn_id=turn.turn_id)
