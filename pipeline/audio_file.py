"""Reads any audio file as a stream of 16-bit mono blocks, through PyAV; never wholly in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.error import FFmpegError

from memory.errors import UserError


@dataclass(frozen=True)
class AudioInfo:
    """What a file says of itself.

    Attributes:
        seconds: Length as far as the container knows it; 0 if it does not.
        sample_rate: Hz, as stored.
        channels: As stored.
    """

    seconds: float
    sample_rate: int
    channels: int


def probe(path: Path) -> AudioInfo:
    """Check that a file can be read as audio.

    Args:
        path: WAV, FLAC, MP3, M4A, Ogg, or anything else FFmpeg reads.

    Returns:
        Its length and format.

    Raises:
        UserError: It is missing, unreadable, empty or holds no audio.
    """
    if not path.exists():
        raise UserError(f"{path}: no such file")
    if path.is_dir():
        raise UserError(f"{path}: is a folder, not an audio file")
    try:
        if path.stat().st_size == 0:
            raise UserError(f"{path}: the file is empty")
        with av.open(str(path), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise UserError(f"{path}: holds no audio")
            stream = container.streams.audio[0]
            seconds = 0.0
            if stream.duration is not None and stream.time_base is not None:
                seconds = float(stream.duration * stream.time_base)
            elif container.duration is not None:
                seconds = container.duration / 1_000_000
            return AudioInfo(seconds, stream.codec_context.sample_rate, stream.codec_context.channels)
    except FFmpegError as error:
        raise UserError(f"{path}: not an audio file that can be read ({error.strerror})") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read: {getattr(error, 'strerror', None) or error}") from None


def read_blocks(path: Path, sample_rate: int) -> Iterator[npt.NDArray[np.int16]]:
    """Decode a file block by block.

    Args:
        path: The file.
        sample_rate: Rate of the result, Hz.

    Yields:
        int16 mono blocks of any length, in order. A file that is cut off ends where it is readable.

    Raises:
        UserError: The file cannot be opened, or no block of it can be decoded.
    """
    probe(path)
    produced = False
    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=sample_rate)
            for frame in container.decode(audio=0):
                for block in resampler.resample(frame):
                    produced = True
                    yield block.to_ndarray().reshape(-1)
            for block in resampler.resample(None):
                yield block.to_ndarray().reshape(-1)
    except FFmpegError as error:
        if not produced:
            raise UserError(f"{path}: cannot decode ({error.strerror})") from None
    if not produced:
        raise UserError(f"{path}: holds no samples")
