"""Words as the recogniser's hypotheses are compared: a Latin word or number, or one Chinese character."""

from __future__ import annotations

import re

_HAN = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_WORD = rf"(?:(?!{_HAN})\w)+(?:['’.,:\-](?:(?!{_HAN})\w)+)*"
_UNIT = re.compile(rf"\W*(?:{_HAN}|{_WORD})[^\w\s]*")
_IS_HAN = re.compile(_HAN)
_NOT_WORD = re.compile(r"\W+")


def split_units(text: str) -> list[str]:
    """Cut text into units; spaces and punctuation stay with the word they touch.

    Args:
        text: A hypothesis.

    Returns:
        Units whose concatenation is ``text`` again; nothing if it holds no word.
    """
    units = _UNIT.findall(text)
    rest = text[sum(len(unit) for unit in units) :]
    if units and rest:
        units[-1] += rest
    return units


def unit_key(unit: str) -> str:
    """What two hypotheses must share to agree on a unit: the word without case and punctuation."""
    return _NOT_WORD.sub("", unit).casefold()


def is_han(unit: str) -> bool:
    """Whether the unit is a Chinese character (or kana), which is less than a word."""
    return _IS_HAN.search(unit) is not None


def has_words(text: str) -> bool:
    """Whether the text holds anything that can be said."""
    return _UNIT.search(text) is not None
