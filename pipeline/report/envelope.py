"""The shape of the sound: ``conversation.wav`` as two lanes of a bounded number of buckets.

The file is streamed in blocks, so three hours cost as much memory as three minutes. A writer that was killed
leaves sizes in the header that are too large, or zero; then the data runs to the end of the file.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

MAX_BUCKETS = 50_000
BUCKETS_PER_SECOND = 50
_BLOCK_FRAMES = 1 << 18
_HEIGHT = 100  # half of a lane's height in the units of the drawing
_QUIETEST_FULL_SCALE = 0.05  # below this peak a lane is drawn small, so that noise does not look like speech


class NotAWaveFile(Exception):
    """The file is no 16-bit stereo WAV; the message says what it is."""


class NoSound(NotAWaveFile):
    """The file is a WAV without a single sample."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Loudness of both channels over time.

    Attributes:
        seconds: Length of the recording.
        sample_rate: Hz.
        peak: Largest magnitude per bucket, shape (2, buckets), float32, 0 to 1; row 0 user, row 1 agent.
        rms: Root mean square per bucket, same shape and scale.
    """

    seconds: float
    sample_rate: int
    peak: NDArray[np.float32]
    rms: NDArray[np.float32]


def read_envelope(path: Path, max_buckets: int = MAX_BUCKETS) -> Envelope:
    """Read the envelope of a 16-bit stereo WAV file.

    Args:
        path: The recording.
        max_buckets: Upper bound of buckets per channel.

    Returns:
        The envelope.

    Raises:
        NotAWaveFile: Not RIFF/WAVE, not 16-bit PCM, not two channels; ``NoSound`` if it has no samples.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        sample_rate, frames = _seek_to_samples(file, path.stat().st_size)
        per_bucket = max(1, sample_rate // BUCKETS_PER_SECOND, -(-frames // max_buckets))
        buckets = -(-frames // per_bucket)
        peak = np.zeros((2, buckets), np.float32)
        rms = np.zeros((2, buckets), np.float32)
        block_buckets = max(1, _BLOCK_FRAMES // per_bucket)
        for first in range(0, buckets, block_buckets):
            count = min(block_buckets, buckets - first)
            raw = file.read(count * per_bucket * 4)
            samples = np.frombuffer(raw[: len(raw) // 4 * 4], "<i2").reshape(-1, 2)
            if missing := count * per_bucket - len(samples):
                samples = np.concatenate([samples, np.zeros((missing, 2), np.int16)])
            for channel in (0, 1):
                block = np.ascontiguousarray(samples[:, channel]).reshape(count, per_bucket)
                loudest = np.maximum(block.max(axis=1).astype(np.float32), -block.min(axis=1).astype(np.float32))
                power = np.einsum("ij,ij->i", block, block, dtype=np.float32) / per_bucket
                peak[channel, first : first + count] = loudest / 32768
                rms[channel, first : first + count] = np.sqrt(power) / 32768
    return Envelope(frames / sample_rate, sample_rate, peak, rms)


def lane_paths(envelope: Envelope, channel: int) -> tuple[str, str]:
    """SVG path data of one lane: the outline of the peaks, and of the RMS inside it.

    The drawing is ``buckets`` wide and runs from -100 to 100; each lane is scaled to its own loudest moment.

    Args:
        envelope: Both channels.
        channel: 0 user, 1 agent.

    Returns:
        Path data for the peaks and for the RMS.
    """
    full_scale = max(float(envelope.peak[channel].max(initial=0.0)), _QUIETEST_FULL_SCALE)
    return _mirrored(envelope.peak[channel] / full_scale), _mirrored(envelope.rms[channel] / full_scale)


def _mirrored(heights: NDArray[np.float32]) -> str:
    """A step outline above and below the middle line; equal steps are drawn as one, silence as a thin line."""
    levels = np.maximum(np.rint(heights * _HEIGHT).astype(int), 1)
    starts = np.flatnonzero(np.diff(levels, prepend=-1))
    widths = np.diff(np.append(starts, len(levels)))
    runs = list(zip(levels[starts].tolist(), widths.tolist(), strict=True))
    above = "".join(f"V{-level}h{width}" for level, width in runs)
    below = "".join(f"V{level}h-{width}" for level, width in reversed(runs))
    return f"M0 0{above}{below}Z"


def _seek_to_samples(file: BinaryIO, size: int) -> tuple[int, int]:
    """Move to the first sample; return the sample rate and the number of frames."""
    if size == 0:
        raise NotAWaveFile("it is empty")
    head = file.read(12)
    if len(head) < 12 or head[:4] not in {b"RIFF", b"RF64"} or head[8:] != b"WAVE":
        raise NotAWaveFile("it is not a WAV file")
    sample_rate = 0
    while len(header := file.read(8)) == 8:
        name, length = struct.unpack("<4sI", header)
        if name == b"data":
            if not sample_rate:
                raise NotAWaveFile("its format is missing")
            rest = size - file.tell()
            frames = (length if 0 < length <= rest else rest) // 4
            if frames == 0:
                raise NoSound("it holds no sound")
            return sample_rate, frames
        if name == b"fmt ":
            sample_rate = _sample_rate(file.read(min(length, 16)))
            length -= min(length, 16)
        file.seek(length + length % 2, 1)
    raise NoSound("it holds no sound")


def _sample_rate(chunk: bytes) -> int:
    if len(chunk) < 16:
        raise NotAWaveFile("its format is cut short")
    code, channels, rate, _, _, bits = struct.unpack("<HHIIHH", chunk[:16])
    if code not in {1, 0xFFFE} or channels != 2 or bits != 16 or rate == 0:
        raise NotAWaveFile(f"expected 16-bit stereo PCM, found {bits}-bit with {channels} channel(s), format {code}")
    return int(rate)
