import wave

import av
import numpy as np
import pytest

from memory.errors import UserError
from pipeline.audio_file import probe, read_blocks

SECONDS = 1.5


def tone(rate: int) -> np.ndarray:
    return (9000 * np.sin(2 * np.pi * 440 * np.arange(int(rate * SECONDS)) / rate)).astype(np.int16)


def write_wav(path, rate: int, channels: int) -> None:
    samples = np.repeat(tone(rate)[:, None], channels, axis=1)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


def encode(path, codec: str, rate: int) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(tone(rate).reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = rate
        resampler = av.AudioResampler(
            format=stream.codec_context.format, layout="mono", rate=rate, frame_size=stream.frame_size or None
        )
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))


def decoded(path) -> np.ndarray:
    return np.concatenate(list(read_blocks(path, 16_000)))


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_wav_of_any_rate_keeps_its_length_and_pitch(tmp_path, rate, channels):
    write_wav(tmp_path / "a.wav", rate, channels)
    samples = decoded(tmp_path / "a.wav")
    assert len(samples) == pytest.approx(SECONDS * 16_000, abs=64)
    spectrum = np.abs(np.fft.rfft(samples[4000:20000].astype(float)))
    assert np.argmax(spectrum) == pytest.approx(440, abs=2)


@pytest.mark.parametrize(
    ("name", "codec", "rate"),
    [
        ("a.flac", "flac", 44_100),
        ("a.mp3", "libmp3lame", 44_100),
        ("a.m4a", "aac", 48_000),
        ("a.ogg", "libopus", 48_000),
    ],
)
def test_compressed_files(tmp_path, name, codec, rate):
    encode(tmp_path / name, codec, rate)
    assert len(decoded(tmp_path / name)) == pytest.approx(SECONDS * 16_000, rel=0.1)


def test_sixteen_kilohertz_mono_comes_out_bit_for_bit(tmp_path):
    write_wav(tmp_path / "a.wav", 16_000, 1)
    assert np.array_equal(decoded(tmp_path / "a.wav"), tone(16_000))


def test_missing_empty_folder_and_text_are_named(tmp_path):
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "text.wav").write_text("this is not audio\n" * 50)
    for name, word in (("gone.wav", "no such file"), ("empty.wav", "empty"), ("text.wav", "not an audio file")):
        with pytest.raises(UserError, match=word) as error:
            probe(tmp_path / name)
        assert name in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(UserError, match="folder"):
        probe(tmp_path)


def test_a_truncated_file_plays_as_far_as_it_goes(tmp_path):
    write_wav(tmp_path / "a.wav", 16_000, 1)
    data = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "cut.wav").write_bytes(data[: len(data) // 2])
    assert 0 < len(decoded(tmp_path / "cut.wav")) < len(tone(16_000))


def test_a_header_without_samples_is_refused(tmp_path):
    with wave.open(str(tmp_path / "none.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
    with pytest.raises(UserError, match="none.wav"):
        decoded(tmp_path / "none.wav")


def test_decoding_is_lazy(tmp_path):
    write_wav(tmp_path / "a.wav", 48_000, 2)
    blocks = read_blocks(tmp_path / "a.wav", 16_000)
    assert len(next(blocks)) < 16_000
