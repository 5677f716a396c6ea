from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.words import Spacing, has_words, split_words


def words(text):
    return [word.text for word in split_words(text)]


def test_latin_words_keep_their_punctuation_and_case():
    assert words("Sure, I will look.") == ["Sure,", "I", "will", "look."]


def test_every_han_character_is_a_word_with_the_punctuation_behind_it():
    assert words("好的，我看看。") == ["好", "的，", "我", "看", "看。"]


def test_numbers_and_latin_inside_mandarin_stay_whole():
    assert words("明天10:30，房间是A12。") == ["明", "天", "10:30，", "房", "间", "是", "A12。"]
    assert words("我用 Python 写代码") == ["我", "用", "Python", "写", "代", "码"]


def test_opening_quotes_go_with_the_word_they_open():
    assert words("他说：“好。”我走了") == ["他", "说：", "“好。”", "我", "走", "了"]
    assert words('He said ( "no" ) twice') == ["He", "said", '( "no" )', "twice"]


def test_lone_punctuation_joins_the_word_before_it():
    assert words("Sure – I will … look !") == ["Sure –", "I", "will …", "look !"]


def test_nothing_to_say_is_no_words():
    assert words(" … —  ") == []


@given(st.text(alphabet="ab Z19.,!?-–“”()\n好的，。《》", max_size=40))
def test_words_are_the_text_but_for_white_space(text):
    found = split_words(text)
    assert all(text[word.start : word.end] == word.text for word in found)
    assert all(has_words(word.text) for word in found)
    if found:
        assert "".join("".join(words(text)).split()) == "".join(text.split())
    else:
        assert not has_words(text)


@given(st.text(alphabet="ab Z19.,-“”好的，。", max_size=40))
def test_spacing_gives_the_text_back(text):
    spacing = Spacing(text)
    joined = "".join(spacing.lead(word) + word for word in words(text))
    if has_words(text):
        assert " ".join(joined.split()) == " ".join(text.split())
