"""What a voice is: text in, audio with the time of every word out.

Voices are plain blocking objects; ``tts.VoiceTTSService`` runs them in a thread of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np


@dataclass(frozen=True)
class SpokenWord:
    """A word and where it lies in its chunk's audio.

    Attributes:
        text: The word as written, with its punctuation (see ``words.split_words``).
        start: First sample.
        end: One past the last sample; the next word starts here.
    """

    text: str
    start: int
    end: int


@dataclass
class SpokenChunk:
    """A stretch of speech, a sentence or a clause.

    Attributes:
        audio: int16 mono samples, shape (n,), at the voice's sample rate.
        words: Contiguous and in order: the first starts at 0, the last ends at n.
        exact: Whether the times come from the model; False when they are estimated.
    """

    audio: np.ndarray
    words: list[SpokenWord] = field(default_factory=list)
    exact: bool = False


class Voice(Protocol):
    """Somebody who can speak.

    Attributes:
        name: What the configuration calls the voice.
        language: ``en``, ``zh`` …
        sample_rate: Of the audio it makes, Hz.
        speed: 1.0 = as trained.
    """

    name: str
    language: str
    sample_rate: int
    speed: float

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Speak a text; blocking, run it in a thread.

        Args:
            text: Plain text (see ``spoken_text.spoken_text``).

        Yields:
            One chunk per sentence or clause. The words of all chunks are the words of the text, in order.
            Nothing if the text holds no word.
        """
        ...

    def at_speed(self, speed: float) -> Voice:
        """Return the same voice at another speed; the model is shared.

        Args:
            speed: 1.0 = as trained, 1.2 = a fifth faster.
        """
        ...

    def warm_up(self) -> None:
        """Do what makes the first synthesis slow; blocking."""
        ...


@runtime_checkable
class StyledVoice(Protocol):
    """A voice whose weights hold several speakers."""

    def with_style(self, style: str) -> Voice:
        """Return another speaker of the same weights."""
        ...


def timed_words(words: list[str], ends: list[int], length: int) -> list[SpokenWord]:
    """Join words with their end times to contiguous words that cover the audio.

    Args:
        words: The words of a chunk.
        ends: Where each ends, samples; forced to ascend and to stay inside the audio.
        length: Samples of the chunk.

    Returns:
        The first word starts at 0, the last ends at ``length``.
    """
    timed: list[SpokenWord] = []
    start = 0
    for position, (word, end) in enumerate(zip(words, ends, strict=True)):
        last = position == len(words) - 1
        end = length if last else min(max(end, start), length)
        timed.append(SpokenWord(word, start, end))
        start = end
    return timed


def sounding(audio: np.ndarray, threshold: int = 330) -> tuple[int, int]:
    """Find where the sound begins and ends.

    Args:
        audio: int16 mono samples.
        threshold: What counts as sound, on the int16 scale (330 is one hundredth of full scale).

    Returns:
        First and one past the last sample above the threshold; the whole stretch if there is none.
    """
    loud = np.flatnonzero(np.abs(audio.astype(np.int32)) > threshold)
    if loud.size == 0:
        return 0, len(audio)
    return int(loud[0]), int(loud[-1]) + 1


def without_pauses(ends: list[int], audio: np.ndarray, threshold: int = 330) -> list[int]:
    """Move the end of each word before the silence that follows its sound.

    Args:
        ends: Where each word ends, samples, ascending.
        audio: int16 mono samples.
        threshold: What counts as sound, on the int16 scale.

    Returns:
        The ends; the silence now belongs to the next word.
    """
    loud = np.flatnonzero(np.abs(audio.astype(np.int32)) > threshold)
    moved: list[int] = []
    start = 0
    for end in ends:
        before = int(np.searchsorted(loud, end))
        last_sound = int(loud[before - 1]) + 1 if before else 0
        moved.append(min(end, last_sound) if last_sound > start else end)
        start = moved[-1]
    return moved
