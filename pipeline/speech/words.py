"""Words as they are spoken and counted: whitespace for Latin scripts, single characters for Han.

One definition serves the voice (which times words), the aggregator (which stores the words that were
heard) and whoever compares the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Scripts without spaces between words: CJK ideographs and kana.
_HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OPENERS = "（《「『【〈"
_CLOSERS = "，。！？；：、）》」』】〉～"
_QUOTE_OPENERS = "“‘([{<\"'" + _OPENERS

_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_UNIT = re.compile(f"[{_OPENERS}]*(?:[{_HAN}]|[^\\s{_HAN}{_OPENERS}{_CLOSERS}]+)[{_CLOSERS}]*|[{_OPENERS}{_CLOSERS}]+")


@dataclass(frozen=True)
class Word:
    """A word in a text; ``text == source[start:end]``.

    Attributes:
        text: The word with the punctuation that belongs to it, as written.
        start: Offset of its first character in the source.
        end: Offset behind its last character.
    """

    text: str
    start: int
    end: int


def is_han(character: str) -> bool:
    """Whether a character belongs to a script that writes no spaces between words."""
    return bool(_HAN_CHARACTER.match(character))


def has_words(text: str) -> bool:
    """Whether anything in the text can be spoken: a letter or a digit."""
    return any(character.isalnum() for character in text)


def split_words(text: str) -> list[Word]:
    """Split a text into words.

    A Han character is a word; elsewhere whitespace separates. Punctuation belongs to the word before it,
    an opening bracket or quote to the word after it; a token without a letter or digit joins its neighbour.

    Args:
        text: Plain text, no markup.

    Returns:
        The words in order; they cover every character but the whitespace between words. Empty if the text
        has neither letter nor digit.
    """
    spans: list[tuple[int, int]] = []
    opening: int | None = None  # where punctuation that waits for its word begins
    for match in _UNIT.finditer(text):
        start, end = match.span()
        if has_words(match.group()):
            spans.append((start if opening is None else opening, end))
            opening = None
        elif spans and opening is None and match.group()[0] not in _QUOTE_OPENERS:
            spans[-1] = (spans[-1][0], end)
        elif opening is None:
            opening = start
    if opening is not None and spans:
        spans[-1] = (spans[-1][0], len(text.rstrip()))
    return [Word(text[start:end], start, end) for start, end in spans]


class Spacing:
    """Gives words back the whitespace that stands before them in their text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def lead(self, word: str) -> str:
        """Return ``" "`` if whitespace separates the word from what precedes it in the text, else ``""``.

        Args:
            word: The next word of the text.
        """
        found = self._text.find(word, self._position)
        if found < 0 or self._text[self._position : found].strip():
            return "" if is_han(word[:1]) else " "
        separated = found > self._position
        self._position = found + len(word)
        return " " if separated else ""
