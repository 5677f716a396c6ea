from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.decoding import SAMPLE_RATE
from pipeline.speech.language import LanguageLock
from pipeline.speech.outcomes import Final
from pipeline.speech.recognition import Recognition
from pipeline.speech.units import split_units
from pipeline.speech.word_times import timed_words
from tests.fakes.scripted_speech import Room, silence, words


def test_a_word_stands_where_it_is_loud() -> None:
    audio = np.concatenate([silence(1), words(1, 2), silence(1), words(3, 1), silence(0.5)])
    # An alignment gives a pause to the word before it.
    said = timed_words(" I like windows", [(2, 1.3), (7, 2.6), (15, 3.4)], audio, 100.0)
    assert [word.text for word in said] == ["I", "like", "windows"]
    assert [word.start_s for word in said] == pytest.approx([101.0, 101.3, 102.6], abs=0.03)
    assert [word.end_s for word in said] == pytest.approx([101.3, 101.6, 102.9], abs=0.03)


@given(
    st.text(alphabet="ab 好, ", max_size=20),
    st.lists(st.tuples(st.integers(0, 30), st.floats(0, 5)), max_size=5),
    st.lists(st.integers(-3000, 3000), max_size=30),
)
def test_words_follow_each_other_inside_the_audio(text: str, times: list[tuple[int, float]], levels: list[int]) -> None:
    audio = np.repeat(np.array(levels, dtype=np.int16), 900)
    ordered = sorted(times)
    ends = sorted(min(end, len(audio) / SAMPLE_RATE) for _, end in ordered)
    said = timed_words(text, [(place, end) for (place, _), end in zip(ordered, ends, strict=True)], audio, 0.0)
    assert [word.text for word in said] == [unit.strip() for unit in split_units(text)]
    position = 0.0
    for word in said:
        assert position - 1e-9 <= word.start_s <= word.end_s <= len(audio) / SAMPLE_RATE + 1e-9
        position = word.end_s


def finals_with_times(room: Room) -> list[tuple[str, float, float]]:
    """All words of the finals."""
    return [
        (word.text, word.start_s, word.end_s)
        for _, outcome in room.said
        if isinstance(outcome, Final) and outcome.words is not None
        for word in outcome.words()
    ]


@pytest.mark.parametrize("doubted", [set(), {"w4 w5"}])
def test_words_of_every_final_have_the_time_of_the_conversation(doubted: set[str]) -> None:
    room = Room(Recognition(LanguageLock("en"), 0.3))
    # In doubt the second is read together with the first, whose words are not its own.
    room.decoder.doubted = doubted
    room.hear(silence(1), words(1, 3), silence(0.6), words(4, 2), silence(0.6))
    said = finals_with_times(room)
    assert [word for word, _, _ in said] == ["w1", "w2", "w3", "w4", "w5"]
    assert [start for _, start, _ in said] == pytest.approx([1.0, 1.3, 1.6, 2.5, 2.8], abs=0.05)
    assert [end for _, _, end in said] == pytest.approx([1.3, 1.6, 1.9, 2.8, 3.1], abs=0.05)


def test_words_of_long_speech_are_all_there_in_their_places() -> None:
    room = Room(Recognition(LanguageLock("en"), 0.3), delays=[5])
    room.hear(silence(1), words(1, 120), silence(0.6))
    room.finish()
    said = finals_with_times(room)
    assert [word for word, _, _ in said] == [f"w{i}" for i in range(1, 121)]
    assert [start for _, start, _ in said] == pytest.approx([1 + 0.3 * i for i in range(120)], abs=0.1)
