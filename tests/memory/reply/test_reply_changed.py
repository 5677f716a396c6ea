"""Replies to words that changed the task: they tell what holds now, and claim nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memory.inner_state import StateHistory
from memory.prompt_input import PromptInput
from memory.reply import plan_reply
from memory.tools.spec import ToolSpec
from memory.understanding import Understander

NOW = datetime(2026, 3, 10, 9)


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander("auto")


def replies(understander: Understander, language: str, *said: str, **changes: Any) -> list[str]:
    history, out = StateHistory(), []
    for number, words in enumerate(said, 1):
        before = history.current.to_contract()
        for event in understander.understand(words, now=NOW, state=history.current, language=language).updates:
            history.apply(event, number)
        state = history.current.to_contract()
        prompt = PromptInput("Vera", language, "", NOW, user_text=words, state=state, before=before, **changes)
        out.append(plan_reply(prompt).text)
    return out


def test_english(understander: Understander) -> None:
    said = replies(
        understander,
        "en",
        "Find me a meeting room tomorrow from ten to twelve.",
        "Then book A302.",
        "Wait, make it two to four.",
        "Forget it, keep the original time.",
        "Hmm, I'm not sure.",
        "Yes, go ahead.",
    )
    assert said[1:] == [
        "All right, A302, Wednesday, March 11, from 10:00 to 12:00. Nothing is booked yet.",
        "All right, A302, Wednesday, March 11, from 14:00 to 16:00. Nothing is booked yet.",
        "All right, back to A302, Wednesday, March 11, from 10:00 to 12:00. Nothing is booked yet.",
        "Take your time. Nothing is booked yet.",
        "You have said yes, but I have no way to do it here. Nothing is booked yet.",
    ]


def test_mandarin(understander: Understander) -> None:
    said = replies(
        understander,
        "zh",
        "帮我查一下明天上午10点到12点的空闲会议室。",
        "那就订A302吧。",
        "等等，改成下午两点到四点。",
        "算了，还是原来的时间。",
        "嗯，再想想。",
        "可以，订吧。",
    )
    assert said[1:] == [
        "好的，A302，3月11日星期三，10:00到12:00。现在还没有预订。",
        "好的，A302，3月11日星期三，14:00到16:00。现在还没有预订。",
        "好的，恢复为A302，3月11日星期三，10:00到12:00。现在还没有预订。",
        "不急，您慢慢想。现在还没有预订。",
        "您已经确认了，不过我这里没有办法办理。现在还没有预订。",
    ]


def test_a_question_beside_it_is_answered(understander: Understander) -> None:
    said = replies(understander, "en", "Find me a meeting room tomorrow.", "Make it Friday. What is your name?")
    assert said[1].startswith("I am Vera.")


def test_where_tools_are_they_follow_a_yes(understander: Understander) -> None:
    pay = ToolSpec("send_parcel", "Send a parcel", {"type": "object", "properties": {}}, risky=True)
    said = replies(understander, "en", "Pay the rent, 500 euros.", "Yes, go ahead.", tools=(pay,))
    assert "no way to do it" not in said[1]
