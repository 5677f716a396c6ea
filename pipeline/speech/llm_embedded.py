"""The embedded language model as a Pipecat service: no network, no open port.

What it can be trusted with is written in ``memory.reply``: with a plan in the prompt, the model is asked only to
word what memory found, its answer is checked against the evidence before a word of it is spoken, and everything
else is said from the plan. A prompt without a plan is answered freely, as it is generated.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.settings import LLMSettings as PipecatLLMSettings

from memory.prompt_examples import small_messages
from memory.reply import ReplyPlan, accept, split_plan
from pipeline.settings import LLMSettings
from pipeline.speech.apologies import apology
from pipeline.speech.embedded_model import EmbeddedModel, ModelError
from pipeline.speech.llm_failure import LLMFailure
from pipeline.speech.llm_openai import spoken_language
from pipeline.speech.repetition import RepetitionGuard
from pipeline.speech.tool_calling import ToolCallingService
from processors.frames import SpeechFailedFrame

# Answers to a question with evidence take 8 to 20 tokens.
ANSWER_TOKENS = 40
_STOP = ("\n", "<|im_end|>", "<|im_start|>")


class EmbeddedLLMService(ToolCallingService):
    """Replies from a model inside this process.

    It loads and reads the fixed part of its prompt in its own thread while the rest of the pipeline starts.
    An interruption stops it at the next token.
    """

    def __init__(self, settings: LLMSettings, *, language: str, model_path: Path, **kwargs: Any) -> None:
        """Make the service.

        Args:
            settings: Time-out, longest free answer, temperature.
            language: Language of the apologies where the user's words do not tell.
            model_path: GGUF file.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(
            settings=PipecatLLMSettings(
                model=settings.model,
                system_instruction=None,
                temperature=settings.temperature,
                max_tokens=settings.max_tokens,
                top_p=None,
                top_k=None,
                frequency_penalty=None,
                presence_penalty=None,
                seed=None,
                filter_incomplete_user_turns=False,
                user_turn_completion_config=None,
                use_provider_thinking_default=False,
            ),
            **kwargs,
        )
        self._llm = settings
        self._language = language
        self._model = EmbeddedModel(model_path)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="llm")
        self._load_error = ""
        self._running: asyncio.Future[None] | None = None

    def can_generate_metrics(self) -> bool:
        """Times to the first token are measured."""
        return True

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Begin to load the model. Work that comes before it is loaded waits in the same thread."""
        await super().setup(setup)
        self._running = asyncio.get_running_loop().run_in_executor(self._executor, self._load)

    async def cleanup(self) -> None:
        """Free the model."""
        await super().cleanup()
        if self._running is not None:
            await asyncio.wait([self._running])
            await asyncio.get_running_loop().run_in_executor(self._executor, self._model.close)
        self._executor.shutdown(wait=False)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer an ``LLMContextFrame``; pass everything else on."""
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        try:
            await self.push_frame(LLMFullResponseStartFrame())
            await self.start_processing_metrics()
            await self.start_ttfb_metrics()
            await self._reply(frame.context)
        finally:
            await self.stop_processing_metrics()
            await self.push_frame(LLMFullResponseEndFrame())

    async def _reply(self, context: LLMContext) -> None:
        messages, plan = split_plan(message for message in context.get_messages() if isinstance(message, dict))
        try:
            if plan is None:
                await self._answer_freely(messages)
            elif plan.calls:
                await self.run_function_calls(
                    [
                        FunctionCallFromLLM(
                            function_name=call["name"],
                            tool_call_id=f"plan_{number}",
                            arguments=call["arguments"],
                            context=context,
                        )
                        for number, call in enumerate(plan.calls)
                    ]
                )
            elif plan.ask_model:
                await self._speak(await self._checked(messages, plan))
            else:
                await self._speak(plan.text)
        except LLMFailure as failure:
            logger.warning(failure.detail)
            await self.push_frame(SpeechFailedFrame(part="llm", reason=failure.reason, detail=failure.detail))
            await self._speak(plan.text if plan else apology(spoken_language(context, self._language), failure.reason))

    async def _checked(self, messages: Sequence[dict[str, Any]], plan: ReplyPlan) -> str:
        pieces = [piece async for piece in self._generate(messages, ANSWER_TOKENS, 0.0)]
        answer = accept(plan, "".join(pieces))
        if answer is None:
            logger.debug("the embedded model's answer does not rest on the evidence; quoting the user instead")
        return answer or plan.text

    async def _answer_freely(self, messages: Sequence[dict[str, Any]]) -> None:
        guard = RepetitionGuard()
        spoken = False
        answer = self._generate(messages, self._llm.max_tokens, self._llm.temperature)
        async with contextlib.aclosing(answer):
            async for piece in answer:
                text = piece if spoken else piece.lstrip()
                if guard.feed(text):
                    break
                if text:
                    await self._speak(text)
                    spoken = True
        if not spoken:
            raise self._failure("empty", "wrote nothing")

    async def _speak(self, text: str) -> None:
        await self.stop_ttfb_metrics()
        await self._push_llm_text(text)

    async def _generate(
        self, messages: Sequence[dict[str, Any]], max_tokens: int, temperature: float
    ) -> AsyncGenerator[str, None]:
        """The pieces of an answer; leaving the loop early stops the model."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        stopped = threading.Event()

        def hand_over(piece: str | None) -> None:
            # The loop may have been closed in the meantime.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

        def take(piece: str) -> bool:
            if piece:
                hand_over(piece)
            return stopped.is_set()

        def work() -> None:
            try:
                if self._load_error:
                    raise ModelError(self._load_error)
                if not stopped.is_set():
                    self._model.generate(
                        messages, max_tokens=max_tokens, temperature=temperature, stop=_STOP, on_text=take
                    )
            finally:
                hand_over(None)

        self._running = work_done = loop.run_in_executor(self._executor, work)
        # Its error is taken note of even when nobody waits for it any more.
        work_done.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while True:
                async with asyncio.timeout(self._llm.timeout_s):
                    piece = await pieces.get()
                if piece is None:
                    break
                yield piece
            await work_done
        except TimeoutError:
            raise self._failure(
                "timeout", f"wrote nothing for {self._llm.timeout_s:g} s; is the machine busy?"
            ) from None
        except ModelError as error:
            raise self._failure("weights" if self._load_error else "error", str(error)) from None
        finally:
            stopped.set()

    def _failure(self, reason: str, what: str) -> LLMFailure:
        return LLMFailure(reason, f"embedded language model {self._llm.model}: {what}")

    def _load(self) -> None:
        """Load, and read the part of the prompt that never changes."""
        try:
            self._model.load()
            self._model.generate(
                small_messages("", ""), max_tokens=1, temperature=0.0, stop=(), on_text=lambda _: False
            )
        except ModelError as error:
            self._load_error = str(error)
            logger.error(f"embedded language model: {error}")
