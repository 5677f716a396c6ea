"""One turn as the page shows it: everything the template needs, in words and percentages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pipeline.report.coerce import mapping, number, plain, text, words
from pipeline.report.events import describe
from pipeline.report.heard import split_heard
from pipeline.report.recalled import DEADLINE_MS, RecallView, view_recall
from pipeline.report.session_file import Turn
from pipeline.report.stages import Stage, stages_of
from pipeline.report.state_diff import Change, describe_state, diff_states
from pipeline.report.wording import clock, date_and_time, milliseconds

_LISTENING_SHARE = 0.08  # of the waterfall's width before the end of speech; listening is cut there
_GRID_STEPS = (50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000)


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of the waterfall; positions in percent of its width.

    Attributes:
        stage: What it is.
        value: Its length in words.
        left: Where it begins.
        width: How long it is.
        cut: Whether it began before the left edge.
        budget: (left, width) of the budget, for searching.
        verdict: How it stands to its budget, in words.
    """

    stage: Stage
    value: str
    left: float
    width: float
    cut: bool = False
    budget: tuple[float, float] | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The stages of one turn over one axis; ``grid`` holds (percent, label)."""

    bars: tuple[Bar, ...]
    grid: tuple[tuple[float, str], ...]
    zero: float


@dataclass(frozen=True, slots=True)
class ToolView:
    """One call of a tool."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    status: str
    result: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn.

    Attributes:
        turn: As it was logged.
        new_session: Session id and date if the turn opens a session other than the one before it.
        start: Where it begins in the recording, seconds, or None.
        at: The same as a clock position.
        heard: The part of the reply that was heard.
        unheard: The part that was not.
        as_heard: What was heard, if it is not the beginning of the reply.
        feeling: The emotion in words.
        waterfall: Its stages, or None.
        recall: What was recalled and why.
        changes: What changed in the inner state.
        state: The whole state after the turn.
        versions: Version numbers in words.
        tools: Tool calls.
        failures: (part and reason, details).
        events: (clock, name, details) of the whole turn.
        latencies: Every logged latency.
    """

    turn: Turn
    new_session: str
    start: float | None
    at: str
    heard: str
    unheard: str
    as_heard: str
    feeling: tuple[str, str] | None
    waterfall: Waterfall | None
    recall: RecallView
    changes: tuple[Change, ...]
    state: tuple[tuple[str, str], ...]
    versions: str
    tools: tuple[ToolView, ...]
    failures: tuple[tuple[str, str], ...]
    events: tuple[tuple[str, str, str], ...]
    latencies: tuple[tuple[str, str], ...]


def view_turn(turn: Turn, turns: Sequence[Turn]) -> TurnView:
    """Describe one turn.

    Args:
        turn: The turn.
        turns: All turns of the file.
    """
    heard, unheard, as_heard = _reply(turn)
    start = turn.events[0].t if turn.events else None
    return TurnView(
        turn=turn,
        new_session=_new_session(turn, turns),
        start=start,
        at="" if start is None else clock(start),
        heard=heard,
        unheard=unheard,
        as_heard=as_heard,
        feeling=_feeling(turn.emotion),
        waterfall=_waterfall(stages_of(turn)),
        recall=view_recall(turn, turns),
        changes=tuple(diff_states(turn.state_before, turn.state_after)),
        state=tuple(describe_state(turn.state_after)),
        versions=_versions(turn),
        tools=tuple(_tool(call) for call in turn.tool_calls),
        failures=tuple(_failure(failure) for failure in turn.failures),
        events=tuple(_events(turn)),
        latencies=tuple((words(name), milliseconds(value)) for name, value in turn.latency_ms.items()),
    )


def _new_session(turn: Turn, turns: Sequence[Turn]) -> str:
    before = turns[turn.position - 2] if turn.position > 1 else None
    if before is None or before.session_id == turn.session_id:
        return ""
    return f"{turn.session_id}{', ' + date_and_time(turn.started_at) if turn.started_at else ''}"


def _reply(turn: Turn) -> tuple[str, str, str]:
    """Heard part, unheard part, and what was heard if it is not the beginning of the reply."""
    if turn.heard_text is None:
        return turn.reply_text, "", ""
    if parts := split_heard(turn.reply_text, turn.heard_text):
        heard, unheard = parts
        return heard, unheard.strip(), ""
    return "", turn.reply_text, turn.heard_text


def _feeling(emotion: dict[str, Any]) -> tuple[str, str] | None:
    label = text(emotion.get("label"))
    if not label:
        return None
    details = [
        f"{name} {value:+.2f}".replace("-", "−") if signed else f"{name} {value:.0%}"
        for name, signed in (("valence", True), ("arousal", True), ("confidence", False))
        if (value := number(emotion.get(name))) is not None
    ]
    source = text(emotion.get("source"))
    return words(label), ", ".join([*details, *([f"read from {source}"] if source else [])])


def _waterfall(stages: Sequence[Stage]) -> Waterfall | None:
    if not stages:
        return None
    longest = max([stage.end_ms for stage in stages if stage.key != "listening"] + [DEADLINE_MS])
    begin, end = -longest * _LISTENING_SHARE, longest * 1.02

    def percent(ms: float) -> float:
        return round(100 * (min(max(ms, begin), end) - begin) / (end - begin), 3)

    bars = []
    for stage in stages:
        left = percent(stage.start_ms)
        budget, verdict = None, ""
        if stage.key == "searching":
            budget = (left, round(percent(stage.start_ms + DEADLINE_MS) - left, 3))
            verdict = "inside" if stage.ms <= DEADLINE_MS else "over"
        width = round(percent(stage.end_ms) - left, 3)
        bars.append(Bar(stage, milliseconds(stage.ms), left, width, stage.start_ms < begin, budget, verdict))
    step = next((step for step in _GRID_STEPS if longest / step <= 4), math.ceil(longest / 4))
    grid = tuple((percent(ms), f"{ms:,}") for ms in range(0, int(end) + 1, step))
    return Waterfall(tuple(bars), grid, percent(0))


def _events(turn: Turn) -> Iterator[tuple[str, str, str]]:
    """The known events; words that were spoken one after the other are one line."""
    for is_word, group in groupby(turn.events, key=lambda event: event.kind == "agent_word"):
        events = list(group)
        if is_word:
            gap = "" if turn.language == "zh" else " "
            said = gap.join(text(event.details.get("word")).strip() for event in events)
            yield clock(events[0].t, 2), "Words spoken", said
            continue
        for event in events:
            name, details = describe(event)
            if name:
                yield clock(event.t, 2), name, details


def _versions(turn: Turn) -> str:
    before, after = number(turn.state_before.get("version")), number(turn.state_after.get("version"))
    if after is None:
        return ""
    return f"version {after:.0f}" if before in {None, after} else f"version {before:.0f} → {after:.0f}"


def _tool(call: dict[str, Any]) -> ToolView:
    arguments = tuple((words(str(key)), plain(value)) for key, value in mapping(call.get("arguments")).items())
    result = call.get("result")
    return ToolView(text(call.get("name")), arguments, words(text(call.get("status"))), plain(result) if result else "")


def _failure(details: dict[str, Any]) -> tuple[str, str]:
    part, reason = text(details.get("part")), words(text(details.get("reason")))
    parts = {"asr": "Recognition", "llm": "Language model", "tts": "Voice", "memory": "Memory"}
    return ": ".join(piece for piece in (parts.get(part, part), reason) if piece), text(details.get("detail"))
