from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.units import has_words, is_han, split_units, unit_key


def test_words_keep_the_space_before_and_the_punctuation_behind() -> None:
    assert split_units(" Wait, it's 8.30 p.m. now!") == [" Wait,", " it's", " 8.30", " p.m.", " now!"]


def test_chinese_characters_stand_alone_between_words() -> None:
    assert split_units("我用Python写,好吗？") == ["我", "用", "Python", "写,", "好", "吗？"]


def test_agreement_ignores_case_and_punctuation() -> None:
    assert unit_key(" Seats.") == unit_key("seats,") == "seats"


def test_punctuation_alone_is_no_word() -> None:
    assert split_units(" ...!") == []
    assert not has_words("。。。")
    assert has_words("好")


def test_han_is_told_from_latin() -> None:
    assert is_han("好,")
    assert not is_han("ok,")


@given(st.text(alphabet=st.sampled_from(list("ab 好是,.'!1é\n")) | st.characters(), max_size=40))
def test_units_make_up_the_whole_text(text: str) -> None:
    units = split_units(text)
    assert "".join(units) == (text if units else "")
    assert all(unit_key(unit) for unit in units)
