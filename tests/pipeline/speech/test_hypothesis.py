from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.hypothesis import HypothesisBuffer, continuation
from pipeline.speech.units import split_units

vocabulary = st.sampled_from(["I", "like", "window", "seats", "and", "the", "tea", "好", "的", "吗"])
hypothesis_text = st.lists(vocabulary, max_size=8).map(lambda ws: "".join(w if w in "好的吗" else f" {w}" for w in ws))


def test_two_agreeing_hypotheses_make_words_stable() -> None:
    buffer = HypothesisBuffer()
    seen = []
    for text in [" I like win", " I like windows", " I like window seats", " I like window seats"]:
        buffer.insert(text)
        seen.append((buffer.stable, buffer.unstable))
    assert seen == [
        ("", " I like win"),
        (" I like", " windows"),
        (" I like", " window seats"),
        (" I like window", " seats"),
    ]


def test_a_stable_word_takes_the_punctuation_that_follows_it() -> None:
    buffer = HypothesisBuffer()
    buffer.insert(" I like tea")
    buffer.insert(" I like tea. And you")
    buffer.insert(" I like tea. And you too")
    assert buffer.stable == " I like tea. And you"


def test_of_mandarin_two_characters_are_held_back() -> None:
    buffer = HypothesisBuffer()
    buffer.insert("我想订房间")
    buffer.insert("我想订房间")
    assert (buffer.stable, buffer.unstable) == ("我想订", "房间")


def test_a_later_doubt_about_stable_words_changes_only_what_follows() -> None:
    buffer = HypothesisBuffer()
    buffer.insert(" ask not what your")
    buffer.insert(" ask not what your")
    buffer.insert(" asked not what your country can")
    assert buffer.stable == " ask not what your"
    assert buffer.unstable == " country can"


def test_continuation_is_found_though_the_beginning_differs() -> None:
    stable = split_units(" my sister came")
    assert continuation(stable, split_units(" myself sister came home")) == 3
    assert continuation(stable, split_units(" sister came home")) == 2
    assert continuation([], split_units(" hello")) == 0


def test_released_words_leave_the_buffer() -> None:
    buffer = HypothesisBuffer()
    buffer.insert(" one two three four")
    buffer.accept(3)
    assert buffer.release(2) == " one two"
    assert (buffer.stable, buffer.unstable) == (" three", " four")
    buffer.insert(" three four five")
    assert (buffer.stable, buffer.unstable) == (" three four", " five")


@given(st.lists(hypothesis_text, max_size=12))
def test_what_was_stable_never_changes(texts: list[str]) -> None:
    buffer = HypothesisBuffer()
    for text in texts:
        before = buffer.stable
        buffer.insert(text)
        assert buffer.stable.startswith(before)


@given(hypothesis_text)
def test_a_repeated_hypothesis_is_shown_whole_and_stable_but_for_its_end(text: str) -> None:
    buffer = HypothesisBuffer()
    for _ in range(2):
        buffer.insert(text)
        assert buffer.stable + buffer.unstable == text
    assert len(split_units(buffer.unstable)) <= 2


@given(hypothesis_text)
def test_nothing_becomes_stable_the_first_time(text: str) -> None:
    buffer = HypothesisBuffer()
    buffer.insert(text)
    assert buffer.stable == ""
