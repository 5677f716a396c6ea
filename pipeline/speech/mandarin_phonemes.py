"""Mandarin text to the phonemes that Kokoro was trained on, character by character.

The phonemes are those of misaki's ``ZHG2P``; here every one stays tied to the character it came from, and
Latin words inside a Mandarin text are pronounced by espeak in place of being spelled as raw letters.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

import cn2an
import jieba
from misaki.zh import ZHG2P
from pypinyin import Style, lazy_pinyin

from pipeline.speech.espeak import Phonemizer

jieba.setLogLevel(logging.WARNING)

_SEGMENT = re.compile(r"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z'’.-]*|.", re.DOTALL)
_LONG_NUMBER = re.compile(r"[0-9]{7,}")  # telephone numbers and the like: digit by digit
_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
# espeak writes diphthongs and affricates as two symbols, Kokoro's vocabulary has one.
_FROM_ESPEAK = (
    ("eɪ", "A"), ("aɪ", "I"), ("oʊ", "O"), ("aʊ", "W"), ("ɔɪ", "Y"), ("tʃ", "ʧ"), ("dʒ", "ʤ"),
    ("ɝ", "ɜɹ"), ("ɚ", "əɹ"), ("ɐ", "ə"), ("ː", ""), ("ʲ", ""),
)  # fmt: skip


@dataclass(frozen=True)
class Sound:
    """What one character of a text contributes to its phonemes.

    Attributes:
        character: The character, digits already written out.
        phonemes: Its phonemes; empty for what is not heard.
    """

    character: str
    phonemes: str


class MandarinPhonemes:
    """Turns Mandarin text into phonemes."""

    def __init__(self) -> None:
        self._english = Phonemizer("en-us")

    def sounds(self, text: str) -> list[Sound]:
        """Pronounce a text.

        Args:
            text: Plain text.

        Returns:
            One sound per character of the text as it is read, numbers written out.
        """
        sounds: list[Sound] = []
        for segment in _SEGMENT.findall(_numbers_written_out(text)):
            if "\u4e00" <= segment[0] <= "\u9fff":
                sounds += _han(segment)
            elif segment[0].isascii() and segment[0].isalpha():
                sounds.append(Sound(segment[0], self._latin(segment)))
                sounds += [Sound(character, "") for character in segment[1:]]
            else:
                mark = ZHG2P.map_punctuation(segment)
                sounds.append(Sound(segment, f"{mark} " if mark else " "))
        return sounds

    def _latin(self, word: str) -> str:
        phonemes = "".join(self._english.phonemes(word))
        for before, after in _FROM_ESPEAK:
            phonemes = phonemes.replace(before, after)
        return f" {phonemes} "


def _han(segment: str) -> list[Sound]:
    """Pronounce a run of Han characters; the words that jieba finds decide how characters are read."""
    sounds: list[Sound] = []
    for word in jieba.lcut(segment, cut_all=False):
        syllables = lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True)
        if len(syllables) != len(word):
            syllables = [lazy_pinyin(character, style=Style.TONE3)[0] for character in word]
        phonemes = [_syllable(syllable) for syllable in syllables]
        if sounds:
            phonemes[0] = f" {phonemes[0]}"
        sounds += [Sound(character, heard) for character, heard in zip(word, phonemes, strict=True)]
    return sounds


def _syllable(pinyin: str) -> str:
    try:
        return ZHG2P.py2ipa(pinyin).replace("\u032f", "")
    except (ValueError, AssertionError, IndexError, KeyError):
        return ""  # a character without a known reading


def _numbers_written_out(text: str) -> str:
    text = _LONG_NUMBER.sub(lambda number: "".join(_DIGITS[digit] for digit in number.group()), text)
    try:
        written: str = cn2an.transform(text, "an2cn")
    except (ValueError, KeyError, IndexError):
        written = text
    return "".join(_DIGITS.get(character, character) for character in written)
