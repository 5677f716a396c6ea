import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.clauses import ClauseSplitter


def split(text, **lengths):
    splitter = ClauseSplitter(**lengths)
    clauses = splitter.feed(text)
    rest = splitter.flush()
    return clauses + ([rest] if rest else [])


def test_first_clause_goes_early_and_the_rest_by_sentences():
    text = "Of course, that is easy, I will look it up, give me a second. Then, well, we talk."
    assert split(text) == [
        "Of course, that is easy,",
        " I will look it up, give me a second.",
        " Then, well, we talk.",
    ]


def test_first_clause_is_out_before_the_text_behind_it_has_come():
    splitter = ClauseSplitter(first_clause_chars=10)
    assert splitter.feed("I have found it,") == ["I have found it,"]


def test_first_clause_shorter_than_the_limit_waits_for_the_next_comma():
    assert split("Sure, I will look, ok.", first_clause_chars=12)[0] == "Sure, I will look,"


def test_a_short_first_sentence_goes_at_once():
    splitter = ClauseSplitter()
    assert splitter.feed("Sure. I") == ["Sure."]


def test_han_characters_count_three():
    splitter = ClauseSplitter(first_clause_chars=9)
    assert splitter.feed("好的，没问题，") == ["好的，没问题，"]
    assert ClauseSplitter(first_clause_chars=6).feed("好的，") == ["好的，"]


def test_mandarin_sentences():
    assert split("你好！我是小安。“好的。”他说。", first_clause_chars=99) == [
        "你好！",
        "我是小安。",
        "“好的。”",
        "他说。",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It costs 3.14 dollars and 1,000 more at 10:30 sharp, e.g. for Dr. Smith and Mr. Jones",
        "See No. 5 and J. S. Bach of the U.S. Army, approx. five of them",
        "He asked why? and left... quietly",
        "Rooms 5–7 are free, i.e. all of them",
    ],
)
def test_no_sentence_ends_inside(text):
    assert split(text, first_clause_chars=1000, longest=1000) == [text]


def test_digits_do_not_hide_a_comma():
    assert (
        split("There are 1,000 rooms in 2019, and more", first_clause_chars=20)[0] == "There are 1,000 rooms in 2019,"
    )


def test_sentence_end_after_a_number_an_i_or_an_afternoon():
    assert split("At 5. Then. So do I. Come at 3 p.m. Then we eat.") == [
        "At 5.",
        " Then.",
        " So do I.",
        " Come at 3 p.m.",
        " Then we eat.",
    ]


def test_a_line_end_ends_a_clause():
    assert split("Here it is\nmilk\neggs") == ["Here it is\n", "milk\n", "eggs"]


def test_a_long_sentence_is_cut_at_a_comma():
    sentence = "I looked at the calendar of the whole team for you, and it seems that everybody is away, so we wait"
    clauses = split("Yes. " + sentence, longest=60)
    assert clauses[1:] == [
        " I looked at the calendar of the whole team for you,",
        " and it seems that everybody is away, so we wait",
    ]


def test_text_without_any_mark_is_cut_in_the_end():
    clauses = split("word " * 200)
    assert max(map(len, clauses)) <= 3 * 80 + 5
    assert len(split("好" * 400)) > 3


def test_punctuation_alone_is_no_clause():
    assert split("... \n Well. Then") == ["... \n Well.", " Then"]


def test_flush_leaves_a_new_splitter():
    splitter = ClauseSplitter(first_clause_chars=5)
    splitter.feed("Hello there, my friend. And")
    assert splitter.flush() == " And"
    assert splitter.flush() == ""
    assert splitter.feed("Hello,") == ["Hello,"]


TEXTS = st.text(alphabet='abIDr Zz19.,;:!?…—–"”)\n好的，。！', max_size=160)


@given(TEXTS, st.integers(1, 30), st.integers(10, 90))
def test_clauses_are_the_text(text, first, longest):
    assert "".join(split(text, first_clause_chars=first, longest=longest)) == text


@given(TEXTS, st.lists(st.integers(0, 160), max_size=8))
def test_how_the_text_arrives_changes_nothing(text, cuts):
    splitter = ClauseSplitter(first_clause_chars=8, longest=30)
    bounds = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    clauses = [c for a, b in zip(bounds, bounds[1:], strict=False) for c in splitter.feed(text[a:b])]
    rest = splitter.flush()
    assert clauses + ([rest] if rest else []) == split(text, first_clause_chars=8, longest=30)
