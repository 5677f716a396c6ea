"""Files that are no audio, cut off, damaged, or oddly named."""

from __future__ import annotations

import io
import os
import wave
from pathlib import Path

import av
import numpy as np
import pytest

from memory.errors import UserError
from pipeline.audio_file import probe, read_blocks


def wave_bytes(samples: np.ndarray, rate: int = 16_000) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return buffer.getvalue()


def encoded(path: Path, codec: str, samples: np.ndarray, rate: int = 16_000) -> bytes:
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
        frame.sample_rate = rate
        resampler = av.AudioResampler(
            format=stream.codec_context.format, layout="mono", rate=rate, frame_size=stream.frame_size or None
        )
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return path.read_bytes()


def tone(seconds: float, rate: int = 16_000, hertz: float = 440.0) -> np.ndarray:
    return (8000 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)).astype(np.int16)


def heard(path: Path) -> tuple[np.ndarray, list[str]]:
    losses: list[str] = []
    blocks = list(read_blocks(path, 16_000, losses.append))
    return np.concatenate(blocks), losses


def unreadable() -> dict[str, bytes]:
    noise = np.random.default_rng(1).bytes(60_000)
    whole = wave_bytes(tone(1))
    unknown_codec = whole[:20] + b"\x34\x12" + whole[22:]
    many_channels = whole[:22] + b"\xc8\x00" + whole[24:]
    playlist = b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n"
    return {
        "noise.wav": noise,
        "noise.mp3": noise,
        "noise.m4a": noise,
        "text.mp3": b"no audio here " * 1000,
        "header.wav": whole[:44],
        "half_a_header.wav": whole[:20],
        "unknown_codec.wav": unknown_codec,
        "many_channels.wav": many_channels,
        "list.m3u8": playlist,
        "list.wav": b"ffconcat version 1.0\nfile whole.wav\n",
    }


@pytest.mark.parametrize("name", unreadable())
def test_what_is_no_audio_is_refused_before_anything_is_played(tmp_path, name):
    (tmp_path / "whole.wav").write_bytes(wave_bytes(tone(1)))
    (tmp_path / name).write_bytes(unreadable()[name])
    with pytest.raises(UserError, match=name):
        probe(tmp_path / name)


def test_devices_pipes_and_broken_links_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.wav")
    (tmp_path / "loop.wav").symlink_to("loop.wav")
    (tmp_path / "broken.wav").symlink_to("gone")
    for path in (tmp_path / "pipe.wav", tmp_path / "loop.wav", tmp_path / "broken.wav", Path("/dev/zero")):
        with pytest.raises(UserError, match=path.name):
            probe(path)


@pytest.mark.parametrize("name", ["file:a.wav", "https:a.wav", "%d.wav", "会议 🎤 [red].wav", "-a.wav", "a.mp3", "a"])
def test_a_name_means_nothing_but_the_file(tmp_path, name):
    (tmp_path / name).write_bytes(wave_bytes(tone(1)))
    samples, losses = heard(tmp_path / name)
    assert np.array_equal(samples, tone(1))
    assert losses == []


def test_one_sample_is_audio(tmp_path):
    (tmp_path / "a.wav").write_bytes(wave_bytes(np.array([7])))
    assert list(heard(tmp_path / "a.wav")[0]) == [7]


def test_a_recording_that_is_cut_off_is_played_as_far_as_it_goes_and_told(tmp_path):
    whole = wave_bytes(tone(4))
    (tmp_path / "a.wav").write_bytes(whole[: 44 + 2 * 32_000])
    samples, losses = heard(tmp_path / "a.wav")
    assert np.array_equal(samples, tone(4)[: 2 * 16_000])
    assert len(losses) == 1
    assert "a.wav: cut off" in losses[0]
    assert "2.0 s of 4.0 s" in losses[0]

    flac = encoded(tmp_path / "a.flac", "flac", tone(4))
    (tmp_path / "a.flac").write_bytes(flac[: len(flac) // 2])
    samples, losses = heard(tmp_path / "a.flac")
    assert 16_000 < len(samples) < 3 * 16_000
    assert len(losses) == 1


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\x00\x00\x00\x00"])
def test_a_wave_stream_whose_length_was_never_filled_in_is_whole(tmp_path, size):
    whole = wave_bytes(tone(2))
    (tmp_path / "a.wav").write_bytes(whole[:4] + size + whole[8:40] + size + whole[44:])
    samples, losses = heard(tmp_path / "a.wav")
    assert len(samples) == 2 * 16_000
    assert losses == []


def test_what_follows_a_damaged_piece_is_still_heard(tmp_path):
    noise = np.random.default_rng(1)
    whole = encoded(tmp_path / "a.m4a", "aac", (tone(12) * noise.uniform(0.1, 1, 12 * 16_000)).astype(np.int16))
    body = whole.index(b"mdat")
    at = body + len(whole[body:]) // 3
    (tmp_path / "a.m4a").write_bytes(whole[:at] + noise.bytes(len(whole) // 8) + whole[at + len(whole) // 8 :])
    samples, losses = heard(tmp_path / "a.m4a")
    assert len(samples) > 8 * 16_000
    assert np.abs(samples[-16_000:]).max() > 500
    assert len(losses) == 1
    assert "damaged" in losses[0]


def test_recordings_that_were_joined_may_change_their_rate(tmp_path):
    first = encoded(tmp_path / "1.mp3", "mp3", tone(1, 16_000), 16_000)
    second = encoded(tmp_path / "2.mp3", "mp3", tone(2, 44_100), 44_100)
    (tmp_path / "joined.mp3").write_bytes(first + second)
    samples, _ = heard(tmp_path / "joined.mp3")
    assert 2.7 * 16_000 < len(samples) < 3.4 * 16_000
    spectrum = np.abs(np.fft.rfft(samples[-16_000:].astype(float)))
    assert abs(int(spectrum.argmax()) - 440) <= 2
