"""Gives the language model a copy of the context with what was recalled; the shared one is never changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pipecat.frames.frames import Frame, LLMContextFrame
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from memory.nouns import RecallResult
from memory.prompt import Message, PromptInput, build_messages
from memory.session import MemorySession
from processors.frames import RecallFrame
from processors.hearing import Hearing
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker


@dataclass(frozen=True)
class PromptSettings:
    """What the prompt says of the agent, and in which shape the model wants it.

    Attributes:
        agent_name: What the agent is called.
        language: Of the conversation, unless a turn is in another.
        instructions: Added to the system prompt.
        model: Name of the model, for the log.
        shape: ``full`` for an endpoint, ``small`` for the embedded model.
        token_budget: Tokens that recalled lines may take.
        memories: Recalled lines at most; None for all.
        reply_format: Whether the model answers with a reply and a state update (``json``) or with the reply alone.
    """

    agent_name: str
    language: str
    instructions: str
    model: str
    shape: Literal["full", "small"]
    token_budget: int
    memories: int | None = None
    reply_format: Literal["json", "plain"] = "plain"


class MemoryInjector(FrameProcessor):
    """Sits between the user aggregator and the model.

    Waits for the words to be understood and for the recall, which keeps its own deadline, then
    builds the prompt from the turns as they were heard. Runs in the process task: an interruption
    cancels the wait, not the remembering.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        memory: MemorySession,
        tracker: TurnTracker,
        hearing: Hearing,
        prompt: PromptSettings,
        **kwargs: Any,
    ) -> None:
        """Make the injector.

        Args:
            clock: The conversation's clock, seconds.
            now: The session's local time.
            memory: Recalls.
            tracker: Knows the turns as they were heard.
            hearing: Gives the user's words to memory.
            prompt: What the prompt says of the agent.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        self._conversation_clock = clock
        self._now = now
        self._memory = memory
        self._tracker = tracker
        self._hearing = hearing
        self._prompt = prompt

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Replace the context of an ``LLMContextFrame``; pass everything else on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame) and direction == FrameDirection.DOWNSTREAM:
            await self._inject(frame)
        else:
            await self.push_frame(frame, direction)

    async def _inject(self, frame: LLMContextFrame) -> None:
        self._hearing.take(frame.context.messages)
        await self._hearing.understood()
        turn = self._tracker.turn
        if turn is None:
            return
        result = await self._memory.recall(turn.user_text, turn.turn_id)
        self._tracker.recalled(self._conversation_clock(), result)
        await self.push_frame(RecallFrame(turn_id=turn.turn_id, result=result))
        messages = build_messages(self._prompt_input(turn, result), shape=self._prompt.shape)
        context = LLMContext(
            messages=messages,  # type: ignore[arg-type]
            tools=frame.context.tools,
            tool_choice=frame.context.tool_choice,
        )
        self._tracker.model_asked(self._conversation_clock(), self._prompt.model)
        await self.push_frame(LLMContextFrame(context=context, speculation=frame.speculation))

    def _prompt_input(self, turn: TurnRecord, result: RecallResult) -> PromptInput:
        history: list[Message] = []
        for past in self._tracker.closed_turns:
            history.append(Message("user", past.user_text))
            if past.heard_text:
                history.append(Message("assistant", past.heard_text))
        return PromptInput(
            agent_name=self._prompt.agent_name,
            language=turn.language or self._prompt.language,
            instructions=self._prompt.instructions,
            now=self._now(),
            history=tuple(history),
            state=self._memory.state.to_contract(),
            recalled=result.items[: self._prompt.memories],
            user_text=turn.user_text,
            cut_off=self._tracker.cut_off,
            token_budget=self._prompt.token_budget,
            reply_format=self._prompt.reply_format,
        )
