"""Smart Turn v3 on audio that the caller cut, so that its verdict depends on samples alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3

# Smart Turn looks at the last eight seconds at 16 kHz.
WINDOW_SECONDS = 8
SAMPLE_RATE = 16_000


class SmartTurn:
    """Judges whether a stretch of speech sounds complete.

    The stock analyser cuts its audio by the wall clock; this one is given the samples,
    so that replay in lock-step and in real time agree.
    """

    def __init__(self) -> None:
        self._model = _SampleTurnAnalyzer(sample_rate=SAMPLE_RATE)
        self._model.set_sample_rate(SAMPLE_RATE)
        self.executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="smart-turn")

    def complete_probability(self, audio: npt.NDArray[np.int16]) -> float:
        """Probability that the turn is complete. About 60 ms on one core; run it in ``executor``.

        Args:
            audio: int16 mono at 16 kHz, shape ``(n,)``; the last eight seconds are used.

        Returns:
            0 to 1.
        """
        samples = audio[-WINDOW_SECONDS * SAMPLE_RATE :].astype(np.float32) / 32768.0
        return self._model.probability(samples)


class _SampleTurnAnalyzer(LocalSmartTurnAnalyzerV3):
    def probability(self, samples: npt.NDArray[np.float32]) -> float:
        return float(self._predict_endpoint(samples)["probability"])
