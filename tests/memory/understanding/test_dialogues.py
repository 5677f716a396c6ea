"""Dialogues in both languages: what the words alone must leave in the inner state, turn by turn.

What only a tool or the agent's own words can leave there (steps, pending, completed) is not checked here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import yaml

from memory.inner_state import InnerState, StateHistory
from memory.left_brain import absorb
from memory.nouns import Claim, Understanding
from memory.understanding import Understander

DATA = Path(__file__).parents[2] / "data"


def _dialogues() -> list[Any]:
    out = []
    for name in ("dialogues.yaml", "more_dialogues.yaml"):
        for dialogue in yaml.safe_load((DATA / name).read_text(encoding="utf-8")):
            for language in ("en", "zh"):
                turns = dialogue.get(language, [])
                heard = [{**turn, "user": _as_heard(turn["user"], language)} for turn in turns]
                for said, name in ((turns, ""), (heard, "-as-heard")) if turns else ():
                    out.append(pytest.param(dialogue["today"], language, said, id=f"{dialogue['id']}-{language}{name}"))
    return out


def _as_heard(said: str, language: str) -> str:
    """The words as a recogniser without casing and punctuation writes them."""
    if language == "zh":
        return re.sub(r"[。，？！；：]", "", said)
    return " ".join(re.sub(r"[.,?!;:]", " ", said).lower().split())


@pytest.mark.parametrize(("today", "language", "turns"), _dialogues())
def test_words_leave_the_state_that_the_dialogue_describes(
    understander: Understander, today: date, language: str, turns: list[dict[str, Any]]
) -> None:
    now = datetime.combine(today, time(9))
    history = StateHistory()
    believed: tuple[Claim, ...] = ()
    for number, turn in enumerate(turns, 1):
        read = understander.understand(turn["user"], now=now, state=history.current, language=language)
        for event in read.updates:
            history.apply(event, number)
        stated = [replace(claim, utterances=(str(number),), since=float(number)) for claim in read.claims]
        before, believed = believed, absorb(believed, stated, correction=read.is_correction).claims
        _check_state(history.current, turn.get("state", {}), turn["user"])
        _check_claims(before, believed, read, turn)
        if "affect" in turn:
            assert history.current.subject.id == turn["affect"]["about"]
            sign = 1 if turn["affect"]["valence"] == "positive" else -1
            assert read.emotion.valence * sign > 0.2, read.emotion
        for needed in turn.get("answer_needs", ()):
            assert needed in " ".join(history.current.facts.values())


def _check_state(state: InnerState, wanted: dict[str, Any], said: str) -> None:
    for key, value in wanted.get("facts", {}).items():
        assert state.facts.get(key) == str(value), (said, key, dict(state.facts))
    for key in wanted.get("without", ()):
        assert key not in state.facts, said
    for key, value in wanted.get("preference", {}).items():
        assert state.preference.get(key) == value, said
    if "task" in wanted:
        assert state.task == wanted["task"], said
    if "topic" in wanted:
        assert state.topic == wanted["topic"], said
    if "subject" in wanted:
        assert state.subject.id == wanted["subject"], said
    if wanted.get("status", "completed") != "completed":
        assert state.status == wanted["status"], said


def _check_claims(
    before: tuple[Claim, ...], after: tuple[Claim, ...], read: Understanding, turn: dict[str, Any]
) -> None:
    for wanted in turn.get("claims", ()):
        found = [
            c for c in read.claims if c.attribute == wanted["attribute"] and c.value.lower() == wanted["value"].lower()
        ]
        assert found, (turn["user"], read.claims)
        assert found[0].subject == "user"
        assert found[0].kind == wanted.get("class", found[0].kind)
        if "supersedes" in wanted:
            old = [c for c in after if c.value == wanted["supersedes"] and c.attribute == wanted["attribute"]]
            assert old, after
            assert all(c.until is not None for c in old)
    for kept in turn.get("keeps", ()):
        holding = [c for c in after if c.value == kept and c.until is None]
        assert holding or not any(c.value == kept for c in before), (turn["user"], kept)
