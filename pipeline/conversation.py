"""Puts one conversation together from settings, and runs it. One object, one conversation.

input → VAD + speech tail → recogniser → listener → user aggregator → injector → model → voice → output → assistant
                                │            │              │             │                         │
                                └ words ─────┴── memory ────┴─ recall ────┘          tracker ◄── played words
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pipecat.frames.frames import (
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
    UserTurnStoppedMessage,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_transport import BaseTransport
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from memory.session import MemorySession
from memory.tools.spec import Tool
from pipeline.clock import ConversationClock, LoopClock
from pipeline.conversation_models import ConversationModels
from pipeline.settings import Settings
from pipeline.speech.apologies import apology
from pipeline.speech.echo_sound import EchoSound
from pipeline.speech.llm_openai import CompatibleLLMService
from pipeline.speech.spoken_text import spoken_text
from pipeline.speech.tool_calling import ToolCallingService
from pipeline.transports.playback import first_loud_sample
from processors.barge_in import BargeInStrategy, takes_floor
from processors.end_of_turn import EndOfTurnStrategy
from processors.endpointing import EndpointingParams
from processors.frames import EXACT_TIME, SpeechFailedFrame, goes_on
from processors.hearing import Hearing
from processors.injector import MemoryInjector, PromptSettings
from processors.interruption import InterruptionParams
from processors.listener import MemoryListener
from processors.monologue import Monologue, apply_proposal
from processors.reply_reading import apply_reading
from processors.spoken_words import rest_of_reply
from processors.tap import Tap
from processors.tool_runner import ToolLimits, ToolRunner
from processors.turn_record import TurnRecord
from processors.turn_tracker import ClosedSink, Sink, TurnTracker
from processors.update_retry import UpdateRetry

INPUT_RATE = 16_000


class Conversation:
    """One user talks with the agent through one transport.

    Attributes:
        tracker: Knows the turn the conversation is in.
    """

    def __init__(
        self,
        settings: Settings,
        models: ConversationModels,
        memory: MemorySession,
        clock: ConversationClock,
        *,
        session_id: str,
        tools: Sequence[Tool] = (),
        on_event: Sequence[Sink] = (),
        on_closed: Sequence[ClosedSink] = (),
    ) -> None:
        """Prepare a conversation; nothing runs yet.

        Args:
            settings: The configuration.
            models: Loaded models, shared between conversations.
            memory: This user's memory, open for this session.
            clock: The conversation's clock.
            session_id: Id of the session.
            tools: What the agent can do.
            on_event: Called with every event of the timeline, as it happens.
            on_closed: Called with every turn, once it has closed.
        """
        self._settings = settings
        self._models = models
        self._memory = memory
        self._clock = clock
        self._worker: PipelineWorker | None = None
        self.ready = asyncio.Event()
        self.ended = asyncio.Event()
        self.tracker = TurnTracker(
            session_id=session_id,
            user_id=settings.agent.user,
            language=settings.agent.language,
            wall_time=clock.wall_time,
            spoken_form=spoken_text,
        )
        self.tracker.go_on_after(memory.past_turns)
        limits = ToolLimits(timeout_s=settings.tools.timeout_s, moment_s=settings.tools.moment_s)
        self._tools = ToolRunner(tools, memory=memory, tracker=self.tracker, clock=clock, limits=limits)
        self.tracker.on_event.extend(on_event)
        self.tracker.on_closed.append(self._remember_reply)
        self.tracker.on_closed.extend(on_closed)

    def agent_audio(self, samples: npt.NDArray[np.int16], sample_rate: int, at: float) -> None:
        """Take note of a block that starts to play (see ``PlaybackListener``)."""
        if self.tracker.agent_is_audible:
            return
        # A typed conversation's voice is silent; its first sample counts as sound.
        first = first_loud_sample(samples) if self._models.hears else 0
        if first is not None:
            self.tracker.audible(at + first / sample_rate)

    async def run(self, transport: BaseTransport, output_rate: int = INPUT_RATE) -> None:
        """Run until ``stop`` is called or the task is cancelled; then everything is remembered.

        Args:
            transport: Where the user is.
            output_rate: Sample rate of the agent's audio, Hz.
        """
        hearing = Hearing(
            self._clock,
            self._memory,
            self.tracker,
            on_turn_ended=lambda: listener.turn_ended(),
            parts=lambda: listener.final_words,
        )
        listener = MemoryListener(self._clock, self._memory, self.tracker)
        user, assistant = self._aggregators(hearing, listener)
        injector, model = self._injector(hearing), self._models.language_model(self._settings)
        retry = UpdateRetry(
            self._clock, self.tracker, self._memory, model if isinstance(model, CompatibleLLMService) else None
        )
        if isinstance(model, ToolCallingService):
            model.offer(self._tools, injector.go_on)
        pipeline = Pipeline(
            [
                transport.input(),
                *self._models.hearing_parts(self._settings),
                listener,
                user,
                # At the source: what follows an interruption finds its turn closed.
                Tap(self._clock, {InterruptionFrame: lambda at, _: self.tracker.barged_in(at)}),
                injector,
                model,
                Monologue(
                    self._clock,
                    self.tracker,
                    reply_format=self._settings.llm.reply_format,
                    apology=lambda language: apology(language, "garbage"),
                    guard=self._tools.guard,
                    on_answer=retry.answered,
                ),
                self._models.speaking_part(self._settings),
                Tap(self._clock, {TTSAudioRawFrame: lambda at, _: self.tracker.voice_audio(at)}),
                transport.output(),
                self._playback_tap(),
                assistant,
            ]
        )
        self._worker = PipelineWorker(
            pipeline,
            params=PipelineParams(
                audio_in_sample_rate=INPUT_RATE, audio_out_sample_rate=output_rate, enable_metrics=False
            ),
            clock=LoopClock(),
            enable_rtvi=False,
            enable_turn_tracking=False,
            idle_timeout_secs=None,
        )
        self._worker.add_event_handler("on_pipeline_started", self._on_started)
        runner = WorkerRunner(handle_sigint=False)
        try:
            await runner.add_workers(self._worker)
            await runner.run()
        finally:
            await self._wind_up(hearing, listener, retry)

    async def stop(self) -> None:
        """End the conversation once what is queued has been said."""
        if self._worker is not None:
            await self._worker.stop_when_done()

    async def _on_started(self, *_: Any) -> None:
        self.ready.set()

    async def _wind_up(self, hearing: Hearing, listener: MemoryListener, retry: UpdateRetry) -> None:
        """Nothing that was said is lost: half a sentence is kept, the open turn closes, memory is on disk."""
        words = listener.unfinished_words
        if words and takes_floor(words, self.tracker):
            self.tracker.barged_in(self._clock())
            hearing.take_words(words)
        await hearing.close()
        await self._tools.close()
        self.tracker.finish(self._clock())
        await retry.close()
        await self._memory.flush()
        self.ended.set()

    def _aggregators(self, hearing: Hearing, listener: MemoryListener) -> tuple[FrameProcessor, FrameProcessor]:
        turn = self._settings.turn
        endpointing = EndpointingParams(
            use_verdict=self._models.smart_turn is not None,
            # A typed turn is over when it is there.
            silence_s=turn.silence_s if self._models.hears else 0.0,
            complete_silence_s=turn.complete_silence_s if self._models.hears else 0.0,
            incomplete_silence_s=turn.incomplete_silence_s if self._models.hears else 0.0,
        )
        context = LLMContext()
        pair = LLMContextAggregatorPair(
            context,
            user_params=LLMUserAggregatorParams(
                user_turn_strategies=UserTurnStrategies(
                    start=[
                        BargeInStrategy(
                            InterruptionParams(
                                # Nobody types by accident.
                                min_words=turn.interrupt_words if self._models.hears else 1,
                                speech_s=turn.interrupt_speech_s,
                                resume_after_s=turn.resume_after_s,
                                start_s=turn.vad_start_s if self._models.hears else 0.0,
                            ),
                            self.tracker,
                            self._clock,
                            on_words_dropped=listener.words_dropped,
                            sound=EchoSound(self._settings.agent.language),
                        )
                    ],
                    stop=[EndOfTurnStrategy(endpointing, self._models.smart_turn)],
                ),
                # A cough is no question: an empty turn is left unanswered.
                empty_user_turn=None,
                # Pipecat's own watchdog; the strategy above ends every turn before it.
                user_turn_stop_timeout=endpointing.words_timeout_s + turn.incomplete_silence_s,
            ),
        )
        user = pair.user()

        @user.event_handler("on_user_turn_message_added")
        async def remember(*_: Any) -> None:
            hearing.take(context.messages)

        @user.event_handler("on_user_turn_started")
        async def open_turn(*_: Any) -> None:
            self.tracker.user_turn_is_open = True

        @user.event_handler("on_user_turn_stopped")
        async def close_turn(_: Any, strategy: Any, message: UserTurnStoppedMessage) -> None:
            self.tracker.user_turn_is_open = False
            if not message.content and self.tracker.reply_is_missing:
                # What dropped the reply turned out to be no words: the turn before is answered after all.
                await user.push_context_frame()

        return user, pair.assistant()

    def _injector(self, hearing: Hearing) -> MemoryInjector:
        llm = self._settings.llm
        embedded = llm.base_url is None
        return MemoryInjector(
            self._clock,
            self._clock.now,
            self._memory,
            self.tracker,
            hearing,
            PromptSettings(
                agent_name=self._settings.agent.name,
                language=self._settings.agent.language,
                instructions=self._settings.agent.instructions,
                model=llm.model,
                shape="small" if embedded else "full",
                token_budget=self._settings.memory.token_budget,
                memories=llm.memories,
                reply_format=llm.reply_format,
            ),
            self._tools,
        )

    def _playback_tap(self) -> Tap:
        tracker = self.tracker
        return Tap(
            self._clock,
            {
                TTSTextFrame: lambda at, frame: tracker.word_played(
                    at, frame.text, frame.raw_text, is_exact=frame.metadata.get(EXACT_TIME, True)
                ),
                LLMFullResponseStartFrame: lambda at, _: tracker.reply_arrived(at),
                LLMFullResponseEndFrame: lambda at, frame: None if goes_on(frame) else tracker.reply_ended(at),
                SpeechFailedFrame: lambda at, frame: tracker.failed(at, frame.part, frame.reason, frame.detail),
            },
        )

    def _remember_reply(self, turn: TurnRecord) -> None:
        self._memory.said(
            turn_id=turn.turn_id,
            heard=turn.heard_text,
            unheard=rest_of_reply(turn.reply_text, turn.heard_text),
            said_at=self._clock.wall_time(self._clock()),
            language=turn.language,
        )
        apply_proposal(turn, self._memory)
        apply_reading(turn, self._memory)
        self._tools.turn_closed(turn)
        turn.inner_state_after = self._memory.state.to_contract()
