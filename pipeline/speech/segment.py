"""One stretch of speech between the VAD's start and stop, and what is known of its words."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.speech.attempts import Attempt
from pipeline.speech.decoding import SAMPLE_RATE, Decoding, TimedWord
from pipeline.speech.hypothesis import HypothesisBuffer

# Names that one decode is told of. With thirty in the prompt fewer are understood than with the right four.
MOST_TOLD = 4
# A name that was left out this often is not meant.
ENOUGH = 2


@dataclass(frozen=True)
class Answer:
    """A decode that can become the final transcript.

    Attributes:
        start: Position of the first sample it heard.
        end: Position up to which it heard.
        text: All words of the segment, those of trimmed audio included.
        decoding: The decode.
    """

    start: int
    end: int
    text: str
    decoding: Decoding


@dataclass
class Segment:
    """Positions are samples at 16 kHz since the conversation began.

    Attributes:
        start: First sample of the audio that is decoded; moves on when long speech is trimmed.
        speech_start: Where the VAD heard speech begin.
        decoded_end: Where the latest decode ended.
        tail: Latest first silent window.
        stop: Where the VAD said stop.
        tried: The tail, or the stop, whose last decode has been tried.
        attempts: What was tried on the audio up to ``attempted``, while it leaves doubts.
        names: Known names that its words sounded like, the nearest first.
        declined: How often a decode was told of a name and did not write it.
        attempted: Where that audio ends.
        rest: Audio that must pass before the next interim, because the machine is slow.
        committed: Words of trimmed audio.
        spoken: The same, with their times.
        buffer: Hypotheses over the audio since ``start``.
        answer: Latest decode that is good enough for the end.
        failed: The last decode ended in an error.
    """

    start: int
    speech_start: int
    decoded_end: int
    tail: int | None = None
    stop: int | None = None
    tried: int | None = None
    attempts: list[tuple[Attempt, Decoding]] = field(default_factory=list)
    rest: int = 0
    committed: str = ""
    spoken: list[TimedWord] = field(default_factory=list)
    buffer: HypothesisBuffer = field(default_factory=HypothesisBuffer)
    names: tuple[str, ...] = ()
    declined: dict[str, int] = field(default_factory=dict)
    attempted: int = 0
    answer: Answer | None = None
    failed: bool = False

    def learn_names(self, told: tuple[str, ...], decoding: Decoding) -> None:
        """Take in which names a decode wrote, left out, or sounds like.

        A name that is left out twice is not told again.

        Args:
            told: The names that it was told of.
            decoding: What it heard.
        """
        for name in told:
            if name not in decoding.written:
                self.declined[name] = self.declined.get(name, 0) + 1
        names = dict.fromkeys((*decoding.written, *decoding.similar, *self.names))
        self.names = tuple(name for name in names if self.declined.get(name, 0) < ENOUGH)[:MOST_TOLD]

    @property
    def stable(self) -> str:
        """Words that will not change."""
        return self.committed + self.buffer.stable

    @property
    def speech_end(self) -> int:
        """Where a stopped segment's speech ended: at the tail, if the VAD saw one."""
        return self.tail if self.tail is not None else self.stop or self.decoded_end

    def speech_s(self, end: int) -> float:
        """Seconds of speech up to a position."""
        return max(0, end - self.speech_start) / SAMPLE_RATE
