"""Gives the language model a copy of the context with what was recalled; the shared one is never changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from loguru import logger
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import Frame, LLMContextFrame, LLMFullResponseEndFrame, LLMFullResponseStartFrame
from pipecat.processors.aggregators.llm_context import NOT_GIVEN, LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from memory.inner_state import ShelvedTask
from memory.nouns import RecallResult
from memory.prompt import Message, PromptInput, build_messages
from memory.session import MemorySession
from memory.tools.wording import gives_up
from processors.frames import OwnWordsFrame, RecallFrame, mark_going_on
from processors.hearing import Hearing
from processors.tool_runner import ToolRunner
from processors.turn_record import TurnRecord
from processors.turn_tracker import TurnTracker

# A model that calls tools this often in one turn has to answer without them.
MAX_ROUNDS = 5


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
        tools: ToolRunner | None = None,
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
            tools: Runs tools; None for an agent without any.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        self._conversation_clock = clock
        self._now = now
        self._memory = memory
        self._tracker = tracker
        self._hearing = hearing
        self._prompt = prompt
        self._tools = tools
        self._system_language = ""
        self._rounds = 0
        self._messages: list[dict[str, Any]] = []
        self._result = RecallResult()
        if tools is not None:
            tools.speak_with(self.say)

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
        self._result = await self._memory.recall(turn.user_text, turn.turn_id)
        self._tracker.recalled(self._conversation_clock(), self._result)
        await self.push_frame(RecallFrame(turn_id=turn.turn_id, result=self._result))
        if self._tools is not None:
            await self._tools.turn_begins(turn)
        self._rounds = 0
        self._messages = build_messages(self._prompt_input(turn, self._result), shape=self._prompt.shape)
        await self._ask(speculation=frame.speculation)

    async def say(self, text: str, *, last: bool = False) -> None:
        """Say something of the agent's own.

        Args:
            text: The words.
            last: Whether the reply ends with them.
        """
        self._tracker.reply_goes_on(self._conversation_clock())
        end = LLMFullResponseEndFrame()
        if not last:
            mark_going_on(end)
        for frame in (LLMFullResponseStartFrame(), OwnWordsFrame(text), end):
            await self.push_frame(frame)

    async def go_on(self) -> None:
        """The tools that the model called have answered: it is asked again."""
        turn = self._tracker.turn
        if turn is None or not self._tracker.reply_is_due:
            return
        self._rounds += 1
        if self._rounds > MAX_ROUNDS + 1:
            logger.warning("language model: it calls tools without end; the turn ends here")
            await self.say(gives_up(turn.language), last=True)
            return
        self._tracker.reply_goes_on(self._conversation_clock())
        if self._prompt.shape == "small":
            self._messages = build_messages(self._prompt_input(turn, self._result), shape="small")
        await self._ask()

    async def _ask(self, *, speculation: bool = False) -> None:
        """Put the prompt, with what tools answered in this turn, to the model."""
        messages = [*self._messages, *self._exchanges()]
        context = LLMContext(messages=messages, tools=self._offered())  # type: ignore[arg-type]
        self._tracker.model_asked(self._conversation_clock(), self._prompt.model)
        await self.push_frame(LLMContextFrame(context=context, speculation=speculation))

    def _exchanges(self) -> list[dict[str, Any]]:
        if self._tools is None or self._prompt.shape == "small":
            return []
        return [message for call in self._tools.calls for message in call.messages()]

    def _offered(self) -> ToolsSchema | Any:
        specs = () if self._tools is None or self._rounds >= MAX_ROUNDS else self._tools.specs
        if not specs or self._prompt.shape == "small":
            return NOT_GIVEN
        return ToolsSchema(
            standard_tools=[
                FunctionSchema(spec.name, spec.description or spec.name, dict(spec.properties), list(spec.required))
                for spec in specs
            ]
        )

    def _prompt_input(self, turn: TurnRecord, result: RecallResult) -> PromptInput:
        history: list[Message] = []
        for past in self._tracker.closed_turns:
            history.append(Message("user", past.user_text, past.turn_id))
            if past.heard_text:
                history.append(Message("assistant", past.heard_text, past.turn_id))
        language = turn.language or self._prompt.language
        self._system_language = self._system_language or language
        return PromptInput(
            agent_name=self._prompt.agent_name,
            language=language,
            system_language=self._system_language,
            instructions=self._prompt.instructions,
            now=self._now(),
            history=tuple(history),
            state=self._memory.state.to_contract(),
            open_from_before=tuple(map(_task_line, self._memory.state.open_from_before())),
            recalled=result.items[: self._prompt.memories],
            user_text=turn.user_text,
            cut_off=self._tracker.cut_off,
            token_budget=self._prompt.token_budget,
            tool_result=None if self._has_called() else self._memory.state.bookkeeping.tool_result,
            awaiting=self._memory.state.bookkeeping.awaiting,
            options=self._memory.state.bookkeeping.options,
            tools=() if self._tools is None else self._tools.specs,
            calls=() if self._tools is None else tuple(call.seen() for call in self._tools.calls),
            before=turn.inner_state_before,
            reply_format=self._prompt.reply_format,
        )

    def _has_called(self) -> bool:
        """Whether this turn's own calls follow the notes."""
        return self._tools is not None and bool(self._tools.calls)


def _task_line(entry: ShelvedTask) -> str:
    facts = ", ".join(f"{key} = {value}" for key, value in entry.facts.items())
    return f"{entry.task} ({facts})" if facts else entry.task
