"""What the tests of the speech parts share."""

import warnings

import numpy as np
import pytest
import soxr

# Pipecat's TTS module warns about classes of its own while it is imported; that is not a use of ours.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import pipecat.services.tts_service  # noqa: F401


@pytest.fixture(scope="session")
def read_back(weights):
    """``read_back(int16 audio, rate, language)``: what Whisper base understands, in Simplified characters."""
    from faster_whisper import WhisperModel
    from opencc import OpenCC

    model = WhisperModel(str(weights("whisper-base")), device="cpu", compute_type="int8", cpu_threads=2)
    simplified = OpenCC("t2s")

    def read(audio: np.ndarray, rate: int, language: str) -> str:
        samples = soxr.resample(audio.astype(np.float32) / 32768, rate, 16000)
        samples = np.concatenate([samples, np.zeros(16000, dtype=np.float32)])
        segments, _ = model.transcribe(samples, language=language, beam_size=1)
        return simplified.convert("".join(segment.text for segment in segments))

    return read
