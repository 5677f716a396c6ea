"""What the report page survives: hostile words, broken files, values of any type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import UserError
from pipeline.report import build_report
from tests.pipeline.report_pages import (
    HOSTILE,
    hostile_records,
    json_values,
    read_page,
    records,
    write_session,
    write_wav,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_session(tmp_path, records())
    return tmp_path


def test_nothing_that_was_said_becomes_markup(folder: Path) -> None:
    write_session(folder, hostile_records())
    page = read_page(build_report(folder))
    assert len(page.tagged("script")) == 1
    assert not page.tagged("img")
    assert not [name for node in page.all(lambda node: True) for name in node.attributes if name.startswith("on")]
    assert page.classed("line-user")[0].classed("words")[0].text == HOSTILE
    assert HOSTILE.strip() in page.classed("m-word")[0].attributes["aria-label"]
    assert "49" not in page.classed("line-user")[0].text


@pytest.mark.parametrize("tail", [b'{"session_id": "a1f0", "user_te', '{"user_text": "早'.encode()[:-1], b"[1, 2"])
def test_last_line_that_was_cut_is_skipped_with_a_note(folder: Path, tail: bytes) -> None:
    path = folder / "session.jsonl"
    path.write_bytes(path.read_bytes() + tail)
    page = read_page(build_report(folder))
    assert len(page.tagged("article")) == 6
    assert "line 7" in page.classed("note")[0].text and "cut short" in page.classed("note")[0].text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "No such file"),
        (b"", "empty"),
        (b"\n  \n", "empty"),
        (b'{"turn_id": 1', "line 1 is not valid JSON"),
        (b'{"turn_id": 1}\nnonsense\n{"turn_id": 2}\n', "line 2 is not valid JSON"),
        (b"RIFF\xff\xfe\x00\x01WAVE", "line 1 is not valid JSON"),
        (b"[" * 100_000, "line 1 is not valid JSON"),
        (b"[1, 2]\n", "line 1 is not a turn"),
        (b'{"turn_id": 1}\n"text"\n', "line 2 is not a turn"),
    ],
)
def test_bad_session_is_one_line_that_names_the_file(tmp_path: Path, content: bytes | None, expected: str) -> None:
    if content is not None:
        (tmp_path / "session.jsonl").write_bytes(content)
    with pytest.raises(UserError) as caught:
        build_report(tmp_path)
    message = str(caught.value)
    assert str(tmp_path / "session.jsonl") in message and expected in message and "\n" not in message
    assert not (tmp_path / "report.html").exists()


def test_session_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").mkdir()
    with pytest.raises(UserError, match="session.jsonl: cannot read"):
        build_report(tmp_path)


def test_page_that_cannot_be_written_is_an_error_and_leaves_nothing(folder: Path) -> None:
    (folder / "report.html").mkdir()
    with pytest.raises(UserError, match="report.html: cannot write the report"):
        build_report(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "session.jsonl"]


def test_an_earlier_page_is_replaced(folder: Path) -> None:
    (folder / "report.html").write_text("old", encoding="utf-8")
    assert build_report(folder).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_half_of_a_character_is_replaced(folder: Path) -> None:
    (folder / "session.jsonl").write_text('{"user_text": "a\\ud83dz", "llm_response": {"b": "\\ud83d"}}\n')
    assert read_page(build_report(folder)).classed("line-user")[0].classed("words")[0].text == "a?z"


paths_in_a_turn = st.sampled_from(
    [(key,) for key in records()[1]]
    + [("recalled", 0, key) for key in records()[1]["recalled"][0]]
    + [("inner_state_after", key) for key in records()[1]["inner_state_after"]]
    + [("timeline", index, key) for index in (0, 9, 20, -1) for key in ("t", "kind", "stable", "items", "ms", "word")]
    + [("tool_calls", 0, key) for key in ("name", "arguments", "result", "status")]
    + [("latency_ms", key) for key in records()[1]["latency_ms"]]
    + [("emotion", key) for key in records()[1]["emotion"]]
    + [("recall", key) for key in records()[1]["recall"]]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(paths_in_a_turn, json_values), min_size=1, max_size=4))
def test_any_value_in_any_field_still_gives_a_page(tmp_path: Path, changes: list[tuple[tuple, Any]]) -> None:
    turn = records()[1]
    for path, value in changes:
        place: Any = turn
        for step in path[:-1]:
            try:
                place = place[step]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(place, dict):
                place[path[-1]] = value
    # Escapes instead of letters, so that lone surrogates can be written too.
    lines = (json.dumps(line) + "\n" for line in (records()[0], turn))
    (tmp_path / "session.jsonl").write_text("".join(lines), encoding="utf-8")
    assert len(read_page(build_report(tmp_path)).tagged("article")) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"ID3 not sound at all", "not a WAV file"),
        (b"RIFF\0\0\0\0WAVEfmt \x04\0\0\0abcd", "cut short"),
    ],
)
def test_recording_that_is_none_is_left_out_with_a_note(folder: Path, content: bytes, reason: str) -> None:
    (folder / "conversation.wav").write_bytes(content)
    page = read_page(build_report(folder))
    assert reason in page.classed("note")[0].text
    assert not page.tagged("audio") and page.classed("tl")


def test_silent_recording_without_samples_is_no_fault(folder: Path) -> None:
    write_wav(folder / "conversation.wav", np.zeros((0, 2)))
    page = read_page(build_report(folder))
    assert not page.classed("note") and not page.tagged("audio")


@pytest.mark.parametrize("time", [1e300, 1e12, 7 * 86_400.1])
def test_a_time_that_no_conversation_lasts_is_not_drawn(tmp_path: Path, time: float) -> None:
    turn = records()[0]
    turn["timeline"].append({"t": time, "kind": "interim", "stable": "Xylophone", "unstable": ""})
    turn["latency_ms"]["recall"] = time * 1000
    write_session(tmp_path, [turn])
    page = build_report(tmp_path)
    assert page.stat().st_size < 1_000_000
    assert "Xylophone" not in page.read_text(encoding="utf-8")
