"""Surface cues in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.index import cues


@pytest.mark.parametrize(
    "text",
    ["What's my dog called", "And when does she arrive?", "Is it far", "我的狗叫什么名字", "那后天呢？", "几点开会"],
)
def test_asking_is_seen(text: str) -> None:
    assert cues.seeks_information(text)


@pytest.mark.parametrize(
    "text",
    [
        "My dog is called Bruno.",
        "Can you book a table for Friday?",
        "我的狗叫豆豆。",
        "能帮我订个位子吗？",
        "What a day, please stop",
    ],
)
def test_statements_and_requests_are_no_questions(text: str) -> None:
    assert not cues.seeks_information(text)


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend?",
        "the place you suggested",
        "your advice",
        "你刚才说的那家店",
        "你推荐的老师",
        "你让我去哪家店",
    ],
)
def test_asking_for_the_agents_words_is_seen(text: str) -> None:
    assert cues.asks_about_agent(text)


@pytest.mark.parametrize("text", ["What did I say?", "我说过什么", "Do you know my name?", "I like you", "你好"])
def test_other_questions_do_not_ask_for_the_agents_words(text: str) -> None:
    assert not cues.asks_about_agent(text)


@pytest.mark.parametrize(
    "text",
    ["Good morning.", "Thanks, that’s great!", "okay, bye", "", "…", "早上好。", "好的，谢谢你。", "嗯嗯", "再见"],
)
def test_small_talk_is_seen(text: str) -> None:
    assert cues.is_small_talk(text)


@pytest.mark.parametrize("text", ["Good morning, where is Bruno?", "Yes, twice.", "可以，付吧。", "你好，我叫小梅"])
def test_what_holds_anything_else_is_no_small_talk(text: str) -> None:
    assert not cues.is_small_talk(text)


@pytest.mark.parametrize(
    ("text", "asks", "names"),
    [
        ("When did I go?", True, False),
        ("I went last Friday.", False, True),
        ("我什么时候去的", True, False),
        ("我明天上午10点去", False, True),
        ("I like tea.", False, False),
    ],
)
def test_times_are_asked_for_and_named(text: str, asks: bool, names: bool) -> None:
    assert cues.asks_time(text) is asks
    assert cues.names_time(text) is names


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for cue in (cues.seeks_information, cues.is_small_talk, cues.names_time, cues.asks_time, cues.asks_about_agent):
        assert cue(text) in (True, False)


@pytest.mark.parametrize("piece", ["嗯", "ok ", "你刚才", "no, ", "well "])
def test_repetition_does_not_explode(piece: str) -> None:
    text = piece * 5000 + "x"
    # A pattern that backtracks over repetitions would not come to an end here.
    for cue in (cues.seeks_information, cues.is_small_talk, cues.names_time, cues.asks_time, cues.asks_about_agent):
        assert cue(text) in (True, False)
