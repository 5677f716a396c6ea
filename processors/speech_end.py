"""Where the user's speech really ended: the last block that was loud for this stretch of speech."""

from __future__ import annotations

import numpy as np

# A block counts as speech above this share of the loudest block so far, and above this absolute level.
RELATIVE_LEVEL = 0.06
ABSOLUTE_LEVEL = 0.002
BLOCK_SECONDS = 0.01


class SpeechEnd:
    """Follows the input's level; pure, in stream time."""

    def __init__(self) -> None:
        self._peak = 0.0
        self.last_loud = 0.0

    def speech_started(self) -> None:
        """A new stretch of speech: its own loudness counts."""
        self._peak = 0.0

    def feed(self, audio: bytes, sample_rate: int, end: float) -> None:
        """Take in audio.

        Args:
            audio: 16-bit mono.
            sample_rate: Hz.
            end: Time of its last sample, seconds.
        """
        samples = np.frombuffer(audio, dtype=np.int16).astype(np.float32) / 32768.0
        size = max(1, int(sample_rate * BLOCK_SECONDS))
        for start in range(0, len(samples), size):
            block = samples[start : start + size]
            level = float(np.sqrt(np.mean(block * block)))
            self._peak = max(self._peak * 0.9999, level)
            if level > ABSOLUTE_LEVEL and level > self._peak * RELATIVE_LEVEL:
                self.last_loud = end - (len(samples) - start - len(block)) / sample_rate
