"""Dialogues of ``tests/data``: what a turn must leave, said in one place for everybody who plays them.

A turn's ``state`` names facts, ``without``, task, topic, subject, status, preference, ``pending``, ``not_pending`` (no
longer open once the user has spoken) and steps; beside it ``refers_to``, ``keeps``, ``answer_needs``, ``not_asked``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import yaml

from memory.understanding.agent.asked import asked_for

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "zh")


def dialogues(*names: str) -> Iterator[tuple[str, datetime, str, list[dict[str, Any]]]]:
    """Id, clock, language and turns of every dialogue in these files."""
    for name in names:
        for dialogue in yaml.safe_load((DATA / name).read_text(encoding="utf-8")):
            day = dialogue["today"]
            clock = datetime.combine(day if isinstance(day, date) else date.fromisoformat(day), time(9))
            for language in LANGUAGES:
                if dialogue.get(language):
                    yield f"{dialogue['id']}-{language}", clock, language, dialogue[language]


def as_heard(said: str, language: str) -> str:
    """The words as a recogniser without casing and punctuation writes them."""
    if language == "zh":
        return re.sub(r"[。，？！；：]", "", said)
    kept = re.sub(r"(?<!\d)[.,?!;:]|[.,?!;](?!\d)", " ", said)
    return " ".join(kept.lower().split())


def same_point(wanted: str, found: str) -> bool:
    """Whether two names mean the same open point: "day" and "date", 几位 and 人数."""
    keys = set(asked_for(wanted).keys) & set(asked_for(found).keys)
    return wanted.lower() in found.lower() or bool(keys)


def state_problems(
    state: Mapping[str, Any], turn: Mapping[str, Any], heard: Mapping[str, Any] | None = None, *, tools: bool = True
) -> list[str]:
    """What of a turn's expectations a state misses.

    Args:
        state: In the contract's form, after the reply.
        turn: Of the dialogue.
        heard: The state after the user's words, before the reply; None to leave ``not_pending`` out.
        tools: Whether tools ran; without them no task is completed by one.
    """
    wanted = turn.get("state") or {}
    found: list[str] = []

    def check(what: str, expected: Any, actual: Any) -> None:
        if str(expected).lower() != str(actual).lower():
            found.append(f"{what}: expected {expected!r}, found {actual!r}")

    for key, value in wanted.get("facts", {}).items():
        check(f"facts.{key}", value, state["facts"].get(key))
    found += [f"facts.{key} is still there" for key in wanted.get("without", ()) if key in state["facts"]]
    for key, value in wanted.get("preference", {}).items():
        check(f"preference.{key}", value, state["preference"].get(key))
    for key in ("task", "topic"):
        if key in wanted:
            check(key, wanted[key], state[key])
    if subject := wanted.get("subject") or turn.get("refers_to"):
        check("subject", subject, state["subject"]["id"])
    status = wanted.get("status") or wanted.get("task_status")
    if status and (tools or "tool_called" not in wanted):
        check("status", status, state["status"])
    for point in wanted.get("pending", ()):
        if not any(same_point(point, open_point) for open_point in state["pending"]):
            found.append(f"pending: expected {point!r}, found {state['pending']}")
    for point in wanted.get("not_pending", ()) if heard is not None else ():
        if any(same_point(point, open_point) for open_point in heard["pending"]):
            found.append(f"pending: {point!r} is answered, found {heard['pending']}")
    found += [
        f"steps: {step!r} is missing from {state['steps']}"
        for step in wanted.get("steps", ())
        if step not in state["steps"]
    ]
    return found
