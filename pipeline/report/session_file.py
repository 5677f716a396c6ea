"""Reads ``session.jsonl``: one turn per line, as the turn log wrote it.

The reader is tolerant inside a turn (unknown keys are ignored, a wrong type counts as absent) and strict about
the file: a line that is not JSON is an error, but for the last one, which a killed process leaves cut short.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.errors import UserError
from pipeline.report.coerce import mapping, moment, number, sequence, text

FILE_NAME = "session.jsonl"

# No conversation lasts longer than a week; what claims to be later is not drawn.
MAX_SECONDS = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        t: Seconds on the clock of ``conversation.wav``.
        kind: Such as ``interim`` or ``barge_in``.
        details: What else the log said about it.
    """

    t: float
    kind: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of ``session.jsonl``; fields as in the contract, absent ones empty.

    ``user_words`` are (start, end, word) in seconds, in time order.
    """

    position: int
    turn_id: str
    session_id: str
    user_id: str
    language: str
    started_at: datetime | None
    user_text: str
    user_words: tuple[tuple[float, float, str], ...]
    reply_text: str
    heard_text: str | None
    interrupted: bool
    llm_response: str
    model: str
    emotion: dict[str, Any]
    state_before: dict[str, Any]
    state_after: dict[str, Any]
    recalled: tuple[dict[str, Any], ...]
    recall: dict[str, Any]
    tool_calls: tuple[dict[str, Any], ...]
    failures: tuple[dict[str, Any], ...]
    latency_ms: dict[str, float]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class SessionFile:
    """Everything that could be read.

    Attributes:
        turns: In the order of the file.
        notes: What could not be read, in plain words.
    """

    turns: tuple[Turn, ...]
    notes: tuple[str, ...] = ()


def read_session(path: Path) -> SessionFile:
    """Read a session file.

    Args:
        path: The ``session.jsonl``.

    Returns:
        Its turns, and notes about what was skipped.

    Raises:
        UserError: The file is missing, unreadable, empty, or not a session.
    """
    turns: list[Turn] = []
    notes: list[str] = []
    try:
        for line_number, line, is_last in _lines(path):
            record = _parse(path, line_number, line, is_last and bool(turns))
            if record is None:
                notes.append(
                    f"The last line of {FILE_NAME} (line {line_number}) is cut short and was skipped: "
                    "the conversation seems to have ended while the turn was being written."
                )
                continue
            turns.append(_turn(record, len(turns) + 1))
    except OSError as error:
        hint = "; give the folder that a conversation wrote" if isinstance(error, FileNotFoundError) else ""
        raise UserError(f"{path}: cannot read the session: {error.strerror or error}{hint}") from None
    if not turns:
        raise UserError(f"{path}: empty; a session holds one JSON object per turn")
    return SessionFile(tuple(turns), tuple(notes))


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Non-blank lines as (number, bytes, whether it is the last one)."""
    with path.open("rb") as file:
        pending: tuple[int, bytes] | None = None
        for line_number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            if pending:
                yield *pending, False
            pending = line_number, line
        if pending:
            yield *pending, True


def _parse(path: Path, line_number: int, line: bytes, may_be_cut: bool) -> dict[str, Any] | None:
    """The JSON object of a line, or None if the line is cut short and may be."""
    try:
        record = json.loads(line.decode("utf-8-sig" if line_number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        if may_be_cut:
            return None
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "not UTF-8 text"
        raise UserError(
            f"{path}: line {line_number} is not valid JSON ({reason}); a session holds one JSON object per turn"
        ) from None
    if not isinstance(record, dict):
        raise UserError(f"{path}: line {line_number} is not a turn; a session holds one JSON object per turn")
    return record


def _turn(record: dict[str, Any], position: int) -> Turn:
    latency = {str(key): number(value) for key, value in mapping(record.get("latency_ms")).items()}
    heard = record.get("heard_text")
    return Turn(
        position=position,
        turn_id=text(record.get("turn_id")) or str(position),
        session_id=text(record.get("session_id")),
        user_id=text(record.get("user_id")),
        language=text(record.get("language")),
        started_at=moment(record.get("started_at")),
        user_text=text(record.get("user_text")),
        user_words=tuple(sorted(_words(record.get("user_words")))),
        reply_text=text(record.get("reply_text")),
        heard_text=text(heard) if heard is not None else None,
        interrupted=record.get("interrupted") is True,
        llm_response=_response(record.get("llm_response")),
        model=text(mapping(record.get("llm")).get("model")),
        emotion=mapping(record.get("emotion")),
        state_before=mapping(record.get("inner_state_before")),
        state_after=mapping(record.get("inner_state_after")),
        recalled=tuple(item for item in sequence(record.get("recalled")) if isinstance(item, dict)),
        recall=mapping(record.get("recall")),
        tool_calls=tuple(call for call in sequence(record.get("tool_calls")) if isinstance(call, dict)),
        failures=_failures(record),
        latency_ms={
            key: value for key, value in latency.items() if value is not None and 0 <= value <= MAX_SECONDS * 1000
        },
        events=_events(record.get("timeline")),
    )


def _words(value: Any) -> Iterator[tuple[float, float, str]]:
    for entry in sequence(value):
        word, start, end = (*sequence(entry), None, None, None)[:3]
        start, end = number(start), number(end)
        if start is not None and end is not None and 0 <= start <= end <= MAX_SECONDS and text(word).strip():
            yield start, end, text(word).strip()


def _response(value: Any) -> str:
    if isinstance(value, dict | list):
        return text(json.dumps(value, ensure_ascii=False, indent=2))
    return text(value)


def _failures(record: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """What failed: from the list of failures, and from the timeline if the list lacks it."""
    keys = ("part", "reason", "detail")
    found = [
        *sequence(record.get("failures")),
        *(entry for entry in map(mapping, sequence(record.get("timeline"))) if entry.get("kind") == "failure"),
    ]
    rows = (tuple(text(mapping(entry).get(key)) for key in keys) for entry in found)
    return tuple(dict(zip(keys, row, strict=True)) for row in dict.fromkeys(rows))


def _events(value: Any) -> tuple[Event, ...]:
    events = []
    for entry in sequence(value):
        entry = mapping(entry)
        t, kind = number(entry.get("t")), text(entry.get("kind"))
        if t is None or not 0 <= t <= MAX_SECONDS or not kind:
            continue
        events.append(Event(t, kind, {str(key): item for key, item in entry.items() if key not in {"t", "kind"}}))
    return tuple(sorted(events, key=lambda event: event.t))
