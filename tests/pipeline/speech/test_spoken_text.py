import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.spoken_text import SpokenText, reply_words, spoken_text


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Sure, I will look.", "Sure, I will look."),
        ("**Sure**, I *will* __look__ at `it`.", "Sure, I will look at it."),
        ("***Very*** ~~old~~ new", "Very old new"),
        ("# Title\nText", "Title\nText"),
        ("Here:\n- milk\n* eggs\n+ [x] flour\n• tea", "Here:\nmilk\neggs\nflour\ntea"),
        ("1. Open it\n2) Close it\n10. Go", "Open it\nClose it\nGo"),
        ("10. That is the answer.", "10. That is the answer."),
        ("10.", "10."),
        ("-5 degrees, 2 * 3 is 6, 2*3 too", "-5 degrees, 2 * 3 is 6, 2*3 too"),
        ("> quoted\n>> twice", "quoted\ntwice"),
        ("one\n---\ntwo\n***", "one\ntwo"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b\n1 2"),
        ("See [the docs](https://a.b/c_(d)?x=1) now", "See the docs now"),
        ("See [the **docs**][1] now[2].", "See the docs now."),
        ("![a cat](cat.png) here", "a cat here"),
        ("[laughs] Well [not a link", "laughs Well not a link"),
        ("Look at https://example.com/a,b. Or www.example.com!", "Look at . Or !"),
        ("(https://example.com)", "()"),
        ("Mail <https://a.b> <b>now</b><br>please", "Mail now please"),
        ("1 < 2 and a <3", "1 < 2 and a <3"),
        ("Good 👍🏽 job 🎉! 1️⃣ 👨‍👩‍👧 🇵🇹 ✨", "Good job ! 1"),
        ("Hi :) there ;-) at 10:30: yes", "Hi there at 10:30: yes"),
        ("It is 20 °C, 5 € → 6 €", "It is 20 °C, 5 € 6 €"),
        ("Code:\n```python\nprint('x')\n```\nDone", "Code:\nDone"),
        ("Code: ```never closed", "Code:"),
        (r"2 \* 3 \_ \\ \n", r"2 * 3 _ \ n"),
        ("snake_case", "snake case"),
        ("好的，**我看看**。\n- 牛奶\n- 鸡蛋 🥚", "好的，我看看。\n牛奶\n鸡蛋"),
        ("请看https://a.b/c。谢谢", "请看。谢谢"),
        ("Wait! Really?", "Wait! Really?"),
        ("  a \n\n  b\t c  ", "a\nb c"),
        ("😀", ""),
        ("", ""),
    ],
)
def test_what_is_spoken(written, spoken):
    assert spoken_text(written) == spoken


def test_words_of_a_reply_are_never_markup():
    assert reply_words("**Sure,** see:\n1. [this](http://x.y) 🎉\n2. 好的。") == ["Sure,", "see:", "this", "好", "的。"]


def test_plain_words_do_not_wait():
    stream = SpokenText()
    assert stream.feed("Sure, I ") == "Sure, I"
    assert stream.feed("will look.") == " will look."


def test_a_link_waits_until_it_is_complete():
    stream = SpokenText()
    assert stream.feed("See [the") == "See"
    assert stream.feed(" docs](http") == ""
    assert stream.feed("s://a.b) now") == " the docs now"


def test_brackets_that_never_close_do_not_swallow_the_reply():
    assert spoken_text("[" * 3000 + "a") == "a"
    assert len(spoken_text("[a](" + "b(" * 5000).replace("(", "")) >= 2000


NASTY = st.text(alphabet="ah1.:/ -*_`~#>|[]()!<>\\\nw好，。🎉\u200d️", max_size=60)
TOKENS = ["http://", "www.", "```", "**", "- ", "1. ", "[a]", "(b)", "|", "<b>", ":)", "a", "_", "好", "\n", " "]
PIECES = st.lists(st.sampled_from(TOKENS), max_size=20).map("".join)


@given(st.one_of(NASTY, PIECES), st.lists(st.integers(0, 80), max_size=10))
def test_how_the_text_arrives_changes_nothing(text, cuts):
    stream = SpokenText()
    bounds = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    spoken = "".join(stream.feed(text[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)) + stream.flush()
    assert spoken == spoken_text(text)


@given(st.one_of(NASTY, PIECES))
def test_spacing_is_single(text):
    spoken = spoken_text(text)
    assert spoken == spoken.strip()
    assert "  " not in spoken and "\n\n" not in spoken and " \n" not in spoken


@given(st.text(alphabet="abcXYZ ,.?'é好的，。", max_size=60))
def test_plain_text_is_spoken_as_it_is(text):
    assert spoken_text(text).split() == text.split()
