import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.spoken_words import join_speech, join_words, rest_of_reply


def test_spaces_between_latin_words_and_none_between_han():
    assert join_words(["Sure,", "I", "will", "look."]) == "Sure, I will look."
    assert join_words(["好", "的，", "我", "来", "查。"]) == "好的，我来查。"
    assert join_words(["我", "用", "Pipecat", "吧。"]) == "我用Pipecat吧。"


@pytest.mark.parametrize(
    ("parts", "joined"),
    [
        (["Find me a room.", "For tomorrow."], "Find me a room. For tomorrow."),
        (["Find me a room.", "for tomorrow."], "Find me a room for tomorrow."),
        (["I would like to...", "book a room."], "I would like to book a room."),
        (["I would like…", "Two rooms."], "I would like Two rooms."),
        (["At ten a.m.", "or at two."], "At ten a.m. or at two."),
        (["帮我订", "一间会议室。"], "帮我订一间会议室。"),
        (["我想要……", "靠窗的。"], "我想要靠窗的。"),
        (["找一间。", "明天的。"], "找一间。明天的。"),
        (["帮我订 Blue Room", "明天上午"], "帮我订 Blue Room明天上午"),
        (["...", "Hello."], "... Hello."),
        ([" a ", "", "b"], "a b"),
        ([], ""),
    ],
)
def test_what_pauses_divide_is_written_as_one(parts, joined):
    assert join_speech(parts) == joined


@given(st.lists(st.text(alphabet="abA,.…- 好的。", max_size=6), max_size=8))
def test_joining_speech_loses_no_word(parts):
    def letters(text: str) -> str:
        return "".join(character for character in text if character.isalnum())

    assert letters(join_speech(parts)) == letters("".join(parts))


def test_rest_of_a_reply():
    assert rest_of_reply("Sure, I will look.", "Sure, I") == "will look."
    assert rest_of_reply("Sure, I will look.", "Sure, I will look.") == ""
    assert rest_of_reply("Sure.", "") == "Sure."
    assert rest_of_reply("好的，我来查。", "好的，") == "我来查。"
    assert rest_of_reply("", "") == ""


@given(st.lists(st.text(alphabet="abc,.好的", min_size=1, max_size=5), max_size=12), st.integers(0, 12))
def test_heard_and_rest_make_the_reply_again(words, cut):
    reply = join_words(words)
    heard = join_words(words[:cut])
    rest = rest_of_reply(reply, heard)
    assert (heard + rest).replace(" ", "") == reply.replace(" ", "")
    assert reply.endswith(rest)
