"""Tells what of the agent's audio has really been played."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

# Quieter than this (about -46 dB of full scale) is silence between or before words.
SILENCE_LEVEL = 160


class PlaybackListener(Protocol):
    """Gets every block of the agent's audio when it starts to play."""

    def agent_audio(self, samples: npt.NDArray[np.int16], sample_rate: int, at: float) -> None:
        """Take a block.

        Args:
            samples: int16 mono.
            sample_rate: Hz.
            at: Time of the first sample on the conversation's clock, seconds.
        """


def first_loud_sample(samples: npt.NDArray[np.int16]) -> int | None:
    """Index of the first sample that is not silence, or None."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > SILENCE_LEVEL)
    return int(loud[0]) if len(loud) else None
