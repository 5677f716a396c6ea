"""What the recogniser asks for and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.speech.attempts import Attempt
from pipeline.speech.decoding import DecodeRequest, TimedWord
from pipeline.speech.segment import Segment


@dataclass(frozen=True)
class Job:
    """One decode to do.

    Attributes:
        segment: Whose words.
        start: Position of the first sample of the audio.
        end: Position after the last one.
        tail: The segment's tail when the job was made.
        last: Its text may become the final transcript.
        insist: If the guard doubts it, try otherwise.
        attempt: The way to decode.
        request: The decode.
    """

    segment: Segment
    start: int
    end: int
    tail: int | None
    last: bool
    insist: bool
    attempt: Attempt
    request: DecodeRequest


@dataclass(frozen=True)
class Interim:
    """Words so far; ``stable`` ones will not change, ``unstable`` follows them, spaces included."""

    stable: str
    unstable: str
    language: str

    @property
    def text(self) -> str:
        """All of them."""
        return self.stable + self.unstable


@dataclass(frozen=True)
class Final:
    """The transcript of one segment.

    Attributes:
        text: The words.
        language: What they were read in.
        avg_logprob: Mean log-probability of the last decode.
        start_s: Where speech began, seconds since the first sample.
        end_s: Where the decode ended.
        words: Gives the words with their times; blocks for some 50 ms, for the decoder's thread.
    """

    text: str
    language: str
    avg_logprob: float
    start_s: float
    end_s: float
    words: Callable[[], tuple[TimedWord, ...]] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Empty:
    """The segment held no words, or they could not be read."""

    failed: bool = False


Outcome = Interim | Final | Empty


def interim(segment: Segment, language: str) -> Interim:
    """The words of a segment as far as they are known."""
    text = (segment.stable + segment.buffer.unstable).strip()
    stable = segment.stable.strip()
    return Interim(stable, text[len(stable) :], language)
