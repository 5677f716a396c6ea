import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.alignment import map_boundaries, share_out
from pipeline.speech.pitch import UserVoice, shift_pitch
from pipeline.speech.silent import SilentVoice
from pipeline.speech.voice import sounding, timed_words, without_pauses


def spoken(voice, text):
    return [(word.text, word.start, word.end) for chunk in voice.synthesize(text) for word in chunk.words]


def assert_covers(chunk):
    assert chunk.audio.dtype == np.int16 and chunk.audio.ndim == 1
    assert [chunk.words[0].start, chunk.words[-1].end] == [0, len(chunk.audio)]
    assert all(a.end == b.start for a, b in zip(chunk.words, chunk.words[1:], strict=False))
    assert all(word.start <= word.end for word in chunk.words)


# Times


@given(st.lists(st.integers(-50, 500), min_size=1, max_size=12), st.integers(0, 400))
def test_timed_words_are_contiguous_and_cover_the_audio(ends, length):
    words = timed_words(["w"] * len(ends), ends, length)
    assert words[0].start == 0 and words[-1].end == length
    assert all(a.end == b.start and a.start <= a.end for a, b in zip(words, words[1:], strict=False))


def test_the_silence_behind_a_word_belongs_to_the_next():
    audio = np.array([0, 0, 900, 900, 0, 0, 0, 900, 900, 0], dtype=np.int16)
    assert without_pauses([5, 9], audio) == [4, 9]
    assert without_pauses([6, 7, 9], audio) == [4, 7, 9]
    assert sounding(audio) == (2, 9)
    assert sounding(np.zeros(7, dtype=np.int16)) == (0, 7)


def test_boundaries_follow_what_was_merged_unfolded_or_inserted():
    assert map_boundaries("abcd", "abcd", [1, 3, 4]) == [1, 3, 4]
    assert map_boundaries("ab12cd", "abtwelvecd", [2, 4, 6]) == [2, 8, 10]
    assert map_boundaries("abcd", "abXcd", [2, 4]) == [3, 5]
    assert map_boundaries("ab", "XXXX", [1, 2]) == [2, 4]
    assert map_boundaries("", "", [0]) == [0]


@given(st.text(alphabet="abc", max_size=20), st.text(alphabet="abc", max_size=20), st.lists(st.integers(0, 20)))
def test_mapped_boundaries_ascend_and_keep_the_ends(source, target, raw):
    boundaries = sorted(min(b, len(source)) for b in raw)
    mapped = map_boundaries(source, target, boundaries)
    assert mapped == sorted(mapped)
    assert all(0 <= b <= len(target) for b in mapped)
    if source:
        assert map_boundaries(source, target, [0, len(source)]) == [0, len(target)]


def test_shares_are_in_proportion():
    assert share_out([1, 3], 100, 500) == [200, 500]
    assert share_out([0, 0], 0, 10) == [5, 10]


# Silence


def test_silence_lasts_as_long_as_its_characters():
    voice = SilentVoice(sample_rate=15000)
    assert spoken(voice, "Sure, I will.") == [("Sure,", 0, 5000), ("I", 5000, 7000), ("will.", 7000, 13000)]
    assert spoken(SilentVoice(sample_rate=15000), "好的，行") == [
        ("好", 0, 3000),
        ("的，", 3000, 9000),
        ("行", 9000, 12000),
    ]
    assert not any(chunk.audio.any() for chunk in voice.synthesize("Sure."))


def test_a_leading_space_takes_its_time():
    assert spoken(SilentVoice(sample_rate=15000), " I do") == [("I", 0, 2000), ("do", 2000, 5000)]


def test_speed_shortens_and_nothing_to_say_is_nothing():
    assert spoken(SilentVoice(sample_rate=15000).at_speed(2.0), "word") == [("word", 0, 2000)]
    assert list(SilentVoice().synthesize(" … ")) == []


# Pitch


@pytest.mark.parametrize("ratio", [0.8, 1.0, 1.12, 1.5])
def test_pitch_moves_the_frequency_and_the_length(ratio):
    rate, hertz = 22050, 440.0
    tone = (10000 * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)).astype(np.int16)
    shifted = shift_pitch(tone, ratio, rate)
    assert shifted.dtype == np.int16
    assert len(shifted) == pytest.approx(rate / ratio, abs=2)
    peak = np.argmax(np.abs(np.fft.rfft(shifted))) * rate / len(shifted)
    assert peak == pytest.approx(hertz * ratio, abs=2)


def test_pitch_of_nothing_is_nothing():
    assert len(shift_pitch(np.zeros(0, dtype=np.int16), 1.2, 22050)) == 0


def test_the_user_keeps_the_pace_of_the_voice():
    plain, user = SilentVoice(), UserVoice(SilentVoice(), pitch=1.12)
    (expected,), (got,) = list(plain.synthesize("Good morning, Joe.")), list(user.synthesize("Good morning, Joe."))
    assert_covers(got)
    assert len(got.audio) == pytest.approx(len(expected.audio), abs=3)
    assert [w.text for w in got.words] == [w.text for w in expected.words]
    assert all(abs(a.end - b.end) <= 3 for a, b in zip(got.words, expected.words, strict=True))
    assert len(next(user.at_speed(2.0).synthesize("Good morning")).audio) == pytest.approx(12 / 30 * 24000, abs=3)
