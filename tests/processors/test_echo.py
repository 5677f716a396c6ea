"""The agent's own words, come back through the microphone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.echo_sound import EchoSound
from processors.echo import is_echo, without_echo
from processors.tokens import tokens

ENGLISH = "Sure, I can book the small meeting room for you tomorrow from ten to twelve."
MANDARIN = "好的，我可以帮你预订明天上午十点到十二点的小会议室。"


@pytest.mark.parametrize(
    ("heard", "spoken"),
    [
        ("I can book the small meeting room", ENGLISH),
        ("can book the small meetings rooms for you", ENGLISH),
        ("book a small meeting room for you tomorrow", ENGLISH),
        ("To twelve.", ENGLISH),
        ("我可以帮你预订明天上午", MANDARIN),
        ("我可以帮你预定明天上午十点", MANDARIN),
        ("小会议室", MANDARIN),
        ("会议室。", MANDARIN),
    ],
)
def test_the_agents_words_are_echo(heard, spoken):
    assert is_echo(heard, spoken)


@pytest.mark.parametrize(
    ("heard", "spoken"),
    [
        ("Wait.", ENGLISH),
        ("No, from eleven.", ENGLISH),
        ("I want the large one with the window", ENGLISH),
        ("sure", "I have found three rooms that are free at that time, and one of them has a window."),
        ("等一下", MANDARIN),
        ("不要，换一间大的", MANDARIN),
        ("下午三点可以吗", MANDARIN),
        ("hello", ""),
        ("", ENGLISH),
    ],
)
def test_other_words_are_not(heard, spoken):
    assert not is_echo(heard, spoken)
    assert without_echo(heard, spoken) == tokens(heard)


@pytest.mark.parametrize(
    ("heard", "spoken", "left"),
    [
        ("book the small meeting room wait not tomorrow please", ENGLISH, "wait not tomorrow please"),
        ("我可以帮你预订等一下我要下午三点", MANDARIN, "等一下我要下午三点"),
    ],
)
def test_what_the_user_says_into_the_echo_is_left(heard, spoken, left):
    assert without_echo(heard, spoken) == tokens(left)


def test_one_word_is_compared_with_the_latest_words_only():
    spoken = "No room is free at ten, but I have found a large one on the second floor for you."
    assert not is_echo("no", spoken)
    assert is_echo("floor", spoken)


@given(st.text(max_size=40), st.text(max_size=60))
def test_whatever_is_heard_a_stretch_of_it_is_left(heard, spoken):
    whole, left = tokens(heard), without_echo(heard, spoken)
    assert any(whole[start : start + len(left)] == left for start in range(len(whole) - len(left) + 1))


@given(st.lists(st.sampled_from(["book", "room", "会", "议", "ten", "tomorrow"]), min_size=3, max_size=12))
def test_the_same_words_are_always_echo(words):
    text = " ".join(words)
    assert is_echo(text, f"well {text} then")


@pytest.mark.parametrize(
    ("heard", "past", "recent"),
    [
        ("room a three oh two is free", "Room a three", "oh two is free from"),
        ("会议室有空", "会议", "室有空，要我"),
    ],
)
def test_an_echo_may_begin_with_what_was_said_before_but_ends_with_the_latest(heard, past, recent):
    assert is_echo(heard, recent, past)
    assert not is_echo(heard, "Shall I book it for you? 要我帮您预订吗", f"{past} {recent}")


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_compared(heard, spoken, past):
    left = without_echo(heard, spoken, past)
    assert len(left) <= len(tokens(heard))


@pytest.mark.parametrize(
    ("words", "spoken"),
    [
        ("No.", "I know that now, there is another one"),
        ("Wait.", "All right, you want me to find you a room"),
        ("Hey", "they are there"),
        ("停", "我听说那间停车场旁边的"),
        ("不", "这间不错，步行去那里"),
        ("等等", "我在登登录"),
    ],
)
def test_a_stop_word_is_the_users_own(words, spoken):
    assert without_echo(words, spoken)
    assert without_echo(words, spoken, sound=EchoSound("zh"))


@pytest.mark.parametrize(("words", "spoken"), [("Wait.", "Sure. Wait, I will look"), ("等等", "好的，等等，我看看")])
def test_a_stop_word_that_the_agent_says_alone_comes_back(words, spoken):
    assert without_echo(words, spoken) == []
