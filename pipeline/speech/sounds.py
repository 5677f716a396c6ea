"""How words sound, so that a name can be told from what a recogniser wrote in its place.

Latin words become the phonemes that espeak-ng gives them in American English, Chinese characters the initial and
the final of their Pinyin without the tone. How unlike two sounds are is a number between 0 and 1: vowels are easily
mistaken for each other, and so are consonants of the same place or manner (Miller & Nicely 1955), and the pairs of
Mandarin that speakers of many regions do not tell apart (zh/z, n/l, in/ing …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.speech.espeak import Phonemizer

_ESPEAK_VOICE = "en-us"
_WORD = re.compile(r"[^\W\d_一-鿿]+(?:['’][^\W\d_一-鿿]+)*|[一-鿿]")
_STRESS = frozenset("ˈˌː ,.;:!?‿-")
_VOWELS = frozenset("aeiouæɑɒɔəɛɜɪʊʌɐɚᵻyøœ")
_NEAR_CONSONANTS = tuple(
    frozenset(group)
    for group in ("pb", "td", "kɡg", "fv", "szʃʒ", "θðtdfs", "mnŋ", "lɹrɾ", "wʊuv", "jiʲ", "tɾd", "xhk", "bv")
)
_NEAR_PINYIN = tuple(
    frozenset(pair.split())
    for pair in (
        "zh z", "ch c", "sh s", "n l", "l r", "f h", "j q", "q x", "j x",
        "-in -ing", "-en -eng", "-an -ang", "-ian -iang", "-uan -uang", "-un -ong", "-ian -ie", "-un -uen",
    )
)  # fmt: skip

# Costs of taking one sound for another; 1 is any other.
NEAR_VOWEL = 0.4
NEAR_CONSONANT = 0.5
NEAR_PINYIN = 0.2
# Cost of a sound too many or too few.
EXTRA_VOWEL = 0.6
EXTRA_SOUND = 1.0


@dataclass(frozen=True)
class SoundingWord:
    """A Latin word or one Chinese character.

    Attributes:
        start: First character in the text.
        end: One past the last.
        sounds: Phonemes, or ``initial`` and ``-final``.
    """

    start: int
    end: int
    sounds: tuple[str, ...]


class Sounds:
    """Says how a text sounds; remembers words, and how unlike two sounds are."""

    def __init__(self) -> None:
        self._espeak = Phonemizer(_ESPEAK_VOICE)
        self._known: dict[str, tuple[str, ...]] = {}
        self._costs: dict[tuple[str, str], float] = {}

    def words(self, text: str) -> list[SoundingWord]:
        """The words of a text that have a sound.

        Args:
            text: Any text; digits and punctuation are passed over.

        Returns:
            In order.
        """
        found = [SoundingWord(m.start(), m.end(), self._sounds(m.group())) for m in _WORD.finditer(text)]
        return [word for word in found if word.sounds]

    def cost(self, heard: str, meant: str) -> float:
        """What ``substitution_cost`` gives; there are few sounds, so each pair is compared once.

        Args:
            heard: A sound.
            meant: Another.
        """
        pair = (heard, meant)
        if pair not in self._costs:
            self._costs[pair] = substitution_cost(heard, meant)
        return self._costs[pair]

    def _sounds(self, word: str) -> tuple[str, ...]:
        if word not in self._known:
            if len(self._known) >= 20_000:
                self._known.clear()
            self._known[word] = tuple(_pinyin(word) if is_han(word) else self._phonemes(word))
        return self._known[word]

    def _phonemes(self, word: str) -> Iterator[str]:
        for sound in self._espeak.phonemes(word):
            if sound not in _STRESS:
                yield "ə" if sound == "ɐ" else sound


def is_han(text: str) -> bool:
    """Whether a text begins with a Chinese character."""
    return "一" <= text[:1] <= "鿿"


def substitution_cost(heard: str, meant: str) -> float:
    """How unlike two sounds are.

    Args:
        heard: A sound.
        meant: Another.

    Returns:
        0 for the same, 1 for sounds that nobody confuses.
    """
    if heard == meant:
        return 0.0
    if heard in _VOWELS and meant in _VOWELS:
        return NEAR_VOWEL
    if any(heard in group and meant in group for group in _NEAR_CONSONANTS):
        return NEAR_CONSONANT
    return NEAR_PINYIN if any(heard in pair and meant in pair for pair in _NEAR_PINYIN) else 1.0


def extra_cost(sound: str) -> float:
    """What a sound too many, or too few, counts."""
    return EXTRA_VOWEL if sound in _VOWELS else EXTRA_SOUND


def _pinyin(character: str) -> Iterator[str]:
    # It takes a fifth of a second, which a conversation without Chinese characters need not wait for.
    from pypinyin import Style, lazy_pinyin

    initial = lazy_pinyin(character, style=Style.INITIALS, strict=False)[0]
    final = lazy_pinyin(character, style=Style.FINALS, strict=False)[0]
    if initial:
        yield initial
    if final:
        yield f"-{final}"
