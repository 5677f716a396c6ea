from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipecat.frames.frames import Frame, InputAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection

from pipeline import virtual_time
from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.input_format import LONGEST_BLOCK, AudioFormatter, InputFormat
from pipeline.speech.playback import play_frames


def tone(rate: int, seconds: float) -> Samples:
    return (8000 * np.sin(2 * np.pi * 440 * np.arange(int(rate * seconds)) / rate)).astype(np.int16)


def formatted(*frames: InputAudioRawFrame) -> list[Frame]:
    out: list[Frame] = []

    class Noting(InputFormat):
        async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
            if isinstance(frame, InputAudioRawFrame):
                out.append(frame)
            await super().push_frame(frame, direction)

    virtual_time.run(play_frames(frames, [Noting()]), virtual=True)
    return out


def test_the_right_format_passes_as_it_is() -> None:
    frame = InputAudioRawFrame(tone(16_000, 0.02).tobytes(), 16_000, 1)
    assert formatted(frame)[0] is frame


def test_a_burst_becomes_blocks_and_loses_nothing() -> None:
    burst = tone(16_000, 10)
    frames = formatted(InputAudioRawFrame(burst.tobytes(), 16_000, 1))
    assert b"".join(frame.audio for frame in frames) == burst.tobytes()
    assert max(frame.num_frames for frame in frames) == SAMPLE_RATE // 50
    assert len({frame.id for frame in frames}) == len(frames)


def test_formats_may_change_in_mid_stream() -> None:
    frames = []
    for rate, channels in ((48_000, 2), (8_000, 1), (16_000, 1), (44_100, 6)):
        for start in range(0, rate, rate // 50):
            block = np.repeat(tone(rate, 1)[start : start + rate // 50], channels)
            frames.append(InputAudioRawFrame(block.tobytes(), rate, channels))
    out = formatted(*frames)
    assert {(frame.sample_rate, frame.num_channels) for frame in out} == {(16_000, 1)}
    samples = np.concatenate([np.frombuffer(frame.audio, np.int16) for frame in out])
    assert len(samples) == pytest.approx(4 * SAMPLE_RATE, abs=800)
    for second in range(4):
        part = samples[second * SAMPLE_RATE + 2000 : (second + 1) * SAMPLE_RATE - 2000].astype(float)
        spectrum = np.abs(np.fft.rfft(part * np.hanning(len(part))))
        assert np.argmax(spectrum) * SAMPLE_RATE / len(part) == pytest.approx(440, abs=3)


def test_what_is_no_format_is_left_out_and_what_follows_is_heard() -> None:
    good = InputAudioRawFrame(tone(16_000, 0.02).tobytes(), 16_000, 1)
    bad = [InputAudioRawFrame(good.audio, 16_000, 1) for _ in range(4)]
    bad[0].sample_rate, bad[1].sample_rate, bad[2].num_channels, bad[3].audio = 1, 10**9, 99, b"\x01"
    formatter = AudioFormatter()
    for frame in bad[:3]:
        with pytest.raises(ValueError, match="audio of"):
            list(formatter.feed(frame.audio, frame.sample_rate, frame.num_channels))
    assert list(formatter.feed(bad[3].audio, 16_000, 1)) == []
    assert formatted(InputAudioRawFrame(b"", 16_000, 1), good) == [good]


def test_a_constant_offset_is_taken_off_and_clipping_stays_clipped() -> None:
    formatter = AudioFormatter()
    speech = np.concatenate([np.zeros(16_000), 20_000 * np.sin(np.arange(32_000) * 0.2), np.zeros(16_000)])
    lifted = np.clip(speech + 12_000, -32_768, 32_767).astype(np.int16)
    out = np.concatenate(
        [b for at in range(0, len(lifted), 320) for b in formatter.feed(lifted[at : at + 320].tobytes(), 16_000, 1)]
    )
    assert np.abs(out[:16_000]).max() < 200
    assert np.abs(out[-8_000:]).max() < 1_500
    assert np.abs(out[20_000:40_000]).max() > 15_000


@given(
    st.lists(
        st.tuples(
            st.binary(max_size=400),
            st.sampled_from([0, 1, 4_000, 8_000, 16_000, 22_050, 48_000, 10**8]),
            st.integers(-1, 40),
        ),
        max_size=20,
    )
)
def test_any_bytes_are_short_blocks_or_refused(blocks: list[tuple[bytes, int, int]]) -> None:
    formatter = AudioFormatter()
    for audio, rate, channels in blocks:
        try:
            out = list(formatter.feed(audio, rate, channels))
        except ValueError:
            continue
        assert all(block.dtype == np.int16 and 0 < len(block) <= LONGEST_BLOCK for block in out)
