"""Whatever a recogniser writes, reading it never fails and never points outside the text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory.inner_state import InnerState, StateHistory
from memory.nouns import Understanding
from memory.understanding import Understander

Read = Callable[..., Understanding]

WORDS = (
    "i my dog is called bruno live in berlin book a room a302 from ten to twelve tomorrow no wait make it friday pay"
    " eighty four euros remind me to call her what about hamburg on sunday at half past seven for two people not the um"
    " uh ' . , ? ! allergic nuts never forget original 10 12 2026 31 ord 12345678 @ €"
).split()
CHARACTERS = (
    "我的狗叫布鲁诺住在北京帮查一下明天上午十点到二会议室订改成周五呢吗吧不对算了还是原来八四块提醒她打电话，。？ A302"
)
said = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.text(CHARACTERS, max_size=80),
    st.lists(st.sampled_from([*WORDS, *CHARACTERS]), max_size=40).map("".join),
)


@settings(
    deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(said, min_size=1, max_size=3), st.sampled_from(["en", "zh", "auto", "de", None]))
@example(["9999年99月99日 99点到99点 in 99999999999 years on the 31st of february 0:00-24:00"], "zh")
@example(["in 5000 years", "5000年后 月月号", "24 to 24", "零点到二十四点"], None)
def test_any_text_can_be_read_and_its_events_applied(
    understander: Understander, texts: list[str], language: str | None
) -> None:
    history = StateHistory()
    for number, text in enumerate(texts, 1):
        read = understander.understand(
            text, now=datetime(2026, 2, 28, 23, 59), state=history.current, language=language
        )
        assert read.text == text
        for entity in read.entities:
            assert 0 <= entity.start < entity.end <= len(text)
            assert text[entity.start : entity.end] == entity.name
        spans = [(e.start, e.end) for e in read.entities]
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:], strict=False))
        assert all(claim.subject and claim.attribute and claim.value for claim in read.claims)
        for event in read.updates:
            history.apply(event, number)


def test_an_empty_text_says_nothing(read: Read) -> None:
    for text in ("", "   ", "\n", "…", "?"):
        nothing = read(text)
        assert (nothing.entities, nothing.claims, nothing.updates) == ((), (), ())


@pytest.mark.parametrize(
    "text",
    [
        "Wie ist das Wetter und wo ist mein Paket, bitte?",
        "¿Dónde está mi paquete? Por favor, es para mi madre.",
        "Où est mon colis, je suis à Paris et il est tard.",
        "今日の天気はどうですか",
        "내일 날씨 어때",
        "Где моя посылка?",
    ],
)
def test_other_languages_are_left_alone(read: Read, text: str) -> None:
    other = read(text)
    assert (other.entities, other.claims, other.updates) == ((), (), ())


def test_a_long_monologue_is_read_to_its_end(read: Read) -> None:
    said = "Well, you know, I was walking through the park and the weather was fine. " * 26
    text = said[:1_900] + " My dog is called Bruno. Remind me to call Anna tomorrow."
    long = read(text)
    assert [c.value for c in long.claims if c.attribute == "dog's name"] == ["Bruno"]
    assert [type(event).__name__ for event in long.updates][:1] == ["TaskStarted"]


def test_both_languages_in_one_sentence(read: Read) -> None:
    mixed = read("帮我 book 一下 A302 明天下午三点")
    assert [e.value for e in mixed.entities if e.kind == "code"] == ["A302"]
    assert [e.value for e in mixed.entities if e.kind == "time"] == ["2026-03-11 15:00"]


def test_reading_changes_nothing_in_the_state(read: Read) -> None:
    state = InnerState(task="book a meeting room", topic="room", status="in_progress", facts={"date": "2026-03-11"})
    before = state.to_json()
    read("Wait, make it Friday at three, and book A302.", state)
    assert state.to_json() == before


def test_typographic_apostrophes_are_apostrophes(read: Read) -> None:
    assert [c.value for c in read("My dog’s name is Bruno.").claims] == ["Bruno"]
