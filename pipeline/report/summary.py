"""What the head of the page says about the whole conversation."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.report.recalled import DEADLINE_MS, recall_ms
from pipeline.report.session_file import Turn
from pipeline.report.stages import Stage
from pipeline.report.wording import date_and_time, duration, language, milliseconds


@dataclass(frozen=True, slots=True)
class Figure:
    """One number at the head of the page."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage over all turns."""

    key: str
    name: str
    explanation: str
    median: str
    slowest: str
    turns: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The head of the page."""

    title: str
    facts: tuple[tuple[str, str], ...]
    figures: tuple[Figure, ...]
    stages: tuple[StageRow, ...]


def summarise(turns: Sequence[Turn], stages: Sequence[Sequence[Stage]], seconds: float) -> Summary:
    """Sum up a conversation.

    Args:
        turns: All turns, at least one.
        stages: The stages of each turn.
        seconds: Length of the recording or of the timeline; 0 if unknown.
    """
    users = _distinct(turn.user_id for turn in turns)
    facts = [
        ("When", _when(turns)),
        ("Language", ", ".join(language(code) for code in _distinct(turn.language for turn in turns))),
        ("Model", ", ".join(_distinct(turn.model for turn in turns))),
        ("Length", duration(seconds) if seconds else ""),
        ("Sessions", _sessions(turns)),
    ]
    interruptions = sum(turn.interrupted for turn in turns)
    remembered = sum(bool(turn.recalled) for turn in turns)
    failures = sum(len(turn.failures) for turn in turns)
    figures = [
        Figure("Turns", f"{len(turns):,}"),
        Figure("Interruptions", f"{interruptions:,}"),
        Figure("Turns that recalled", f"{remembered:,}"),
        *_latency_figures(turns, stages),
    ]
    if failures:
        figures.append(Figure("Failures", f"{failures:,}", "listed in their turns"))
    return Summary(
        title=f"A conversation with {', '.join(users)}" if users else "A conversation",
        facts=tuple((name, value) for name, value in facts if value),
        figures=tuple(figures),
        stages=tuple(_stage_rows(stages)),
    )


def _latency_figures(turns: Sequence[Turn], stages: Sequence[Sequence[Stage]]) -> list[Figure]:
    figures = []
    totals = [stage.ms for row in stages for stage in row if stage.key == "total"]
    if totals:
        slowest = f"median; slowest {milliseconds(max(totals))}" if len(totals) > 1 else "one turn"
        figures.append(Figure("Voice to voice", milliseconds(statistics.median(totals)), slowest))
    recalls = [ms for turn in turns if (ms := recall_ms(turn)) is not None]
    if recalls:
        inside = sum(ms <= DEADLINE_MS for ms in recalls)
        note = f"median; {inside:,} of {len(recalls):,} inside {DEADLINE_MS:.0f} ms"
        figures.append(Figure("Recall", milliseconds(statistics.median(recalls)), note))
    return figures


def _stage_rows(stages: Sequence[Sequence[Stage]]) -> list[StageRow]:
    rows: dict[str, list[Stage]] = {}
    for stage in (stage for row in stages for stage in row):
        rows.setdefault(stage.key, []).append(stage)
    order = ("listening", "tail", "anticipation", "searching", "model", "voice", "total")
    return [
        StageRow(
            key,
            rows[key][0].name,
            rows[key][0].explanation,
            milliseconds(statistics.median(stage.ms for stage in rows[key])),
            milliseconds(max(stage.ms for stage in rows[key])),
            len(rows[key]),
        )
        for key in order
        if key in rows
    ]


def _when(turns: Sequence[Turn]) -> str:
    times = [turn.started_at for turn in turns if turn.started_at]
    return date_and_time(times[0]) if times else ""


def _sessions(turns: Sequence[Turn]) -> str:
    sessions = len(_distinct(turn.session_id for turn in turns))
    return str(sessions) if sessions > 1 else ""


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))
