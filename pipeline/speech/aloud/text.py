"""What is said for each stretch of a written text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from pipeline.speech.aloud.numbers_english import ENGLISH
from pipeline.speech.aloud.numbers_mandarin import MANDARIN
from pipeline.speech.words import Word, split_words

_HAN = re.compile(r"[\u3400-\u9fff]")
# Nothing that is read differently is longer; a number without end is left to the voice.
_LONGEST = 60

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], int | None], str | None]]


@dataclass(frozen=True)
class Aloud:
    """A text as it is said.

    Attributes:
        text: What a voice speaks.
        words: The written words.
        ends: How many words of ``text`` have been said at the end of each written word; ascending.
    """

    text: str
    words: list[Word]
    ends: list[int]


def read_aloud(text: str, language: str, year: int | None = None) -> Aloud:
    """Write out numbers, times, dates, amounts, units, codes and phone numbers as people say them.

    Args:
        text: Plain text (see ``spoken_text``).
        language: ``en`` or ``zh``; a text with Han characters is Mandarin. Others are left as they are.
        year: The year it is now, which is not said of a date; None to say no year of an ISO date.

    Returns:
        What is said, and which written word each part of it belongs to.
    """
    words = split_words(text)
    if language not in ("en", "zh"):
        return Aloud(text, words, list(range(1, len(words) + 1)))
    rules = MANDARIN if language == "zh" or _HAN.search(text) else ENGLISH
    parts = _parts(text, rules, year)
    said = "".join(part for _, _, part in parts)
    if said == text or not words:
        return Aloud(text, words, list(range(1, len(words) + 1)))
    return Aloud(said, words, _ends(text, words, said, parts))


def _parts(text: str, rules: tuple[Rule, ...], year: int | None) -> list[tuple[int, int, str]]:
    """The text in stretches: from, to, and what is said for it."""
    found: list[tuple[int, int, str]] = []
    for pattern, say in rules:
        for match in pattern.finditer(text):
            start, end = match.span()
            if end - start > _LONGEST or any(start < e and s < end for s, e, _ in found):
                continue
            said = say(match, year)
            if said is not None:
                found.append((start, end, said))
    parts: list[tuple[int, int, str]] = []
    position = 0
    for start, end, said in sorted(found):
        if start > position:
            parts.append((position, start, text[position:start]))
        parts.append((start, end, said))
        position = end
    if position < len(text):
        parts.append((position, len(text), text[position:]))
    return parts


def _ends(text: str, words: list[Word], said: str, parts: list[tuple[int, int, str]]) -> list[int]:
    """How many spoken words are over at the end of each written one.

    Word for word where nothing was rewritten; the words of a rewritten stretch share what is said for it.
    """
    spoken = split_words(said)
    written_in = _per_part([_first_sound(word.start, text) for word in words], [end for _, end, _ in parts])
    limits: list[int] = []
    for _, _, part in parts:
        limits.append((limits[-1] if limits else 0) + len(part))
    spoken_in = _per_part([_first_sound(word.start, said) for word in spoken], limits)
    ends: list[int] = []
    over = 0
    for count, sounds in zip(written_in, spoken_in, strict=True):
        ends += [over + round(sounds * (number + 1) / count) for number in range(count)]
        over += sounds
        if not count and ends:
            ends[-1] = over
    ends[-1] = len(spoken)
    return ends


def _first_sound(start: int, text: str) -> int:
    return next((at for at in range(start, len(text)) if text[at].isalnum()), start)


def _per_part(offsets: list[int], limits: list[int]) -> list[int]:
    """How many of the ascending offsets lie in each part, given where the parts end."""
    counts = [0] * len(limits)
    for offset in offsets:
        counts[min(bisect_right(limits, offset), len(limits) - 1)] += 1
    return counts
