"""The last seconds of the user's audio, addressed by sample number since the conversation began."""

from __future__ import annotations

import numpy as np

from pipeline.speech.decoding import Samples


class AudioTimeline:
    """Appends at the end, forgets at the beginning; positions are samples since the first one."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._first = 0

    @property
    def first(self) -> int:
        """Position of the oldest sample that is kept."""
        return self._first

    @property
    def end(self) -> int:
        """Position after the newest sample."""
        return self._first + len(self._data) // 2

    def append(self, samples: Samples) -> None:
        """Add int16 samples."""
        self._data += samples.tobytes()

    def forget(self, before: int) -> None:
        """Drop everything older than a position."""
        count = min(before, self.end) - self._first
        if count > 0:
            del self._data[: count * 2]
            self._first += count

    def read(self, start: int, end: int) -> Samples:
        """Copy the samples from ``start`` up to ``end``, as far as they are kept."""
        low, high = max(start, self._first) - self._first, max(min(end, self.end), self._first) - self._first
        return np.frombuffer(bytes(self._data[low * 2 : high * 2]), dtype=np.int16)
