"""A second speaker from one voice: the user of a demo must not sound like the agent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import soxr

from pipeline.speech.voice import SpokenChunk, SpokenWord, Voice


def shift_pitch(audio: np.ndarray, ratio: float, rate: int) -> np.ndarray:
    """Play audio faster, so that it sounds higher; slower and deeper below 1.

    Args:
        audio: int16 mono samples, shape (n,).
        ratio: Frequency ratio; 1.12 is about two semitones up.
        rate: Sample rate, Hz.

    Returns:
        int16 samples at the same rate, about n / ratio of them.
    """
    if len(audio) == 0 or ratio == 1.0:
        return audio
    return soxr.resample(audio, rate * ratio, rate)


class UserVoice:
    """Another voice at another pitch and the same pace; a ``Voice`` itself."""

    def __init__(self, voice: Voice, pitch: float = 1.12) -> None:
        """Wrap a voice.

        Args:
            voice: Who speaks; the model is shared.
            pitch: Frequency ratio; above 1 is higher.
        """
        self.name = f"{voice.name}*{pitch:g}"
        self.language = voice.language
        self.sample_rate = voice.sample_rate
        self.speed = voice.speed
        self._original = voice
        self._slowed = voice.at_speed(voice.speed / pitch)
        self._pitch = pitch

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Speak at the other pitch; see ``Voice.synthesize``."""
        for chunk in self._slowed.synthesize(text):
            audio = shift_pitch(chunk.audio, self._pitch, self.sample_rate)
            yield SpokenChunk(audio, scaled_words(chunk.words, len(chunk.audio), len(audio)), chunk.exact)

    def at_speed(self, speed: float) -> UserVoice:
        """Return the same speaker at another speed."""
        return UserVoice(self._original.at_speed(speed), self._pitch)

    def warm_up(self) -> None:
        """Warm the voice up that speaks."""
        self._slowed.warm_up()


def scaled_words(words: list[SpokenWord], before: int, after: int) -> list[SpokenWord]:
    """Move words to where they lie once their audio has been resampled.

    Args:
        words: The words of a chunk.
        before: The chunk's samples before resampling.
        after: The chunk's samples after it.

    Returns:
        The same words with scaled times.
    """
    if before == after:
        return words
    factor = after / max(before, 1)
    return [SpokenWord(w.text, round(w.start * factor), round(w.end * factor)) for w in words]
