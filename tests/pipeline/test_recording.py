import wave

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import UserError
from pipeline.recording import ConversationRecording, wav_header
from tests.disk import full_beyond

RATE = 16_000


def read(path):
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, RATE)
        return np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16).reshape(-1, 2)


def test_user_is_bit_exact_and_agent_is_where_it_was_played(tmp_path):
    rng = np.random.default_rng(1)
    user = rng.integers(-30000, 30000, RATE * 7, dtype=np.int16)
    agent = rng.integers(-30000, 30000, RATE * 2, dtype=np.int16)
    recording = ConversationRecording(tmp_path / "c.wav", RATE)
    for start in range(0, len(user), 320):
        recording.user(user[start : start + 320])
        offset = start - 3 * RATE
        if 0 <= offset < len(agent):
            recording.agent(agent[offset : offset + 320], start / RATE)
    recording.close()
    samples = read(tmp_path / "c.wav")
    assert np.array_equal(samples[:, 0], user)
    assert np.array_equal(samples[3 * RATE : 5 * RATE, 1], agent)
    assert not samples[: 3 * RATE, 1].any()
    assert not samples[5 * RATE :, 1].any()


def test_the_file_is_valid_at_any_moment(tmp_path):
    recording = ConversationRecording(tmp_path / "c.wav", RATE)
    for _ in range(500):
        recording.user(np.ones(320, dtype=np.int16))
    assert len(read(tmp_path / "c.wav")) >= RATE * 6
    recording.close()
    assert len(read(tmp_path / "c.wav")) == 500 * 320
    recording.close()


def test_jitter_of_a_few_milliseconds_leaves_no_gap(tmp_path):
    recording = ConversationRecording(tmp_path / "c.wav", RATE)
    recording.user(np.zeros(RATE, dtype=np.int16))
    for block in range(10):
        recording.agent(np.full(320, 7, dtype=np.int16), 0.1 + block * 0.02 + 0.003 * (block % 2))
    recording.close()
    agent = read(tmp_path / "c.wav")[:, 1]
    first = int(np.flatnonzero(agent)[0])
    assert (agent[first : first + 3200] == 7).all()


def test_an_unwritable_place_is_named(tmp_path):
    with pytest.raises(UserError, match="nowhere"):
        ConversationRecording(tmp_path / "nowhere" / "c.wav", RATE)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 4000), st.booleans()), min_size=1, max_size=40))
def test_length_is_the_users_or_longer(tmp_path_factory, blocks):
    path = tmp_path_factory.mktemp("r") / "c.wav"
    recording = ConversationRecording(path, RATE)
    total = 0
    for size, speaks in blocks:
        if speaks:
            recording.agent(np.ones(size, dtype=np.int16), total / RATE)
        recording.user(np.zeros(size, dtype=np.int16))
        total += size
    recording.close()
    assert len(read(path)) == total


def test_a_full_disk_leaves_a_valid_file_with_all_that_fitted(tmp_path):
    path = tmp_path / "c.wav"
    recording = ConversationRecording(path, RATE)
    room = 44 + 3 * RATE * 4 + 4001
    with full_beyond(room), pytest.raises(UserError, match=r"c\.wav"):
        for _ in range(500):
            recording.user(np.full(320, 5, dtype=np.int16))
    recording.user(np.full(320, 5, dtype=np.int16))
    recording.close()
    samples = read(path)
    assert len(samples) == (room - 44) // 4
    assert (samples[:, 0] == 5).all()


def test_no_room_for_the_header_is_noticed_at_once(tmp_path):
    with full_beyond(10), pytest.raises(UserError, match=r"c\.wav: cannot write"):
        ConversationRecording(tmp_path / "c.wav", RATE)


def test_a_recording_beyond_four_gigabytes_keeps_a_header():
    header = wav_header(5_000_000_000, RATE)
    assert len(header) == 44
    assert header[40:] == b"\xff\xff\xff\xff"
