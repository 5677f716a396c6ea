"""What keeps the floor with the agent, and what takes it, as recognisers write it in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.backchannels import (
    BACKCHANNELS,
    HUMS,
    STOP_WORDS,
    count_words,
    is_backchannel,
    says_stop,
    without_backchannels,
    without_hums,
)
from processors.tokens import tokens


@pytest.mark.parametrize(
    "text",
    [
        *("mhm", "Mm-hmm.", "Mhm.", "Hmm.", "Mm.", "Mmm", "Uh-huh.", "Uh huh", "Ah.", "Oh!", "Aha.", "Huh."),
        *("right", "Right, right.", "Yeah.", "yeah yeah", "Okay.", "OK", "O.K.", "Oh, okay.", "Yes.", "I see."),
        *("M H M.", "MMO.", "MHN", "m n, yes.", "Eminem."),
        *("Sure, sure.", "That's right.", "That’s right.", "Got it.", "All right, okay.", "Thank you.", "Haha."),
        *(
            "嗯",
            "嗯嗯",
            "嗯。嗯。",
            "恩恩",
            "嗯哼",
            "对",
            "对对对",
            "對。",
            "好的",
            "好的好的。",
            "好，好。",
            "是的",
            "是",
        ),
        *(
            "哦，这样啊。",
            "明白了",
            "知道了。",
            "没错",
            "沒問題",
            "嗯，好的",
            "哦 嘟嘟嘟",
            "OK，好的",
            "啊，是吗？",
            "哈哈哈",
        ),
    ],
)
def test_a_listener_keeps_nobody_from_speaking(text):
    assert is_backchannel(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Yeah, and tomorrow?", 2),
        ("Okay, but make it three.", 4),
        ("right now", 1),
        ("二二二", 2),
        ("八八八八", 2),
        ("No", 1),
        ("Monday.", 1),
        ("Make it the afternoon", 4),
        ("No problem with that one", 3),
        ("对不起", 2),
        ("对，改成下午", 2),
        ("好吃吗", 2),
        ("是不是明天", 3),
        ("明天", 1),
        ("换一间大的会议室", 4),
        ("好的，那后天呢？", 2),
        ("", 0),
        ("...", 0),
    ],
)
def test_words_that_are_left_are_counted(text, words):
    assert not is_backchannel(text)
    assert count_words(without_backchannels(text)) == words


@pytest.mark.parametrize(
    "text",
    [
        *("stop", "Stop!", "Wait.", "Wait, wait.", "Hold on.", "Uh, wait", "Okay, stop.", "No.", "No, no.", "Sorry?"),
        *("Excuse me.", "Hang on a second", "oh no", "Never mind."),
        *(
            "等等",
            "等等。",
            "等一下",
            "等一下，等一下",
            "停",
            "停！",
            "嗯，等等",
            "好的，停一下",
            "不对",
            "不是",
            "不要",
            "打住",
        ),
        *("别说了", "算了", "先等等", "暫停", "停停停", "不不不"),
    ],
)
def test_a_stop_word_stops(text):
    assert says_stop(without_backchannels(text))


@pytest.mark.parametrize("text", ["Monday", "okay", "the stop", "明天", "好的", "", "nothing", "weight"])
def test_other_words_are_no_stop(text):
    assert not says_stop(without_backchannels(text))


@pytest.mark.parametrize(("text", "left"), [("mhm", 0), ("嗯嗯", 0), ("yes", 1), ("好的", 2), ("uh, yes", 1)])
def test_before_a_reply_is_heard_yes_is_a_word(text, left):
    assert len(without_hums(text)) == left


@given(st.lists(st.sampled_from([w for ws in (*HUMS.values(), *BACKCHANNELS.values()) for w in ws]), max_size=4))
def test_backchannels_in_a_row_are_backchannels(words):
    assert without_backchannels(", ".join(words)) == []


@given(st.text(max_size=40))
def test_whatever_is_recognised_a_tail_of_its_tokens_is_left(text):
    whole = tokens(text)
    left = without_backchannels(text)
    assert left == whole[len(whole) - len(left) :]


def test_no_word_is_in_two_lists():
    listening = {w for ws in (*HUMS.values(), *BACKCHANNELS.values()) for w in ws}
    stopping = {w for ws in STOP_WORDS.values() for w in ws}
    assert not listening & stopping
