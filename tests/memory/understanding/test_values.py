from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.understanding.values.amounts import amounts_in
from memory.understanding.values.codes import code_type, codes_in
from memory.understanding.values.contacts import contacts_in
from memory.understanding.values.numbers import english_number, mandarin_number, spoken_digits


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("eighty four", 84),
        ("one hundred and five", 105),
        ("two thousand three hundred", 2300),
        ("a hundred", 100),
        ("sixty", 60),
        ("1,200.50", 1200.5),
        ("84,50", 84.5),
        ("one two three", None),
        ("twenty thirty", None),
    ],
)
def test_english_numbers(said: str, value: float | None) -> None:
    assert english_number(said) == value


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("八十四", 84),
        ("两百五", 250),
        ("一百零五", 105),
        ("3万", 30_000),
        ("十二", 12),
        ("一千零五十", 1050),
        ("一万二千", 12_000),
    ],
)
def test_mandarin_numbers(said: str, value: float) -> None:
    assert mandarin_number(said) == value


def test_digits_that_are_read_out() -> None:
    assert spoken_digits("one double five oh") == "1550"
    assert spoken_digits("幺三〇 12") == "13012"
    assert spoken_digits("one or two") == ""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("it's eighty four euros", ["84 EUR"]),
        ("eighty four euros and fifty cents", ["84.50 EUR"]),
        ("thirty five fifty euros", ["35.50 EUR"]),
        ("€84.50 or $12", ["84.50 EUR", "12 USD"]),
        ("a hundred bucks", ["100 USD"]),
        ("八十四块。", ["84 CNY"]),
        ("三十块五", ["30.50 CNY"]),
        ("充二十块话费", ["20 CNY"]),
        ("五十美元", ["50 USD"]),
        ("两百五十块钱", ["250 CNY"]),
        ("吃了一块牛排", []),
        ("昨天不小心吃了块牛排", []),
        ("from ten to twelve", []),
    ],
)
def test_amounts_carry_their_currency(text: str, values: list[str]) -> None:
    assert [amount.value for amount in amounts_in(text)] == values


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("Then book A302.", "A302", "room"),
        ("then book a 302", "A302", "room"),
        ("book A three oh two", "A302", "room"),
        ("room B one oh one", "B101", "room"),
        ("那就订A302吧", "A302", "room"),
        ("那就订A三零二吧", "A302", "room"),
        ("三零二会议室", "302", "room"),
        ("Where is my order O R D one two three four five six seven eight?", "ORD12345678", "order"),
        ("o r d one two three four five six seven eight", "ORD12345678", "order"),
        ("ORD 1 2 3 4 5 6 7 8", "ORD12345678", "order"),
        ("O-R-D-1-2-3-4-5-6-7-8", "ORD12345678", "order"),
        ("帮我查一下ORD12345678的物流状态", "ORD12345678", "order"),
        ("O R D 一二三四五六七八", "ORD12345678", "order"),
        ("my parcel number is 12345678", "12345678", "order"),
        ("订单号12345678", "12345678", "order"),
        ("my flight LH 123", "LH123", "flight"),
        ("the booking code is T2093", "T2093", "booking"),
    ],
)
def test_codes(text: str, value: str, kind: str) -> None:
    (code,) = codes_in(text)
    assert code.value == value
    assert text[code.start : code.end] == code.name
    assert code_type(code.value, text, "") == kind


@pytest.mark.parametrize(
    "text",
    [
        "a table for two",
        "at 10 or 11",
        "I 100 percent agree",
        "I am 30",
        "in 2026",
        "a 200 euro bill",
        "3 to 4 pm",
        "we are 12 people",
    ],
)
def test_what_is_no_code(text: str) -> None:
    assert codes_in(text) == []


@given(st.text("ABCDEFGHJKLMNPQRSTUVWXYZ", min_size=2, max_size=4), st.text("0123456789", min_size=6, max_size=10))
def test_a_code_is_found_written_and_read_out(letters: str, digits: str) -> None:
    words = "zero one two three four five six seven eight nine".split()
    written, spelled = letters + digits, " ".join([*letters, *(words[int(d)] for d in digits)])
    assert [c.value for c in codes_in(f"where is {written} now")] == [written]
    assert [c.value for c in codes_in(f"check {spelled}.")] == [written]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my number is +49 170 1234567", "+491701234567"),
        ("one seven two five five five one two three four", "1725551234"),
        ("我的电话是13812345678", "13812345678"),
        ("我的电话是一三八一二三四五六七八", "13812345678"),
        ("write to Anna.K@example.com please", "anna.k@example.com"),
        ("anna at example dot com", "anna@example.com"),
        ("我的邮箱是zhang.wei@example.com", "zhang.wei@example.com"),
    ],
)
def test_contacts(text: str, value: str) -> None:
    (contact,) = contacts_in(text)
    assert contact.value == value


def test_a_date_is_no_phone_number() -> None:
    assert contacts_in("2026-03-15") == []
