"""Hears what the recogniser says while the user speaks, and feeds memory. Never waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection

from memory.session import MemorySession
from processors.frames import EmptySpeechFrame, KnownNamesFrame, SpeechTailFrame, UserWordsFrame
from processors.speech_end import SpeechEnd
from processors.spoken_words import join_speech
from processors.tap import Tap
from processors.turn_tracker import TurnTracker


class MemoryListener(Tap):
    """Sits between the recogniser and the user aggregator, which swallows transcripts.

    Partial words start speculative work in memory; the speech tail fires the recall. When speech begins, the
    recogniser is told the names that memory knows.
    """

    def __init__(self, clock: Callable[[], float], memory: MemorySession, tracker: TurnTracker, **kwargs: Any) -> None:
        """Make the listener.

        Args:
            clock: The conversation's clock, seconds.
            memory: Gets the words.
            tracker: Gets the times.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(
            clock,
            {
                InputAudioRawFrame: self._audio,
                InterimTranscriptionFrame: self._interim,
                TranscriptionFrame: self._final,
                EmptySpeechFrame: self._empty,
                SpeechTailFrame: self._tail,
                UserWordsFrame: self._words,
                VADUserStartedSpeakingFrame: self._started,
                VADUserStoppedSpeakingFrame: self._stopped,
            },
            **kwargs,
        )
        self._memory = memory
        self._tracker = tracker
        self._speech_end = SpeechEnd()
        self._speech_began = 0.0
        self._latest_audio = 0.0
        self._latest = ""
        self._finals: list[str] = []
        self._left_out = False
        self._told: tuple[str, ...] = ()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Look at a frame and pass it on."""
        if isinstance(frame, VADUserStartedSpeakingFrame) and direction is FrameDirection.DOWNSTREAM:
            await self._tell_names()
        await super().process_frame(frame, direction)

    @property
    def unfinished_words(self) -> str:
        """What was heard of the turn that has not ended, its last partial words included."""
        return join_speech([*self._finals, self._latest])

    @property
    def final_words(self) -> Sequence[str]:
        """The final transcripts of the turn that has not ended."""
        return tuple(self._finals)

    def turn_ended(self) -> None:
        """Forget the words of the turn that ended."""
        self._finals = []
        self._latest = ""

    async def _tell_names(self) -> None:
        names = self._memory.names
        if names != self._told:
            self._told = names
            await self.push_frame(KnownNamesFrame(names=names), FrameDirection.UPSTREAM)

    def words_dropped(self) -> None:
        """Forget the latest final words: they belong to no turn (a backchannel, an echo)."""
        self.turn_ended()
        self._left_out = True

    def _audio(self, at: float, frame: InputAudioRawFrame) -> None:
        self._latest_audio = at
        self._speech_end.feed(frame.audio, frame.sample_rate, at)

    def _started(self, at: float, frame: VADUserStartedSpeakingFrame) -> None:
        self._speech_began = at
        self._speech_end.speech_started()
        self._tracker.speech_started(at, at - frame.start_secs)

    def _interim(self, at: float, frame: InterimTranscriptionFrame) -> None:
        result = frame.result if isinstance(frame.result, dict) else {}
        stable = str(result.get("stable", ""))
        unstable = str(result.get("unstable", frame.text))
        self._latest = frame.text
        self._tracker.interim(at, stable, unstable)
        self._memory.partial(join_speech([*self._finals, stable]), unstable)

    def _tail(self, at: float, frame: Frame) -> None:
        self._tracker.speech_tail(at)
        self._memory.speech_tail(self.unfinished_words)

    def _stopped(self, at: float, frame: Frame) -> None:
        # Typed words have no sound: they end where they stop.
        last_loud = self._speech_end.last_loud
        self._tracker.speech_stopped(at, last_loud if last_loud >= self._speech_began else at)

    def _final(self, at: float, frame: TranscriptionFrame) -> None:
        # An interruption must not drop what the user said.
        frame.interruptible = False
        result = frame.result if isinstance(frame.result, dict) else {}
        self._finals.append(frame.text)
        self._left_out = False
        self._latest = ""
        self._memory.partial(join_speech(self._finals), "")
        self._tracker.final_words(at, frame.text, result.get("language"))

    def _words(self, at: float, frame: UserWordsFrame) -> None:
        if self._left_out:
            return
        # The recogniser's newest sample is the newest one that came by here.
        offset = self._latest_audio - frame.heard_s
        self._tracker.user_words([(word, start + offset, end + offset) for word, start, end in frame.words])

    def _empty(self, at: float, frame: Frame) -> None:
        # It was no speech after all.
        self._latest = ""
