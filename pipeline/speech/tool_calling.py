"""Function calling, the same for every language model: Pipecat's mechanism around the conversation's tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    FunctionCallResultProperties,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import FunctionCallParams, LLMService

from processors.frames import mark_going_on
from processors.tool_runner import ToolRunner


class ToolCallingService(LLMService):
    """A language model's service that hands the calls of its model to a ``ToolRunner``.

    The answer that called tools ends with a marked frame, so that the turn stays open; when all calls of it have
    come to something, the conversation asks the model again. An interruption ends the waiting, not the calls.
    """

    _runner: ToolRunner | None = None
    _go_on: Callable[[], Awaitable[None]] | None = None
    _batch: list[str] = []
    has_called = False

    def offer(self, runner: ToolRunner, go_on: Callable[[], Awaitable[None]]) -> None:
        """Let the model call tools.

        Args:
            runner: Runs them.
            go_on: Asks the model again, once the tools have answered.
        """
        self._runner = runner
        self._go_on = go_on
        # One handler for every name: what there is no tool for gets an answer, too.
        self.register_function(None, self._handle, cancel_on_interruption=True)

    async def run_function_calls(self, function_calls: Sequence[FunctionCallFromLLM]) -> None:
        """Start the calls of an answer; without tools there is nobody to run them."""
        if self._runner is None or not function_calls:
            return
        self.has_called = True
        self._batch = [call.tool_call_id for call in function_calls]
        await super().run_function_calls(function_calls)

    async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        """Mark the end of an answer behind which the reply goes on."""
        if isinstance(frame, LLMFullResponseStartFrame):
            self.has_called = False
        elif isinstance(frame, LLMFullResponseEndFrame) and self.has_called:
            self.has_called = False
            mark_going_on(frame)
        await super().push_frame(frame, direction)

    async def _handle(self, params: FunctionCallParams) -> None:
        assert self._runner is not None and self._go_on is not None
        batch = self._batch
        answer: Any = await self._runner.call(params.function_name, params.arguments)
        # The conversation asks the model again itself: the prompt is its own.
        await params.result_callback(answer, properties=FunctionCallResultProperties(run_llm=False))
        batch.remove(params.tool_call_id)
        if not batch:
            await self._go_on()
