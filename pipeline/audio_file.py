"""Reads any audio file as a stream of 16-bit mono blocks, through PyAV; never wholly in memory."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError

from memory.errors import UserError

Samples = npt.NDArray[np.int16]

# A file is no audio if most of its first pieces cannot be decoded.
_FIRST_PACKETS = 32
# Less than this may be missing without a word: encoders and cut MP3 files are not exact.
_TOLERATED_LOSS_S = 0.5
# Containers that say to the sample how long they are; the others estimate.
_EXACT = {"wav", "flac", "mov,mp4,m4a,3gp,3g2,mj2"}
# What FFmpeg may take a file for: containers of sound, no playlists, which would lead to other files or the network.
_FORMATS = "aac,ac3,aiff,amr,ape,asf,au,avi,caf,eac3,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,tta,voc,w64,wav,webm,wv"
# Sizes that programs write into the header of a WAV stream whose end they do not know yet.
_UNKNOWN_RIFF_SIZES = {0, 0x7FFFFFFF, 0xFFFFFFFF}


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
    """Check that a file can be read as audio, by decoding its beginning.

    Args:
        path: WAV, FLAC, MP3, M4A, Ogg, or another container of sound that FFmpeg reads.

    Returns:
        Its length and format.

    Raises:
        UserError: It is missing, unreadable, empty or holds no audio.
    """
    with _opened(path) as (container, stream):
        whole = damaged = 0
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except FFmpegError:
                damaged += 1
            else:
                if frames and not whole:
                    _resampler(stream.codec_context.sample_rate).resample(frames[0])
                whole += bool(frames)
            if whole + damaged >= _FIRST_PACKETS:
                break
        if damaged > whole:
            raise UserError(f"{path}: not an audio file that can be read (what it holds cannot be decoded)")
        if not whole:
            raise UserError(f"{path}: holds no samples")
        codec = stream.codec_context
        return AudioInfo(_announced_seconds(container, stream), codec.sample_rate, codec.channels)


def read_blocks(
    path: Path, sample_rate: int, on_loss: Callable[[str], None] = lambda message: None
) -> Iterator[Samples]:
    """Decode a file block by block.

    Pieces that are damaged are left out; a file that is cut off ends where it is readable.

    Args:
        path: The file.
        sample_rate: Rate of the result, Hz.
        on_loss: Called at the end with one line if a noticeable part of the file is missing.

    Yields:
        int16 mono blocks of any length, in order.

    Raises:
        UserError: The file cannot be opened, or holds no audio.
    """
    with _opened(path) as (container, stream):
        decoder = _Decoder(stream, sample_rate)
        length = 0
        for block in decoder.blocks(container):
            length += len(block)
            yield block
        if not length:
            raise UserError(f"{path}: holds no samples")
        seconds = length / sample_rate
        promised = _promised_seconds(path, container, stream)
        if promised - seconds > _TOLERATED_LOSS_S:
            on_loss(f"{path}: cut off or damaged: {seconds:.1f} s of {promised:.1f} s could be read and were played")
        elif decoder.lost_seconds > _TOLERATED_LOSS_S:
            on_loss(f"{path}: damaged: {decoder.lost_seconds:.1f} s could not be read and were left out")


class _Decoder:
    """Decodes and resamples one stream, whatever happens in the middle of it."""

    def __init__(self, stream: AudioStream, sample_rate: int) -> None:
        self._stream = stream
        self._sample_rate = sample_rate
        self._resampler: av.AudioResampler | None = None
        self._format: tuple[str, str, int] | None = None
        self.lost_seconds = 0.0

    def blocks(self, container: InputContainer) -> Iterator[Samples]:
        for frame in self._frames(container):
            # Joined recordings may change their rate or channels on the way.
            form = (frame.format.name, frame.layout.name, frame.sample_rate)
            if form != self._format:
                yield from self._resample(None)
                self._resampler = _resampler(self._sample_rate)
                self._format = form
            yield from self._resample(frame)
        yield from self._resample(None)

    def _frames(self, container: InputContainer) -> Iterator[AudioFrame]:
        packets = container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, FFmpegError):
                return
            try:
                frames = packet.decode()
            except FFmpegError:
                if packet.duration is not None and packet.time_base is not None:
                    self.lost_seconds += float(packet.duration * packet.time_base)
                continue
            for frame in frames:
                assert isinstance(frame, AudioFrame)
                # Times are counted in samples here; a jump in the file's own must not open a gap.
                frame.pts = None
                yield frame

    def _resample(self, frame: AudioFrame | None) -> Iterator[Samples]:
        if self._resampler is None:
            return
        for block in self._resampler.resample(frame):
            yield block.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def _resampler(sample_rate: int) -> av.AudioResampler:
    return av.AudioResampler(format="s16", layout="mono", rate=sample_rate)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[InputContainer, AudioStream]]:
    """Open a file's first audio stream; every fault becomes one line."""
    _check_file(path)
    try:
        # "file:" keeps a colon in a name from being read as a protocol.
        with av.open(f"file:{path}", metadata_errors="ignore", options={"format_whitelist": _FORMATS}) as container:
            if not container.streams.audio:
                raise UserError(f"{path}: holds no audio")
            stream = container.streams.audio[0]
            if getattr(stream, "codec_context", None) is None:
                raise UserError(f"{path}: not an audio file that can be read (unknown codec)")
            yield container, stream
    except FFmpegError as error:
        # "Invalid argument" is what FFmpeg says of a kind that it may not open.
        reason = "no kind of audio" if error.errno == errno.EINVAL else error.strerror
        raise UserError(f"{path}: not an audio file that can be read ({reason})") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read: {getattr(error, 'strerror', None) or error}") from None


def _check_file(path: Path) -> None:
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"{path}: is a folder, not an audio file")
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: is a device or a pipe, not an audio file")
    if status.st_size == 0:
        raise UserError(f"{path}: the file is empty")


def _announced_seconds(container: InputContainer, stream: AudioStream) -> float:
    """Length as the container gives it; for some formats an estimate."""
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return container.duration / 1_000_000 if container.duration is not None else 0.0


def _promised_seconds(path: Path, container: InputContainer, stream: AudioStream) -> float:
    """How long the file must be if it is whole; 0 where that cannot be told."""
    if container.format.name not in _EXACT:
        return 0.0
    announced = _announced_seconds(container, stream)
    if container.duration is not None:
        announced = min(announced, container.duration / 1_000_000)
    # FFmpeg takes the length of a WAV file that was cut off from the bytes that are there.
    return announced / _share_of_wave(path) if container.format.name == "wav" else announced


def _share_of_wave(path: Path) -> float:
    """Which part of the bytes that a RIFF header promises are there: 0 to 1."""
    with path.open("rb") as file:
        header = file.read(8)
    promised = int.from_bytes(header[4:8], "little")
    if header[:4] != b"RIFF" or promised in _UNKNOWN_RIFF_SIZES:
        return 1.0
    return min(1.0, path.stat().st_size / (promised + 8))
