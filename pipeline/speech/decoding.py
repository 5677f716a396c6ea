"""What a decode is asked and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from pipeline.speech.language import LanguageChoice

SAMPLE_RATE = 16_000
FULL_WINDOW_S = 30.0

Samples = np.ndarray[Any, np.dtype[np.int16]]
# (characters of a text up to a word's end, that end in seconds of the audio), ascending.
WordEnds = tuple[tuple[int, float], ...]


class Verdict(Enum):
    """What the guard thinks of a decode."""

    ACCEPT = "accept"
    DOUBT = "doubt"  # may be right; worth another look before it becomes final
    REJECT = "reject"  # a loop, or too unlikely: not to be shown
    NO_SPEECH = "no_speech"  # the audio held no words


@dataclass(frozen=True)
class DecodeRequest:
    """One decode.

    Attributes:
        audio: int16 mono at 16 kHz, shape (samples,), at most 30 s.
        language: How to find the language.
        prompt: Text said before this audio, which the model continues.
        names: Names that may be said, the likeliest first; they are spelt for the model.
        padding_s: Silence after the audio, seconds; the window is at most Whisper's 30 s.
        word_times: Also align the text with the audio; costs about 50 ms.
        final: Its words may become final.
    """

    audio: Samples
    language: LanguageChoice
    prompt: str = ""
    names: tuple[str, ...] = ()
    padding_s: float = 5.0
    word_times: bool = False
    final: bool = False

    @property
    def seconds(self) -> float:
        """Length of the audio."""
        return len(self.audio) / SAMPLE_RATE

    @property
    def window_s(self) -> float:
        """Length of what the encoder sees, whole seconds.

        The encoder's library keeps some 4 MB for every length it has seen; there are thirty.
        """
        return min(FULL_WINDOW_S, float(math.ceil(self.seconds + self.padding_s)))


@dataclass(frozen=True)
class TimedWord:
    """A word, or a Chinese character, and when it was said, seconds."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Decoding:
    """What the model heard.

    Attributes:
        text: The words, leading space kept; empty for ``NO_SPEECH``.
        verdict: The guard's.
        language: What it was decoded in.
        language_probability: The model's, if it was asked.
        avg_logprob: Mean log-probability per token.
        no_speech: The model's probability that nobody spoke.
        looped: The same words again and again.
        times: Ends of words, if they were asked for.
        align: Finds the ends of words later; blocks, for the decoder's thread.
        words: Gives the words that belong to the segment with their times since the conversation's first sample;
            blocks like ``align``, which it calls.
        similar: Known names that the text sounds like, that it does not hold and was not told of, the nearest first.
        written: The names that it was told of and holds.
    """

    text: str
    verdict: Verdict
    language: str
    language_probability: float | None = None
    avg_logprob: float = 0.0
    no_speech: float = 0.0
    looped: bool = False
    times: WordEnds = ()
    similar: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    align: Callable[[], WordEnds] | None = field(default=None, compare=False, repr=False)
    words: Callable[[], tuple[TimedWord, ...]] | None = field(default=None, compare=False, repr=False)
