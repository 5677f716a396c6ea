"""``conversation.wav``: left channel user, right channel agent, on one clock."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.errors import UserError

# The user's channel is the clock; the agent's may come this much later and still be placed.
SLACK_SECONDS = 2.0

_CHANNELS = 2
_FRAME_BYTES = _CHANNELS * 2
_HEADER_BYTES = 44
_MAX_SIZE = 0xFFFFFFFF


class ConversationRecording:
    """Writes both channels while the conversation runs. The file is valid after every write.

    The user's samples come without a gap from time 0 and are kept bit for bit; the agent's are
    placed where they were played.
    """

    def __init__(self, path: Path, sample_rate: int) -> None:
        """Create the file.

        Args:
            path: Where to write; an older file is replaced.
            sample_rate: Hz, of both channels.

        Raises:
            UserError: The file cannot be written.
        """
        self.sample_rate = sample_rate
        self._path = path
        self._slack = int(SLACK_SECONDS * sample_rate)
        self._base = 0
        self._user_end = 0
        self._agent_end = 0
        self._pending = np.zeros((0, 2), dtype=np.int16)
        self._written = 0
        try:
            # Unbuffered: what was not written is known, and nothing is written behind our back.
            self._file: FileIO | None = path.open("wb", buffering=0)
            self._write(b"")
        except OSError as error:
            raise UserError(f"{path}: cannot write: {error.strerror}") from None

    @property
    def seconds(self) -> float:
        """Length of the user's channel so far."""
        return self._user_end / self.sample_rate

    def user(self, samples: npt.NDArray[np.int16]) -> None:
        """Append what the user's side sent.

        Args:
            samples: int16 mono.
        """
        self._put(0, self._user_end, samples)
        self._user_end += len(samples)
        self._flush(self._user_end - self._slack)

    def agent(self, samples: npt.NDArray[np.int16], at: float) -> None:
        """Place what the agent played.

        Args:
            samples: int16 mono.
            at: Time of the first sample, seconds. Blocks that follow each other within 5 ms are
                joined without a gap.
        """
        start = round(at * self.sample_rate)
        if abs(start - self._agent_end) <= self.sample_rate // 200:
            start = self._agent_end
        skipped = max(0, self._base - start)
        self._put(1, start + skipped, samples[skipped:])
        self._agent_end = start + len(samples)

    def close(self) -> None:
        """Write what is left and close the file; safe to call twice.

        Raises:
            UserError: The disk is full; what was written before is a valid file.
        """
        if self._file is None:
            return
        try:
            self._flush(self._base + len(self._pending))
        finally:
            if self._file is not None:
                self._file.close()
            self._file = None

    def _put(self, channel: int, start: int, samples: npt.NDArray[np.int16]) -> None:
        if self._file is None:
            return
        offset = start - self._base
        missing = offset + len(samples) - len(self._pending)
        if missing > 0:
            grown = np.zeros((len(self._pending) + max(missing, self.sample_rate), 2), dtype=np.int16)
            grown[: len(self._pending)] = self._pending
            self._pending = grown
        self._pending[offset : offset + len(samples), channel] = samples

    def _flush(self, until: int) -> None:
        """Write all samples before ``until``; in steps of a second, since each write mends the header."""
        last = min(until, max(self._user_end, self._agent_end)) - self._base
        closing = until >= self._base + len(self._pending)
        if self._file is None or last <= 0 or (last < self.sample_rate and not closing):
            return
        try:
            self._write(self._pending[:last].tobytes())
        except OSError as error:
            self._file.close()
            self._file = None
            raise UserError(f"{self._path}: cannot write: {error.strerror}") from None
        self._pending = self._pending[last:].copy()
        self._base += last

    def _write(self, data: bytes) -> None:
        """Append samples as far as there is room, and let the header tell the truth."""
        assert self._file is not None
        self._file.seek(_HEADER_BYTES + self._written)
        try:
            for count in _write_all(self._file, data):
                self._written += count
        finally:
            self._written -= self._written % _FRAME_BYTES
            self._file.seek(0)
            list(_write_all(self._file, wav_header(self._written, self.sample_rate)))


def _write_all(file: FileIO, data: bytes) -> Iterator[int]:
    """Write piece by piece; yields how many bytes went out each time."""
    rest = memoryview(data)
    while rest:
        count = file.write(rest)
        rest = rest[count:]
        yield count


def wav_header(data_bytes: int, sample_rate: int) -> bytes:
    """The RIFF header of 16-bit stereo PCM; a size beyond 4 GB is given as "to the end of the file"."""
    form = struct.pack("<HHIIHH", 1, _CHANNELS, sample_rate, sample_rate * _FRAME_BYTES, _FRAME_BYTES, 16)
    riff_bytes = min(_MAX_SIZE, data_bytes + _HEADER_BYTES - 8)
    return struct.pack(
        "<4sI4s4sI16s4sI", b"RIFF", riff_bytes, b"WAVE", b"fmt ", 16, form, b"data", min(_MAX_SIZE, data_bytes)
    )
