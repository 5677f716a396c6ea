from __future__ import annotations

import numpy as np
import pytest

from pipeline.speech.resampling import MonoResampler


def tone(rate: int, seconds: float, hertz: float = 440.0) -> np.ndarray:
    return (8000 * np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)).astype(np.int16)


def feed(resampler: MonoResampler, samples: np.ndarray, rate: int, channels: int = 1) -> np.ndarray:
    size = rate // 50 * channels
    blocks = [resampler.feed(samples[i : i + size].tobytes(), rate, channels) for i in range(0, len(samples), size)]
    return np.concatenate(blocks)


def pitch(samples: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(samples.astype(float) * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * 16000 / len(samples))


def test_16_khz_mono_passes_untouched() -> None:
    samples = tone(16000, 0.1)
    assert feed(MonoResampler(), samples, 16000).tolist() == samples.tolist()


@pytest.mark.parametrize("rate", [8000, 24000, 44100, 48000])
def test_any_rate_keeps_pitch_and_length(rate: int) -> None:
    out = feed(MonoResampler(), tone(rate, 1.0), rate)
    assert pitch(out) == pytest.approx(440, abs=3)
    assert 0 <= 16000 - len(out) < 640


def test_a_rate_that_changes_in_mid_stream_loses_nothing() -> None:
    resampler = MonoResampler()
    parts = [feed(resampler, tone(rate, 1.0), rate) for rate in (8000, 48000, 16000)]
    assert pitch(parts[1]) == pytest.approx(440, abs=3)
    assert abs(sum(len(part) for part in parts) - 48000) < 10


def test_stereo_is_mixed_and_a_broken_frame_dropped() -> None:
    stereo = np.column_stack([np.full(100, 1000), np.full(100, 3000)]).astype(np.int16)
    out = MonoResampler().feed(stereo.tobytes() + b"\x01", 16000, 2)
    assert out.tolist() == [2000] * 100
