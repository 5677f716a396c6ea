"""The report page: what it shows, what it survives. (In a browser: ``test_report_browser``.)"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from memory.errors import UserError
from pipeline.commands.report import report as report_command
from pipeline.report import build, build_report
from pipeline.report.envelope import NotAWaveFile, lane_paths, read_envelope
from pipeline.report.heard import split_heard
from pipeline.report.session_file import read_session
from pipeline.report.stages import stages_of
from pipeline.report.state_diff import Change, diff_states
from tests.pipeline.report_pages import (
    SESSION,
    Node,
    read_page,
    record_conversation,
    records,
    write_session,
    write_wav,
)

HOSTILE = '</script><script>window.stolen=1</script><img src=x onerror="window.stolen=1">\'"&amp;{{7*7}}\u2028'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_session(tmp_path, records())
    return tmp_path


@pytest.fixture
def page(folder: Path) -> Node:
    record_conversation(folder)
    return read_page(build_report(folder))


def article(page: Node, number: int) -> Node:
    return page.tagged("article")[number - 1]


def squeezed(text: str) -> str:
    return " ".join(text.split())


# What the page shows


def test_head_counts_turns_interruptions_recalls_failures(page: Node) -> None:
    figures = {}
    for figure in page.classed("figures")[0].tagged("div"):
        name, value = figure.tagged("dt")[0].text, figure.tagged("dd")[0]
        figures[name] = [child for child in value.children if isinstance(child, str)][0]
    assert figures == {
        "Turns": "6",
        "Interruptions": "1",
        "Turns that recalled": "4",
        "Voice to voice": "650 ms",
        "Recall": "21 ms",
        "Failures": "1",
    }
    assert page.tagged("h1")[0].text == "A conversation with anna"
    facts = squeezed(page.classed("facts")[0].text)
    assert "10 March 2026, 09:00 UTC" in facts and "English, Mandarin" in facts and "smollm2-135m" in facts
    assert "5 of 6 inside 134 ms" in page.classed("figures")[0].text


def test_page_needs_nothing_but_itself(folder: Path) -> None:
    record_conversation(folder)
    text = build_report(folder).read_text(encoding="utf-8")
    page = read_page(folder / "report.html")
    outside = [
        node.attributes[name]
        for node in page.all(lambda node: True)
        for name in ("src", "href", "srcset", "data", "action")
        if name in node.attributes and not node.attributes[name].startswith(("data:", "#"))
    ]
    assert outside == []
    assert not re.search(r"@import|url\(|https?://", re.sub(r"data:audio/wav;base64,[^\"]*", "", text))


def test_policy_allows_exactly_the_script_of_the_page(page: Node) -> None:
    (script,) = page.tagged("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    policy = next(node.attributes["content"] for node in page.tagged("meta") if "http-equiv" in node.attributes)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_unheard_words_are_struck_and_labelled(page: Node) -> None:
    (struck,) = page.classed("line-agent")[1].tagged("del")
    assert struck.text == "tomorrow from ten to twelve. Shall I book one of them for you?"
    words = squeezed(page.classed("line-agent")[1].classed("words")[0].text)
    assert words.startswith("The blue room and the garden room are both free [not heard:] tomorrow")
    heard_in_full = [line for number, line in enumerate(page.classed("line-agent")) if number != 1]
    assert not any(line.tagged("del") for line in heard_in_full)


def test_reply_that_was_never_heard_is_struck_as_a_whole(folder: Path) -> None:
    turns = records()[:1]
    turns[0]["heard_text"] = ""
    write_session(folder, turns)
    line = read_page(build_report(folder)).classed("line-agent")[0]
    assert line.tagged("del")[0].text == turns[0]["reply_text"]
    assert "Nothing of this reply reached the user." in line.text


def test_what_was_heard_is_shown_beside_a_reply_it_does_not_begin(folder: Path) -> None:
    turns = records()[:1]
    turns[0]["heard_text"] = "Something else."
    write_session(folder, turns)
    line = squeezed(read_page(build_report(folder)).classed("line-agent")[0].text)
    assert "Heard Something else." in line and f"Generated {turns[0]['reply_text']}" in line


def test_recalled_line_says_when_where_and_why(page: Node) -> None:
    here, earlier = (squeezed(item.text) for item in article(page, 5).classed("memories")[0].tagged("li"))
    assert "session a1f0, turn 3" in here and "10 March 2026, 09:00 UTC, 23 hours earlier" in here
    assert "an earlier session" in earlier and "17 February 2026, 18:20 UTC, 22 days earlier" in earlier
    assert "score 0.0246" in here and "about facts" in here
    why = squeezed(article(page, 3).classed("why")[0].text)
    assert "T1: words of the final text" in why
    assert "deadline: the deadline came first" in why
    assert "141 ms, over the 134 ms; 26 tokens" in why


def test_state_changes_are_told_in_words(page: Node) -> None:
    changes = [squeezed(item.text) for item in article(page, 3).classed("diff")[0].tagged("li")]
    assert changes == [
        "~changed: Fact: time 10:00-12:00 became→ 14:00-16:00",
        "+added: Fact: room garden room",
        "−removed: Still to do choose a room",
        "~changed: “It” means the blue room (room, blue) became→ the garden room (room, garden)",
    ]
    assert "Nothing changed." in article(page, 4).text


def test_tool_call_emotion_and_failure_are_shown(page: Node) -> None:
    assert "find_rooms" in article(page, 2).text and "blue room, garden room" in article(page, 2).text
    assert squeezed(article(page, 1).classed("feeling")[0].text) == (
        "joy valence +0.62, arousal +0.31, confidence 84%, read from text"
    )
    failure = squeezed(article(page, 6).classed("failure")[0].text)
    assert failure == "Language model: http 429 The endpoint answered 429: too many requests."


def test_mandarin_words_are_marked_as_such(page: Node) -> None:
    words = article(page, 5).classed("words")[0]
    assert words.attributes["lang"] == "zh" and words.text == "早上好，昨天我们订了哪个会议室？"


def test_timeline_draws_every_kind_of_event_at_its_time(page: Node) -> None:
    timeline = page.classed("tl")[0]
    seconds = float(page.classed("tl-inner")[0].attributes["data-seconds"])
    (cut,) = timeline.classed("m-barge-in")
    at = next(e["t"] for e in records()[1]["timeline"] if e["kind"] == "barge_in")
    left = float(re.search(r"left:([\d.]+)%", cut.attributes["style"]).group(1))
    assert left == pytest.approx(100 * at / seconds, abs=0.01)
    drawn = {name for mark in timeline.classed("m") for name in mark.classes}
    assert {"m-turn", "m-speech", "m-interim-open", "m-final", "m-tail", "m-anticipation"} <= drawn
    assert {"m-recall", "m-model", "m-voice", "m-word", "m-failure"} <= drawn
    assert len(timeline.classed("m-turn")) == 6
    assert len(timeline.classed("wave")) == 2
    (unheard,) = timeline.classed("m-unheard")
    assert unheard.attributes["aria-label"].endswith(
        "Never heard: tomorrow from ten to twelve. Shall I book one of them for you?"
    )


def test_a_word_is_drawn_up_to_the_moment_it_was_heard(page: Node) -> None:
    words = [mark for mark in page.classed("m-word") if mark.attributes["data-turn"] == "1"]
    heard = [event["t"] for event in records()[0]["timeline"] if event["kind"] == "agent_word"]
    assert [float(mark.attributes["data-t"]) for mark in words[1:]] == heard[:-1]


def test_barge_in_speech_is_drawn_once(page: Node) -> None:
    cut_at = next(e["t"] for e in records()[1]["timeline"] if e["kind"] == "barge_in")
    spoken = [m for m in page.classed("m-speech") if float(m.attributes["data-t"]) == pytest.approx(cut_at)]
    assert [mark.attributes["data-turn"] for mark in spoken] == ["3"]


def test_large_recording_stays_beside_the_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record_conversation(folder)
    monkeypatch.setattr(build, "MAX_EMBEDDED_BYTES", 1000)
    page = read_page(build_report(folder))
    assert page.tagged("audio")[0].attributes["src"] == "conversation.wav"


def test_session_without_timeline_is_shown_from_its_latencies(folder: Path) -> None:
    turns = records()
    for turn in turns:
        del turn["timeline"]
    write_session(folder, turns)
    page = read_page(build_report(folder))
    assert not page.classed("tl")
    assert "logged without a timeline" in page.text
    names = [name.text for name in article(page, 1).classed("fall-name")]
    assert names == ["Speech tail", "Anticipation", "Searching", "Model", "Voice", "Voice to voice"]


# Hostile and broken input


def replace_texts(value: Any) -> Any:
    """The same record with every text, and every key a person's words can reach, made hostile."""
    if isinstance(value, str):
        return value if value in KINDS else HOSTILE
    if isinstance(value, list):
        return [replace_texts(item) for item in value]
    if isinstance(value, dict):
        return {key: replace_texts(item) for key, item in value.items()}
    return value


KINDS = {event["kind"] for turn in records() for event in turn["timeline"]}


def hostile_records() -> list[dict[str, Any]]:
    turns = [replace_texts(turn) for turn in records()]
    for turn, original in zip(turns, records(), strict=True):
        turn["started_at"] = original["started_at"]
        turn["inner_state_after"]["facts"] = {HOSTILE: HOSTILE}
        turn["tool_calls"] = [{"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "result": HOSTILE, "status": HOSTILE}]
        turn["latency_ms"][HOSTILE] = 3
    return turns


def test_nothing_that_was_said_becomes_markup(folder: Path) -> None:
    write_session(folder, hostile_records())
    page = read_page(build_report(folder))
    assert len(page.tagged("script")) == 1
    assert not page.tagged("img")
    assert not [name for node in page.all(lambda node: True) for name in node.attributes if name.startswith("on")]
    assert page.classed("line-user")[0].classed("words")[0].text == HOSTILE
    assert HOSTILE in page.classed("m-word")[0].attributes["aria-label"]
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


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
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
    write_session_ascii(tmp_path, [records()[0], turn])
    assert len(read_page(build_report(tmp_path)).tagged("article")) == 2


def write_session_ascii(folder: Path, turns: list[dict[str, Any]]) -> None:
    """With escapes instead of letters, so that lone surrogates can be written too."""
    (folder / "session.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")


# The parts


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


def test_mono_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAWaveFile, match="expected 16-bit stereo PCM, found 16-bit with 1 channel"):
        read_envelope(write_wav(tmp_path / "a.wav", np.zeros((100, 1)), channels=1))


def test_silent_recording_without_samples_is_no_fault(folder: Path) -> None:
    write_wav(folder / "conversation.wav", np.zeros((0, 2)))
    page = read_page(build_report(folder))
    assert not page.classed("note") and not page.tagged("audio")


# The look


def contrast(first: str, second: str) -> float:
    """WCAG 2.2 contrast of two colours written as ``#rrggbb``."""

    def luminance(colour: str) -> float:
        parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_have_the_contrast_that_text_needs() -> None:
    style = (Path(build.__file__).parent / "report.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    for theme in (light, dark):
        colour = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", theme))
        for text in ("ink", "soft", "user", "agent", "memory", "cut", "ok"):
            assert contrast(colour[text], colour["bg"]) >= 4.5, text
            assert contrast(colour[text], colour["card"]) >= 4.5, text
        for tint in ("user", "agent", "memory", "cut", "ok"):
            assert contrast(colour["ink"], colour[f"{tint}-tint"]) >= 4.5, tint
            assert contrast(colour["soft"], colour[f"{tint}-tint"]) >= 4.5, tint
            assert contrast(colour[tint], colour[f"{tint}-tint"]) >= 4.5, tint


# The command


def run_command(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(report_command)
    return CliRunner().invoke(app, list(arguments))


def test_command_prints_where_the_page_is(folder: Path) -> None:
    result = run_command(str(folder))
    assert result.exit_code == 0 and result.output.strip() == str(folder / "report.html")
    assert (folder / "report.html").exists()


def test_command_prints_json(folder: Path) -> None:
    assert json.loads(run_command(str(folder), "--json").output) == {"report": str(folder / "report.html")}


def test_command_passes_the_error_on(tmp_path: Path) -> None:
    result = run_command(str(tmp_path))
    assert isinstance(result.exception, UserError)
