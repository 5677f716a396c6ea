"""What the embedded model's planner says of a task: it knows what was said, and asks for none of it again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memory.inner_state import StateHistory
from memory.prompt_input import PromptInput
from memory.reply import plan_reply
from memory.reply.known import known_answer
from memory.understanding import Understander
from memory.understanding.agent.asked import things_asked
from tests.dialogues import dialogues

ROOM = {"room": "A302", "date": "2026-03-11", "time_range": "10:00-12:00", "people": "6"}


@pytest.mark.parametrize(
    ("question", "language", "said"),
    [
        ("Hold on, what time was that window room again?", "en", "A302, Wednesday, March 11, from 10:00 to 12:00."),
        ("which room did I take again", "en", "A302."),
        ("how many people did I say", "en", "A302, 6 people."),
        ("等下，刚才那间靠窗的会议室是几点来着？", "zh", "A302，3月11日星期三10:00到12:00。"),
        ("我刚才说几个人来着", "zh", "A302，6个人。"),
        ("What time is it?", "en", ""),
        ("How much did I say again?", "en", ""),
    ],
)
def test_what_was_said_for_the_task_is_known(question: str, language: str, said: str) -> None:
    assert known_answer(question, {"facts": ROOM}, language) == said


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander("auto")


@pytest.mark.parametrize(
    ("now", "language", "turns"),
    [pytest.param(*d[1:], id=d[0]) for d in dialogues("dialogues.yaml", "more_dialogues.yaml", "other_dialogues.yaml")],
)
def test_nothing_that_is_known_is_asked_again(
    understander: Understander, now: datetime, language: str, turns: list[dict[str, Any]]
) -> None:
    history = StateHistory()
    for number, turn in enumerate(turns, 1):
        for event in understander.understand(turn["user"], now=now, state=history.current, language=language).updates:
            history.apply(event, number)
        state = history.current.to_contract()
        prompt = PromptInput("Vera", language, "", now, user_text=turn["user"], state=state)
        reply = plan_reply(prompt).text
        assert reply
        asked = things_asked(reply, language, state["topic"]) if reply.rstrip().endswith(("?", "？")) else []
        assert not [thing for thing in asked if set(thing.keys) & set(state["facts"])], reply
        for needed in turn.get("answer_needs", ()):
            assert needed in reply, reply
