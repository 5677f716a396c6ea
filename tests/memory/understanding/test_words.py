from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.nouns import Understanding
from memory.understanding.words.english import clauses_en
from memory.understanding.words.language import language_of
from memory.understanding.words.mandarin import clauses_zh

Read = Callable[..., Understanding]


@pytest.mark.parametrize(
    ("text", "hint", "language"),
    [
        ("find me a room", "en", "en"),
        ("帮我查一下", "en", "zh"),
        ("帮我查一下ORD12345678的物流", "auto", "zh"),
        ("A302", "zh", "zh"),
        ("then book the room 会议室 for me please", "en", "en"),
        ("Wie ist das Wetter und wo ist mein Paket", "en", "und"),
        ("今日の天気はどうですか", "en", "und"),
        ("", "auto", "en"),
        ("¿Dónde está mi paquete por favor? con la", "es", "es"),
    ],
)
def test_language(text: str, hint: str, language: str) -> None:
    assert language_of(text, hint) == language


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My manager Daniel moved the deadline again.", [("Daniel", "person")]),
        ("remind me to call mia on sunday", [("Mia", "person")]),
        ("my dog is called bruno", [("Bruno", "person")]),
        ("What about Hamburg?", [("Hamburg", "place")]),
        ("whats the weather in munich", [("Munich", "place")]),
        ("Send Mia fifty dollars", [("Mia", "person")]),
        ("I work at Siemens with Anna Schmidt.", [("Siemens", "organisation"), ("Anna Schmidt", "person")]),
        ("My sister is vegan", []),
        ("please pay my phone bill", []),
        ("我们经理老陈又改了截止日期", [("老陈", "person")]),
        ("跟我妹妹小米聊聊", [("小米", "person")]),
        ("给小米转五十美元", [("小米", "person")]),
        ("周四巴黎会下雨吗", [("巴黎", "place")]),
        ("西安明天会下雪吗", [("西安", "place")]),
        ("我吃了一个汉堡", []),
        ("我妹妹在柏林工作", [("柏林", "place")]),
    ],
)
def test_names(read: Read, text: str, names: list[tuple[str, str]]) -> None:
    found = [e for e in read(text).entities if e.kind in ("person", "place", "organisation")]
    assert [(e.value or e.name, e.kind) for e in found] == names


def test_entities_come_in_order_with_their_values(read: Read) -> None:
    entities = read("Tell Anna that A302 costs 84 euros tomorrow.").entities
    assert [(e.kind, e.value) for e in entities] == [
        ("person", "Anna"),
        ("code", "A302"),
        ("amount", "84 EUR"),
        ("time", "2026-03-11"),
    ]


def test_clauses_end_at_punctuation_or_where_something_new_begins() -> None:
    said = "my dog is called bruno and i live in munich please find me a room"
    assert [c.text for c in clauses_en(said)] == [
        "my dog is called bruno",
        "and i live in munich",
        "please",
        "find me a room",
    ]
    assert [c.text for c in clauses_zh("我的狗叫布鲁诺帮我查一下明天的天气")] == [
        "我的狗叫布鲁诺",
        "帮我查一下明天的天气",
    ]


def test_only_the_clause_that_asks_is_a_question() -> None:
    said = clauses_en("I have a meeting tomorrow, what is on my calendar then?")
    assert [c.is_question for c in said] == [False, True]
    assert [c.is_question for c in clauses_zh("我的狗叫豆豆，它几岁了？")] == [False, True]


def test_a_growing_sentence_gives_the_same_reading_as_a_whole_one(read: Read) -> None:
    said = "My sister Mia lives in Hamburg. Remind me to call her on Sunday."
    for end in range(0, len(said), 7):
        read(said[:end])
    grown = read(said)
    assert [c.value for c in grown.claims] == ["Mia", "Hamburg"]
    assert grown == read(said)
