"""The parts of the report: heard words, state changes, stages, the envelope of the sound."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.envelope import NotAWaveFile, lane_paths, read_envelope
from pipeline.report.heard import split_heard
from pipeline.report.session_file import read_session
from pipeline.report.stages import stages_of
from pipeline.report.state_diff import Change, diff_states
from tests.pipeline.report_pages import SESSION, json_values, records, write_session, write_wav


@pytest.mark.parametrize(
    ("reply", "heard", "expected"),
    [
        ("One two three.", "One two", ("One two", " three.")),
        ("One two three.", "One two three.", ("One two three.", "")),
        ("One two three.", "", ("", "One two three.")),
        ("Well, I'm here – now.", "Well Im  here", ("Well, I'm here", " – now.")),
        ("花园会议室，下午两点。", "花园会议室", ("花园会议室，", "下午两点。")),
        ("Straße 7 is near", "STRASSE 7", ("Straße 7", " is near")),
        ("One two three.", "Two three", None),
        ("One", "One two", None),
        ("Windows and doors", "Window", None),
    ],
)
def test_split_heard(reply: str, heard: str, expected: tuple[str, str] | None) -> None:
    assert split_heard(reply, heard) == expected


@given(words=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=8), data=st.data())
def test_split_heard_loses_nothing(words: list[str], data: st.DataObject) -> None:
    heard = " ".join(words[: data.draw(st.integers(0, len(words)))])
    parts = split_heard(" ".join(words), heard)
    assert parts is not None
    assert "".join(parts) == " ".join(words)


def test_diff_names_each_kind_of_change() -> None:
    before = {"task": "a", "facts": {"old": 1, "same": 2}, "pending": ["x"], "subject": {"type": "room"}, "tasks": []}
    after = {"task": "b", "facts": {"same": 2, "new_key": ["p", "q"]}, "steps": ["y"], "tasks": [{"task": "b"}]}
    assert diff_states(before, after) == [
        Change("changed", "Task", "a", "b"),
        Change("added", "Fact: new key", "", "p, q"),
        Change("removed", "Fact: old", "1", ""),
        Change("removed", "Still to do", "x", ""),
        Change("added", "Step done", "", "y"),
        Change("removed", "“It” means", "room", ""),
        Change("added", "Tasks", "", "b"),
    ]


@given(state=st.dictionaries(st.sampled_from(sorted(records()[1]["inner_state_after"])), json_values))
def test_a_state_does_not_differ_from_itself(state: dict[str, Any]) -> None:
    assert diff_states(json.loads(json.dumps(state)), json.loads(json.dumps(state))) == [] or has_nan(state)


def has_nan(state: dict[str, Any]) -> bool:
    return "NaN" in json.dumps(state)


def test_stages_follow_the_timeline() -> None:
    turn = read_session(SESSION).turns[1]
    at = {event["kind"]: event["t"] for event in records()[1]["timeline"]}
    stages = {stage.key: (round(stage.start_ms), round(stage.ms)) for stage in stages_of(turn)}
    first_word = next(event["t"] for event in records()[1]["timeline"] if event["kind"] == "user_speech_start")
    tail = max(e["t"] for e in records()[1]["timeline"] if e["kind"] == "speech_tail")
    assert stages["listening"][1] == round((tail - first_word) * 1000)
    assert stages["tail"] == (108, 160)
    assert stages["anticipation"] == (268, round((at["turn_end"] - at["vad_stop"]) * 1000))
    assert stages["searching"] == (round((at["recall"] - at["speech_tail"]) * 1000 + 108 - 23.4), 23)
    assert stages["model"] == (332, 188)
    assert stages["voice"] == (520, 110)
    assert stages["total"] == (0, 650)


def test_stages_are_those_of_the_reply_that_was_spoken(tmp_path: Path) -> None:
    """The user goes on before the first reply was audible: it is dropped, and the turn ends a second time."""
    turn = records()[0]
    kinds = ("user_speech_start", "speech_tail", "vad_stop", "turn_end", "llm_request", "llm_first_token")
    dropped = [{"t": 0.1 + index / 100, "kind": kind} for index, kind in enumerate(kinds)]
    turn["timeline"] = dropped + turn["timeline"]
    (read,) = read_session(write_session(tmp_path, [turn])).turns
    stages = {stage.key: round(stage.ms) for stage in stages_of(read)}
    assert (stages["tail"], stages["anticipation"], stages["model"], stages["voice"]) == (160, 62, 188, 110)


def tone(seconds: float, rate: int, begin: float, end: float, channel: int) -> np.ndarray:
    samples = np.zeros((int(seconds * rate), 2), np.float32)
    samples[int(begin * rate) : int(end * rate), channel] = 0.5
    return samples


def test_envelope_is_loud_where_the_sound_is(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", tone(3, 8000, 1, 2, channel=1))
    envelope = read_envelope(path)
    assert envelope.seconds == 3 and envelope.peak.shape == (2, 150)
    loud = np.flatnonzero(envelope.peak[1] > 0.1)
    assert (loud[0], loud[-1]) == (50, 99)
    assert envelope.rms[1, 50:100] == pytest.approx(0.5, abs=1e-3)
    assert envelope.peak[0].max() == 0


def test_envelope_takes_the_loudest_negative_sample(tmp_path: Path) -> None:
    samples = np.full((800, 2), -1.0)
    assert read_envelope(write_wav(tmp_path / "a.wav", samples)).peak.max() == pytest.approx(1.0, abs=1e-3)


def test_envelope_is_bounded(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", tone(10, 8000, 0, 10, channel=0))
    envelope = read_envelope(path, max_buckets=64)
    assert envelope.peak.shape[1] <= 64
    assert envelope.peak[0, :-1].min() == pytest.approx(0.5, abs=1e-3)


def test_three_hours_are_streamed(tmp_path: Path) -> None:
    """A sparse file of three hours; a block of it is in memory at a time."""
    path = write_wav(tmp_path / "a.wav", np.zeros((1, 2)), rate=8000)
    with path.open("r+b") as file:
        file.truncate(44 + 3 * 3600 * 8000 * 4)
        file.seek(40)
        file.write((3 * 3600 * 8000 * 4).to_bytes(4, "little"))
    tracemalloc.start()
    envelope = read_envelope(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert envelope.seconds == 3 * 3600
    assert peak < 20e6
    assert len(lane_paths(envelope, 0)[0]) < 100


@pytest.mark.parametrize("declared", [0, 0xFFFFFFFF, 10**9])
def test_envelope_of_a_recording_whose_writer_was_killed(tmp_path: Path, declared: int) -> None:
    path = write_wav(tmp_path / "a.wav", tone(2, 8000, 0, 2, channel=0))
    content = bytearray(path.read_bytes())
    content[40:44] = declared.to_bytes(4, "little")
    path.write_bytes(content[:-3])
    envelope = read_envelope(path)
    assert envelope.seconds == pytest.approx(2, abs=0.01)
    assert envelope.peak[0, 0] == pytest.approx(0.5, abs=1e-3)


def test_mono_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAWaveFile, match="expected 16-bit stereo PCM, found 16-bit with 1 channel"):
        read_envelope(write_wav(tmp_path / "a.wav", np.zeros((100, 1)), channels=1))
