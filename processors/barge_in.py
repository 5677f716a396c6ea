"""The user-turn start strategy: feeds ``Interruption`` with frames and does what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    UserBackchannelFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_start.base_user_turn_start_strategy import BaseUserTurnStartStrategy

from processors.backchannels import without_backchannels, without_hums
from processors.echo import MAX_LAG_S, REACH_BACK_S, Sound, as_spelled, without_echo
from processors.frames import EmptySpeechFrame, SpeechPausedFrame, SpeechResumedFrame
from processors.interruption import Act, AgentSpeech, Interruption, InterruptionParams
from processors.spoken_words import ends_in_question
from processors.turn_tracker import TurnTracker


class BargeInStrategy(BaseUserTurnStartStrategy):
    """Begins a user turn, at once while the agent is silent, by ``Interruption`` while it is not.

    Words that begin no turn do not reach the context: a backchannel leaves as ``UserBackchannelFrame``, an echo not
    at all. A reply is silenced and goes on by ``SpeechPausedFrame`` and ``SpeechResumedFrame``.
    """

    def __init__(
        self,
        params: InterruptionParams,
        tracker: TurnTracker,
        clock: Callable[[], float],
        on_words_dropped: Callable[[], None] = lambda: None,
        sound: Sound = as_spelled,
        **kwargs: Any,
    ) -> None:
        """Make the strategy.

        Args:
            params: When the user takes the floor.
            tracker: Knows what the agent says.
            clock: The conversation's clock, seconds.
            on_words_dropped: Called when final words turned out to belong to no turn.
            sound: How words sound, to know the agent's echo by.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(**kwargs)
        self._interruption = Interruption(params, sound)
        self._tracker = tracker
        self._conversation_clock = clock
        self._on_words_dropped = on_words_dropped
        self._seconds = 0.0
        self._in_turn = False
        self._keeps_words = False
        self._is_paused = False

    async def handle_user_turn_started(self) -> None:
        """Leave the words to the turn that has begun."""
        self._in_turn = True
        self._keeps_words = False
        # The interruption that goes with it silences for good.
        self._is_paused = False
        self._interruption.reset()

    async def handle_user_turn_stopped(self) -> None:
        """Look for the next turn."""
        self._in_turn = False

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Note what the frame says and begin a turn if the user takes the floor.

        Args:
            frame: Any frame that passes the user aggregator.

        Returns:
            ``STOP`` if a turn began.
        """
        if isinstance(frame, InputAudioRawFrame):
            self._seconds += len(frame.audio) / 2 / frame.sample_rate
        if self._in_turn:
            return ProcessFrameResult.CONTINUE
        act = self._decide(frame)
        if act is Act.TAKE or (self._keeps_words and not self._tracker.reply_is_awaited):
            await self.trigger_user_turn_started()
            return ProcessFrameResult.STOP
        await self._do(act, frame)
        return ProcessFrameResult.CONTINUE

    def _decide(self, frame: Frame) -> Act:
        """What follows from a frame."""
        decides, now = self._interruption, self._seconds
        if isinstance(frame, InputAudioRawFrame | BotStoppedSpeakingFrame):
            return decides.time(now, self._agent())
        if isinstance(frame, VADUserStartedSpeakingFrame):
            return decides.speech_started(now, self._agent())
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            decides.speech_stopped(now, frame.stop_secs)
        elif isinstance(frame, InterimTranscriptionFrame):
            result = frame.result if isinstance(frame.result, dict) else {}
            stable = str(result.get("stable", frame.text))
            return decides.partial_words(now, stable, frame.text, self._agent_with_words(final=False))
        elif isinstance(frame, TranscriptionFrame):
            return decides.final_words(now, frame.text, self._agent_with_words(final=True))
        elif isinstance(frame, EmptySpeechFrame):
            return decides.final_words(now, "", self._agent())
        return Act.NOTHING

    async def _do(self, act: Act, frame: Frame) -> None:
        if act is Act.NOTHING:
            return
        if act is Act.PAUSE:
            await self._pause()
            return
        await self._resume(act)
        if act is Act.KEEP:
            self._keeps_words = True
        elif act in (Act.BACKCHANNEL, Act.ECHO):
            # Pipecat forgets all words or none.
            if not self._keeps_words:
                await self.trigger_reset_aggregation()  # type: ignore[no-untyped-call]
                self._on_words_dropped()
            if act is Act.BACKCHANNEL and isinstance(frame, TranscriptionFrame):
                self._tracker.backchannel(self._conversation_clock(), frame.text)
                await self.push_frame(UserBackchannelFrame(frame.text, frame.user_id, frame.timestamp))

    async def _pause(self) -> None:
        self._is_paused = True
        self._tracker.note(self._conversation_clock(), "agent_paused")
        await self.push_frame(SpeechPausedFrame())

    async def _resume(self, act: Act) -> None:
        if self._is_paused:
            self._is_paused = False
            self._tracker.note(self._conversation_clock(), "agent_resumed", reason=act.value)
            await self.push_frame(SpeechResumedFrame())

    def _agent(self) -> AgentSpeech:
        """What the agent is doing."""
        return AgentSpeech(self._tracker.reply_is_awaited, self._tracker.agent_is_audible)

    def _agent_with_words(self, *, final: bool) -> AgentSpeech:
        """The same with what it was saying when the words that come now were spoken; that takes time."""
        tracker = self._tracker
        begun, ended = self._interruption.spoken_between(self._seconds, final=final)
        ago = self._conversation_clock() - self._seconds
        # Partial words come late by what a decode takes.
        late = ago + ended - MAX_LAG_S if final else float("-inf")
        reply, asks = tracker.reply, tracker.reply.asks
        if not tracker.agent_is_audible:
            if tracker.turn is not None:
                return self._agent()
            reply, asks = tracker.last_reply, ends_in_question(tracker.last_reply.heard)
        past, recent = reply.in_the_air(ago + begun - REACH_BACK_S, late, ago + ended)
        return AgentSpeech(tracker.reply_is_awaited, tracker.agent_is_audible, recent, past, asks)


def takes_floor(words: str, tracker: TurnTracker) -> bool:
    """Whether words of a conversation that breaks off belong to a turn of the user's, and not to nobody.

    Args:
        words: Those that are in no turn yet, the last ones partial.
        tracker: Knows whether a reply is heard.
    """
    if not tracker.reply_is_awaited:
        return True
    if not tracker.agent_is_audible:
        return bool(without_hums(words))
    return bool(without_backchannels(" ".join(without_echo(words, tracker.reply.around_now))))
