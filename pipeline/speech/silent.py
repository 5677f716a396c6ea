"""A voice that makes silence of the right length: for replays that need the words' times but no sound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pipeline.speech.voice import SpokenChunk, timed_words
from pipeline.speech.words import is_han, split_words


class SilentVoice:
    """Says every text in silence, at a fixed number of characters a second.

    Every character counts, spaces and punctuation too, so that after ``t`` seconds the first
    ``t * characters_per_second`` characters have been said.
    """

    def __init__(
        self,
        *,
        language: str = "en",
        latin_per_second: float = 15.0,
        han_per_second: float = 5.0,
        sample_rate: int = 24000,
        speed: float = 1.0,
    ) -> None:
        """Set the pace.

        Args:
            language: What the voice claims to speak.
            latin_per_second: Characters a second in a text without Han characters.
            han_per_second: Characters a second in a text with Han characters.
            sample_rate: Of the silence, Hz.
            speed: Multiplies both paces.
        """
        self.name = "silent"
        self.language = language
        self.sample_rate = sample_rate
        self.speed = speed
        self._latin_per_second = latin_per_second
        self._han_per_second = han_per_second

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Yield one silent chunk; see ``Voice.synthesize``."""
        words = split_words(text)
        if not words:
            return
        pace = self._han_per_second if any(map(is_han, text)) else self._latin_per_second
        samples = self.sample_rate / (pace * self.speed)
        length = round(len(text) * samples)
        ends = [round(word.end * samples) for word in words]
        timed = timed_words([word.text for word in words], ends, length)
        yield SpokenChunk(np.zeros(length, dtype=np.int16), timed, exact=True)

    def at_speed(self, speed: float) -> SilentVoice:
        """Return the same silence at another speed."""
        return SilentVoice(
            language=self.language,
            latin_per_second=self._latin_per_second,
            han_per_second=self._han_per_second,
            sample_rate=self.sample_rate,
            speed=speed,
        )

    def warm_up(self) -> None:
        """Do nothing: silence is always ready."""
