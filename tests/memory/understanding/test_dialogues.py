"""Dialogues in both languages: what the words alone must leave in the inner state, turn by turn.

What only a tool can leave there (a completed payment) is not checked here.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memory.inner_state import StateHistory
from memory.left_brain import absorb
from memory.nouns import Claim, Understanding
from memory.understanding import Understander
from memory.understanding.agent.events import agent_events
from tests.dialogues import as_heard, dialogues, state_problems

FILES = ("dialogues.yaml", "more_dialogues.yaml", "other_dialogues.yaml")


def _dialogues() -> list[Any]:
    out = []
    for name, clock, language, turns in dialogues(*FILES):
        heard = [{**turn, "user": as_heard(turn["user"], language)} for turn in turns]
        for said, suffix in ((turns, ""), (heard, "-as-heard")):
            out.append(pytest.param(clock, language, said, id=name + suffix))
    return out


@pytest.mark.parametrize(("now", "language", "turns"), _dialogues())
def test_words_leave_the_state_that_the_dialogue_describes(
    understander: Understander, now: datetime, language: str, turns: list[dict[str, Any]]
) -> None:
    history = StateHistory()
    believed: tuple[Claim, ...] = ()
    problems: list[str] = []
    for number, turn in enumerate(turns, 1):
        read = understander.understand(turn["user"], now=now, state=history.current, language=language)
        for event in read.updates:
            history.apply(event, number)
        stated = [replace(claim, utterances=(str(number),), since=float(number)) for claim in read.claims]
        before, believed = believed, absorb(believed, stated, correction=read.is_correction).claims
        _check_claims(before, believed, read, turn)
        if "affect" in turn:
            assert history.current.subject.id == turn["affect"]["about"]
            sign = 1 if turn["affect"]["valence"] == "positive" else -1
            assert read.emotion.valence * sign > 0.2, read.emotion
        for needed in turn.get("answer_needs", ()):
            assert needed in " ".join(history.current.facts.values())
        heard = history.current
        for event in agent_events(turn.get("agent", ""), heard, language):
            history.apply(event, number)
        found = state_problems(history.current.to_contract(), turn, heard.to_contract(), tools=False)
        problems += [f"{turn['user']}: {problem}" for problem in found]
    assert problems == []


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
