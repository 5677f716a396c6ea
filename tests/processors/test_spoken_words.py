from hypothesis import given
from hypothesis import strategies as st

from processors.spoken_words import join_words, rest_of_reply


def test_spaces_between_latin_words_and_none_between_han():
    assert join_words(["Sure,", "I", "will", "look."]) == "Sure, I will look."
    assert join_words(["好", "的，", "我", "来", "查。"]) == "好的，我来查。"
    assert join_words(["我", "用", "Pipecat", "吧。"]) == "我用Pipecat吧。"


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
