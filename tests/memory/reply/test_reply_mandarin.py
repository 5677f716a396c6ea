"""Mandarin replies from templates: right, honest, and never silent."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.nouns import Recalled
from memory.prompt import PromptInput
from memory.reply import ReplyPlan, plan_reply, reply_language

NOW = datetime(2026, 3, 10, 9, 0)
DOG = "我的狗叫豆豆，我喜欢靠窗的座位。"
ROOM = "帮我找一间明天十点到十二点的空会议室。"
ROOM_STATE = {"task": "找一间明天十点到十二点的空会议室", "facts": {"date": "2026-03-11", "time_range": "10:00-12:00"}}


def plan(words: str, *memories: str, hours_ago: float = 0.1, **changes: Any) -> ReplyPlan:
    recalled = tuple(
        Recalled(str(at), text, 1.0, said_at=NOW.timestamp() - hours_ago * 3600) for at, text in enumerate(memories)
    )
    values: dict[str, Any] = {
        "agent_name": "小乔",
        "language": "zh",
        "instructions": "",
        "now": NOW,
        "recalled": recalled,
    }
    return plan_reply(PromptInput(user_text=words, **(values | changes)))


def han(text: str) -> int:
    return len(re.findall(r"[\u4e00-\u9fff]", text))


@pytest.mark.parametrize(
    ("words", "memories", "act", "expected"),
    [
        ("我的狗叫什么名字？", (DOG,), "recall", "您说过，您的狗叫豆豆，您喜欢靠窗的座位。"),
        ("我的狗叫什么名字", ("我的狗叫什么名字？", DOG), "recall", "您说过，您的狗叫豆豆，您喜欢靠窗的座位。"),
        ("你还记得我的狗叫什么吗", (DOG,), "recall", "您的狗叫豆豆"),
        ("我姐姐住在哪里？", ("我姐姐住在上海。",), "recall", "您说过，您姐姐住在上海。"),
        ("我叫什么名字？", ("我叫小明。",), "recall", "您说过，您叫小明。"),
        ("我要的会议室是什么时候？", (ROOM,), "recall", "您让我帮您找一间明天十点到十二点的空会议室。"),
        ("我的猫叫什么名字？", (DOG,), "unsure", "不太确定"),
        ("我的猫叫什么名字？", (), "unknown", "还不知道"),
        ("法国的首都是什么？", (DOG,), "unknown", "我不知道"),
        (DOG, (), "statement", "您的狗叫豆豆，您喜欢靠窗的座位"),
        ("我买了几个苹果。", (), "statement", "您买了几个苹果"),
        ("我的狗昨天去世了。", (), "statement", "听到这个我很难过"),
        ("提醒我周五给牙医打电话。", (), "task", "提醒您周五给牙医打电话"),
        ("能不能帮我订一张四个人的桌子？", (), "task", "帮您订一张四个人的桌子"),
        ("我想订一张去北京的火车票。", (), "task", "您想订一张去北京的火车票"),
        ("你好，早上好。", (), "greeting", "您好，我是小乔"),
        ("谢谢你，没别的了。", (), "thanks", "不客气"),
        ("等一下。", (), "hold", "您请说"),
        ("现在几点了？", (), "answer", "现在是九点整。"),
        ("今天星期几？", (), "answer", "三月十日，星期二"),
    ],
)
def test_replies(words: str, memories: tuple[str, ...], act: str, expected: str) -> None:
    reply = plan(words, *memories)
    assert reply.act == act
    assert expected in reply.text
    assert not reply.ask_model


def test_a_task_is_long_enough_to_be_interrupted_and_not_said_to_be_done() -> None:
    reply = plan(ROOM, DOG, state=ROOM_STATE)
    assert "帮您找一间明天十点到十二点的空会议室" in reply.text
    assert "三月十一日，星期三" in reply.text
    assert "现在还没有预订" in reply.text
    assert han(reply.text) >= 25


def test_a_correction_is_repeated() -> None:
    reply = plan("等一下，改成下午吧。", ROOM, state=ROOM_STATE)
    assert reply.act == "correction"
    assert reply.text.startswith("好的，改成下午，")


def test_a_statement_and_a_task_in_one_breath() -> None:
    reply = plan(f"我喜欢靠窗的座位。{ROOM}", state=ROOM_STATE)
    assert reply.act == "task"
    assert "您喜欢靠窗的座位" in reply.text
    assert "空会议室" in reply.text


def test_what_was_said_on_another_day_says_so() -> None:
    assert plan("我的狗叫什么？", DOG, hours_ago=24).text.startswith("昨天您说过")


def test_what_was_said_in_english_is_quoted() -> None:
    assert "Bruno" in plan("我的狗叫什么名字？", "My dog is called Bruno.").text


@pytest.mark.parametrize(
    ("text", "default", "language"),
    [
        ("你好", "en", "zh"),
        ("Hello there", "zh", "en"),
        ("OK", "zh", "zh"),
        ("", "zh", "zh"),
        ("", "en", "en"),
        ("我用 Python", "en", "zh"),
    ],
)
def test_the_language_of_the_words_decides(text: str, default: str, language: str) -> None:
    assert reply_language(text, default) == language


@given(st.text(alphabet="我你您的狗叫豆吗什么？。，帮找改成等一下明天几点 ab", max_size=30))
def test_there_is_always_something_to_say(words: str) -> None:
    for memories in ((), (words, DOG)):
        reply = plan(words, *memories, state=ROOM_STATE)
        assert reply.text.strip()
        assert not re.search(r"已经(?:预订|订好|下单|付款)", reply.text)


def test_who_comes_back_is_told_what_is_still_open() -> None:
    left = ("预订会议室 (date = 2026-03-11)",)
    assert "预订会议室" in plan("你好。", open_from_before=left).text
    assert "继续" in plan("你好。", open_from_before=left).text
    assert "预订会议室" not in plan("你好。", open_from_before=left, state={"task": "x"}).text
    assert "预订会议室" not in plan("你好。").text
