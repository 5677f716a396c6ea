"""Tools without a model that can call any: what the words and the state decide, and what is said."""

from __future__ import annotations

import re

import pytest

from memory.tools.done_claims import claims_done
from pipeline.tools.context import ToolContext
from pipeline.tools.meeting_rooms import make_tools
from tests.pipeline.tool_dialogues import PAY, CountingTool, converse, scripted, statuses

SPAN = {"date": "2026-03-11", "start": "10:00", "end": "12:00"}
WEATHER = {
    "description": "Weather forecast for a city and a day",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "date": {"type": "string"}},
        "required": ["city", "date"],
    },
    "returns": {"sky": "sunny", "temperature": 26},
}


@pytest.mark.parametrize(
    ("language", "turns", "said"),
    [
        (
            "en",
            ["Please find me a free meeting room tomorrow from ten to twelve.", "Then book A302.", "Yes, go ahead."],
            [
                "I found five: C205, A302 by the window, B214 by the window and with a whiteboard, and 2 more.",
                "To be sure: book a meeting room, A302, March 11, 10:00 to 12:00. Shall I go ahead?",
                "That is done: book a meeting room, A302, March 11, 10:00 to 12:00",
            ],
        ),
        (
            "zh",
            ["帮我查一下明天上午10点到12点的空闲会议室。", "那就订A302吧。", "可以，订吧。"],
            [
                "找到五个：C205，A302靠窗",
                "跟您确认一下：预订会议室，A302，3月11日，10:00到12:00。现在办吗？",
                "办好了：预订会议室，A302",
            ],
        ),
    ],
)
def test_a_room_is_searched_chosen_confirmed_and_booked(tmp_path, language, turns, said):
    lines, _ = converse(tmp_path, make_tools(ToolContext(tmp_path / "tools", "a", language)), turns, language=language)
    assert [statuses(line) for line in lines] == [["completed"], ["waiting_confirmation"], ["completed"]]
    assert lines[0]["tool_calls"][0]["arguments"] == SPAN
    assert lines[1]["tool_calls"][0]["arguments"] == {"room": "A302", **SPAN}
    for line, words in zip(lines, said, strict=True):
        assert line["heard_text"].startswith(words), line["heard_text"]
    state = lines[2]["inner_state_after"]
    assert (state["status"], state["facts"]["booking"]) == ("completed", "R0001")


@pytest.mark.parametrize(
    ("language", "ask", "change"),
    [
        (
            "en",
            "Find me a free meeting room tomorrow from ten to twelve.",
            "Wait, make it two to four in the afternoon.",
        ),
        ("zh", "帮我查一下明天上午10点到12点的空闲会议室。", "等等，改成下午两点到四点。"),
    ],
)
def test_a_correction_looks_again(tmp_path, language, ask, change):
    tools = make_tools(ToolContext(tmp_path / "tools", "a", language))
    lines, _ = converse(tmp_path, tools, [ask, change, "Thanks." if language == "en" else "谢谢。"], language=language)
    assert [statuses(line) for line in lines] == [["completed"], ["completed"], []]
    assert lines[1]["tool_calls"][0]["arguments"] == {"date": "2026-03-11", "start": "14:00", "end": "16:00"}


@pytest.mark.parametrize(
    ("language", "turns", "asked"),
    [
        ("en", ["Find me a free meeting room.", "Tomorrow.", "From ten to twelve."], ["day", "when"]),
        ("zh", ["帮我找一间空闲的会议室。", "明天。", "上午十点到十二点。"], ["哪一天", "几点"]),
    ],
)
def test_what_is_missing_is_asked_and_only_that(tmp_path, language, turns, asked):
    tools = make_tools(ToolContext(tmp_path / "tools", "a", language))
    lines, _ = converse(tmp_path, tools, turns, language=language)
    assert [statuses(line) for line in lines] == [[], [], ["completed"]]
    for line, word in zip(lines, asked, strict=False):
        assert word in line["heard_text"], line["heard_text"]
    assert lines[2]["tool_calls"][0]["arguments"] == SPAN


@pytest.mark.parametrize(
    ("language", "turns", "cities"),
    [
        (
            "en",
            ["What's the weather in Berlin tomorrow?", "And the day after?", "What about Hamburg?"],
            ["Berlin", "Hamburg"],
        ),
        ("zh", ["帮我查一下北京明天的天气。", "那后天呢？", "上海呢？"], ["北京", "上海"]),
    ],
)
def test_a_follow_up_asks_the_tool_for_the_other_value(tmp_path, language, turns, cities):
    tool = CountingTool("get_weather", WEATHER)
    lines, _ = converse(tmp_path, [tool], turns, language=language)
    assert tool.calls == [
        {"city": cities[0], "date": "2026-03-11"},
        {"city": cities[0], "date": "2026-03-12"},
        {"city": cities[1], "date": "2026-03-12"},
    ]
    assert all("26" in line["heard_text"] for line in lines)
    assert lines[0]["inner_state_after"]["status"] == "completed"


PAYMENT = {
    "en": ["Pay the electricity bill, it's eighty four euros.", "Hmm, I'm not sure.", "Yes, go ahead."],
    "zh": ["帮我交一下电费，八十四块。", "嗯，再想想。", "可以，付吧。"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_payment_waits_for_a_clear_yes(tmp_path, language):
    tool = CountingTool("pay_bill", {**PAY, "returns": {"receipt": "R17"}})
    lines, _ = converse(tmp_path, [tool], PAYMENT[language], language=language)
    assert [statuses(line) for line in lines] == [["waiting_confirmation"], [], ["completed"]]
    assert [call["amount"] for call in tool.calls] == [84]
    for line in lines[:2]:
        assert not any(map(claims_done, re.split(r"(?<=[,.!?，。！？])", line["heard_text"])))
        assert line["inner_state_after"]["status"] == "waiting_confirmation"
    assert "84" in lines[0]["heard_text"] and re.search("[?？]$", lines[0]["heard_text"])
    assert lines[2]["inner_state_after"]["status"] == "completed"
    assert "R17" in lines[2]["heard_text"]


@pytest.mark.parametrize(("language", "change"), [("en", "Make it ninety euros."), ("zh", "改成九十块。")])
def test_a_changed_amount_is_asked_for_anew(tmp_path, language, change):
    tool = CountingTool("pay_bill", {**PAY, "returns": None})
    lines, _ = converse(tmp_path, [tool], [PAYMENT[language][0], change, PAYMENT[language][2]], language=language)
    assert "90" in lines[1]["heard_text"] and re.search("[?？]$", lines[1]["heard_text"])
    assert [call["amount"] for call in tool.calls] == [90]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("script", [{"error": "the account is empty"}, {"delay_s": 60}])
def test_what_fails_is_said_in_plain_words(tmp_path, language, script):
    tool = CountingTool("pay_bill", {**PAY, **script})
    lines, _ = converse(tmp_path, [tool], [PAYMENT[language][0], PAYMENT[language][2]], language=language)
    said = lines[1]["heard_text"]
    assert len(tool.calls) == 1
    assert lines[1]["inner_state_after"]["status"] == "failed"
    assert not any(map(claims_done, re.split(r"(?<=[,.!?，。！？])", said))), said
    expected = {"error": ("the account is empty", "the account is empty"), "delay_s": ("do not know", "不确定")}
    assert expected[next(iter(script))][language == "zh"] in said


@pytest.mark.parametrize(
    "words",
    [
        "My dog is called Bruno.",
        "Hello.",
        "I was in Berlin yesterday.",
        "我的小狗叫小白。",
        "What is my dog's name?",
        "Thanks.",
    ],
)
def test_small_talk_calls_nothing(tmp_path, words):
    tools = [
        *make_tools(ToolContext(tmp_path / "tools", "a", "en")),
        *scripted(get_weather=WEATHER, pay_bill={**PAY, "returns": None}),
    ]
    (line,), _ = converse(tmp_path, tools, [words])
    assert line["tool_calls"] == []
    assert line["heard_text"]


def test_a_tool_for_something_else_is_left_alone(tmp_path):
    (line,), _ = converse(tmp_path, scripted(get_weather=WEATHER), ["Find me a free meeting room tomorrow at ten."])
    assert line["tool_calls"] == []
