from __future__ import annotations

import numpy as np
import pytest

from pipeline.speech.trimming import cut_after, is_quiet, quietest, unit_ends


def test_units_end_where_their_words_end() -> None:
    assert unit_ends(" one two", [(4, 0.5), (8, 1.2)], 2.0) == [0.5, 1.2]


def test_without_word_times_time_is_shared_out() -> None:
    assert unit_ends(" one two", [], 2.0) == pytest.approx([1.0, 2.0])


def test_cut_at_the_last_sentence_end_of_the_second_half() -> None:
    units = [" I", " came.", " He", " went", " home.", " Then", " we", " ate"]
    ends = [float(i) for i in range(1, 9)]
    assert cut_after(units, ends, units[:7], 10.0) == 5
    assert cut_after(units, ends, units[:7], 5.0) == 2


def test_without_a_sentence_as_much_as_is_settled() -> None:
    units = [" a", " b", " c", " d"]
    assert cut_after(units, [1.0, 2.0, 3.0, 4.0], units[:3], 10.0) == 3


def test_nothing_goes_before_it_is_stable_or_from_the_last_seconds() -> None:
    units = [" a", " b"]
    assert cut_after(units, [1.0, 2.0], [], 10.0) == 0
    assert cut_after(units, [9.0, 9.5], units, 10.0) == 0


def test_reworded_stable_words_go_together_or_not() -> None:
    assert cut_after([" x", " b", " c"], [1.0, 2.0, 3.0], [" a", " b"], 10.0) == 2


def test_the_cut_moves_into_the_pause() -> None:
    audio = np.full(16000, 3000, dtype=np.int16)
    audio[8800:9600] = 0
    assert 8800 <= quietest(audio, 8000) < 9600
    assert quietest(audio[:100], 50) == 50


def test_quiet_is_measured_against_the_speech() -> None:
    audio = np.concatenate([np.full(8000, 9000), np.full(1600, 20)]).astype(np.int16)
    assert is_quiet(audio, 8000, 0.03)
    assert not is_quiet(audio, 7000, 0.03)
    assert is_quiet(audio, len(audio), 0.03)
    assert is_quiet(audio[:10], 0, 0.03)
