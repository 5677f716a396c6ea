"""What the report page shows. (What it survives: ``test_report_input``; in a browser: ``test_report_browser``.)"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from memory.errors import UserError
from pipeline.commands.report import report as report_command
from pipeline.report import build, build_report
from tests.pipeline.report_pages import Node, read_page, record_conversation, records, write_session


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


def test_words_are_also_written_side_by_side(page: Node) -> None:
    phrases = [mark for mark in page.classed("m-phrase") if mark.attributes["data-turn"] == "1"]
    assert len(phrases) == 2
    assert " ".join(phrase.text for phrase in phrases) == records()[0]["heard_text"]
    mandarin = [mark.text for mark in page.classed("m-phrase") if mark.attributes["data-turn"] == "5"]
    assert "".join(mandarin) == records()[4]["heard_text"]


def test_partial_words_show_what_is_new(folder: Path) -> None:
    turn = records()[0]
    said = [
        ("", "Hi my dog"),
        ("Hi,", "my dog is"),
        ("Hi, my dog is", ""),
        ("Hi, my", "hog was"),
        ("Hi,", "my hog wasp"),
    ]
    interims = [
        {"t": 1 + index / 3, "kind": "interim", "stable": stable, "unstable": unstable}
        for index, (stable, unstable) in enumerate(said)
    ]
    turn["timeline"] = interims + [event for event in turn["timeline"] if event["kind"] != "interim"]
    write_session(folder, [turn])
    row = read_page(build_report(folder)).all(lambda node: {"row", "row-heard"} <= node.classes)[0]
    marks = [mark for mark in row.classed("m") if "Partial words" in mark.attributes["aria-label"]]
    assert [mark.text for mark in marks] == ["Hi my dog", "is", "", "hog was", "wasp"]
    assert [bool({"m-interim", "m-interim-same"} & mark.classes) for mark in marks] == [
        False,
        False,
        True,
        False,
        False,
    ]


def test_lock_step_replay_is_called_so(folder: Path, page: Node) -> None:
    assert not page.classed("note")
    turns = records()
    for turn in turns:
        turn["latency_ms"] |= {"llm_first_token": 0.0, "tts_first_audio": 0.0}
    write_session(folder, turns)
    assert "lock-step" in read_page(build_report(folder)).classed("note")[0].text


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


def test_the_users_words_stand_where_they_were_said(folder: Path) -> None:
    turn = records()[0]
    turn["user_words"] = [
        ["Hi,", 1.0, 1.2],
        ["my", 1.3, 1.4],
        ["dog", 3.2, 3.5],
        ["late", "x", 3],
        [1],
        None,
        ["b", 5, 4],
    ]
    write_session(folder, [turn])
    row = read_page(build_report(folder)).all(lambda node: {"row", "row-said"} <= node.classes)[0]
    marks = row.classed("m-word")
    assert [(mark.text, float(mark.attributes["data-t"])) for mark in marks] == [
        ("Hi,", 1.0),
        ("my", 1.3),
        ("dog", 3.2),
    ]
    assert [mark.text for mark in row.classed("m-phrase")] == ["Hi, my", "dog"]


def test_without_the_times_of_the_users_words_there_is_no_such_row(page: Node) -> None:
    assert not page.all(lambda node: "row-said" in node.classes)
