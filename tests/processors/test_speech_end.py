import numpy as np
import pytest

from processors.speech_end import SpeechEnd


def test_finds_the_last_loud_block():
    rate = 16_000
    tone = (8000 * np.sin(2 * np.pi * 220 * np.arange(rate) / rate)).astype(np.int16)
    quiet = np.random.default_rng(0).normal(0, 20, rate).astype(np.int16)
    stream = np.concatenate([quiet, tone, quiet])
    end = SpeechEnd()
    end.speech_started()
    for start in range(0, len(stream), 320):
        block = stream[start : start + 320]
        end.feed(block.tobytes(), rate, (start + len(block)) / rate)
    assert end.last_loud == pytest.approx(2.0, abs=0.011)


def test_silence_is_never_loud():
    end = SpeechEnd()
    end.feed(bytes(3200), 16_000, 0.1)
    assert end.last_loud == 0.0
