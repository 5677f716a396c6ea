"""The user's audio at the recogniser's rate, whatever rate it comes in and however often that changes."""

from __future__ import annotations

import numpy as np
import soxr

from pipeline.speech.decoding import SAMPLE_RATE, Samples


class MonoResampler:
    """Streams 16-bit audio to 16 kHz mono; a new rate starts a new stream."""

    def __init__(self) -> None:
        self._rate = SAMPLE_RATE
        self._stream: soxr.ResampleStream | None = None

    def feed(self, audio: bytes, sample_rate: int, channels: int) -> Samples:
        """Resample a block.

        Args:
            audio: int16, interleaved; an odd byte at the end is dropped.
            sample_rate: Hz.
            channels: Mixed down by their mean.

        Returns:
            int16 mono at 16 kHz; up to 26 ms of it may come with the next block.
        """
        if not audio:
            return np.zeros(0, dtype=np.int16)
        frames = len(audio) // (2 * channels)
        samples = np.frombuffer(audio[: frames * 2 * channels], dtype=np.int16)
        if channels > 1:
            samples = samples.reshape(frames, channels).mean(axis=1).astype(np.int16)
        rest = self._change(sample_rate) if sample_rate != self._rate else None
        if self._stream is not None:
            samples = self._stream.resample_chunk(samples)
        return samples if rest is None else np.concatenate([rest, samples])

    def _change(self, sample_rate: int) -> Samples:
        """Begin a stream at another rate and return what the old one still held."""
        empty = np.zeros(0, dtype=np.int16)
        rest = empty if self._stream is None else self._stream.resample_chunk(empty, last=True)
        self._rate = sample_rate
        self._stream = None
        if sample_rate != SAMPLE_RATE:
            self._stream = soxr.ResampleStream(sample_rate, SAMPLE_RATE, 1, dtype="int16", quality="MQ")
        return rest
