"""``conversation.wav``: left channel user, right channel agent, on one clock."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory.errors import UserError

# The user's channel is the clock; the agent's may come this much later and still be placed.
SLACK_SECONDS = 2.0


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
        try:
            self._raw = path.open("wb")
        except OSError as error:
            raise UserError(f"{path}: cannot write: {error.strerror}") from None
        self._file: wave.Wave_write | None = wave.open(self._raw, "wb")  # noqa: SIM115
        self._file.setnchannels(2)
        self._file.setsampwidth(2)
        self._file.setframerate(sample_rate)

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
        """Write what is left and close the file; safe to call twice."""
        if self._file is None:
            return
        try:
            self._flush(self._base + len(self._pending))
            self._file.close()
            self._raw.close()
        except OSError as error:
            raise UserError(f"{self._path}: cannot write: {error.strerror}") from None
        finally:
            self._file = None

    def _put(self, channel: int, start: int, samples: npt.NDArray[np.int16]) -> None:
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
            self._file.writeframes(self._pending[:last].tobytes())
        except OSError as error:
            raise UserError(f"{self._path}: cannot write: {error.strerror}") from None
        self._pending = self._pending[last:].copy()
        self._base += last
