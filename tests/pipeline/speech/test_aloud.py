"""Numbers, times, dates, amounts, units and codes as people say them; the words heard stay the written ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.aloud import AloudVoice, read_aloud
from pipeline.speech.silent import SilentVoice
from pipeline.speech.voice import SpokenChunk, timed_words
from pipeline.speech.words import has_words, split_words

ENGLISH = [
    ("free from 10:00-12:00", "free from ten to twelve"),
    ("from 14:00 to 16:30.", "from two to four thirty p.m."),
    ("at 9:05, 12:00 and 20:00", "at nine oh five, twelve o'clock and eight p.m."),
    ("3:30 pm or 8 am", "three thirty p.m. or eight a.m."),
    ("on 2026-03-11", "on March eleventh"),
    ("on 2027-03-11", "on March eleventh, twenty twenty-seven"),
    ("March 11, the 3rd of May, 3 April", "March eleventh, the third of May, the third of April"),
    ("84 EUR", "eighty-four euros"),
    ("€84.50 or $1", "eighty-four euros and fifty cents or one dollar"),
    ("$1,200 and 84.50 euros", "one thousand two hundred dollars and eighty-four euros and fifty cents"),
    ("26°C, -5 °C, 15%", "twenty-six degrees, minus five degrees, fifteen percent"),
    ("5-7 km, 3.5 kg", "five to seven kilometres, three point five kilograms"),
    ("room A302, B101", "room A-three oh two, B one oh one"),
    ("ORD12345678", "O R D one two three four five six seven eight"),
    ("room 302, 302 people", "room three oh two, three hundred and two people"),
    ("call 555 123 4567", "call five five five, one two three, four five six seven"),
    ("anna@example.com", "anna at example dot com"),
    ("in 2026, 3/4 of 1,250", "in twenty twenty-six, three quarters of one thousand two hundred and fifty"),
    ("1/2/2026 v1.2.3 2x B2B", "1/2/2026 v1.2.3 2x B2B"),
]
MANDARIN = [
    ("明天10:00-12:00", "明天十点到十二点"),
    ("14:30到16:00", "下午两点半到四点"),
    ("下午14:00，9:05", "下午两点，九点零五分"),
    ("2026-03-11", "三月十一号"),
    ("2026年3月11日", "二零二六年三月十一日"),
    ("84 EUR，¥84.5，$2", "八十四欧元，八十四点五元，两美元"),
    ("26°C，-5度，15%", "二十六度，零下五度，百分之十五"),
    ("A302，302会议室", "A三零二，三零二会议室"),
    ("ORD12345678", "O R D一二三四五六七八"),
    ("13800138000", "幺三八，零零幺三，八零零零"),
    ("2个人，第2个，12位，5-7天", "两个人，第二个，十二位，五到七天"),
    ("1,200元，3.5公里", "一千二百元，三点五公里"),
]


@pytest.mark.parametrize(("written", "said"), ENGLISH)
def test_english(written, said):
    assert read_aloud(written, "en", 2026).text == said


@pytest.mark.parametrize(("written", "said"), MANDARIN)
def test_mandarin(written, said):
    assert read_aloud(written, "zh", 2026).text == said


def test_other_languages_are_left_to_the_voice():
    assert read_aloud("um 10:30, 84 EUR", "de").text == "um 10:30, 84 EUR"


def test_the_script_decides_between_the_two():
    assert read_aloud("好的，A302", "en").text == "好的，A三零二"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_written_word_ends_with_the_last_word_that_is_said_for_it(language):
    aloud = read_aloud("Room A302 costs 84 EUR now.", "en")
    spoken = [word.text for word in split_words(aloud.text)]
    said = {word.text: end for word, end in zip(aloud.words, aloud.ends, strict=True)}
    assert spoken[: said["A302"]] == "Room A-three oh two".split()
    assert spoken[: said["84"]][-1] == "eighty-four"
    assert spoken[: said["EUR"]][-1] == "euros"
    assert said["now."] == len(spoken)


PIECES = st.sampled_from(
    "10:00-12:00 10:30 14:00 2026-03-11 84 EUR €84.50 $5 26°C 15% A302 ORD12345678 +49 30 1234567 13800138000 3 3rd "
    "March 11, 5-7 km (A302) 1/2 yes. 你好 好的。 2个 第2个 下午 3.5 #4 a@b.co to , pm -5 度 1.2.3 "
    "99999999999999999999".split()
)
WRITTEN = st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=8).map("".join)
ANY = st.text(alphabet="0123456789:.,-/%°€$ aAmpMk点年月日号个二好。()#@+", max_size=40)


class ChoppyVoice(SilentVoice):
    """Speaks a chunk for every few words, as voices do for sentences."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def synthesize(self, text):
        words = [word.text for word in split_words(text)]
        for start in range(0, len(words), self._size):
            part = words[start : start + self._size]
            ends = [(number + 1) * 100 for number in range(len(part))]
            yield SpokenChunk(np.zeros(ends[-1] + 7, np.int16), timed_words(part, ends, ends[-1] + 7))


@given(WRITTEN | ANY, st.sampled_from(["en", "zh"]), st.integers(1, 5))
def test_the_words_of_a_voice_are_the_written_ones_and_cover_its_audio(text, language, size):
    voice = ChoppyVoice(size)
    voice.language = language
    chunks = list(AloudVoice(voice, lambda: 2026).synthesize(text))
    assert [word.text for chunk in chunks for word in chunk.words] == [word.text for word in split_words(text)]
    for chunk in chunks:
        if chunk.words:
            assert (chunk.words[0].start, chunk.words[-1].end) == (0, len(chunk.audio))
        assert all(a.end == b.start for a, b in zip(chunk.words, chunk.words[1:], strict=False))


@given(WRITTEN | ANY, st.sampled_from(["en", "zh"]))
def test_what_is_said_has_a_word_wherever_something_was_written(text, language):
    aloud = read_aloud(text, language, 2026)
    assert has_words(aloud.text) == has_words(text)
    assert aloud.ends == sorted(aloud.ends)
    assert len(aloud.ends) == len(aloud.words)
    assert not aloud.ends or aloud.ends[-1] == len(split_words(aloud.text))


@given(st.text(alphabet="abcdefXYZ ,.?!'好的吗，。", max_size=60), st.sampled_from(["en", "zh"]))
def test_words_without_digits_are_said_as_they_are_written(text, language):
    assert read_aloud(text, language).text == text
