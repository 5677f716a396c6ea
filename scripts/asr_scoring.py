"""Error rates of recognition: English in words, Mandarin in characters, numbers written out, one Chinese script.

Numbers: ``num2words`` for up to four digits without a leading zero, digit by digit beyond ("10001" is read out as
"one zero zero zero one"). English contractions are written out as Whisper's own normaliser does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import jiwer
from num2words import num2words
from opencc import OpenCC

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_HAN_DIGITS = "零一二三四五六七八九"
_CONTRACTIONS = (
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"'m\b", " am"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
)


def english_words(text: str) -> list[str]:
    """Words as they are compared."""
    text = text.lower().replace("’", "'")
    for pattern, replacement in _CONTRACTIONS:
        text = re.sub(pattern, replacement, text)
    text = re.sub(r"\b([ap])\.m\.?", r"\1m", text)
    text = re.sub(r"(\d)\s?([ap]m)\b", r"\1 \2", text)
    text = re.sub(r"(?<=\d),(?=\d)", "", text)
    text = re.sub(r"\d+", lambda match: f" {_spoken(match[0])} ", text)
    words = re.sub(r"[^\w' ]", " ", text).split()
    return ["zero" if word == "oh" and _beside_digit(words, i) else word for i, word in enumerate(words)]


def mandarin_characters(text: str, script: OpenCC) -> list[str]:
    """Characters as they are compared: Simplified, without punctuation."""
    text = re.sub(r"\d", lambda match: _HAN_DIGITS[int(match[0])], script.convert(text.lower()))
    return [character for character in text if re.match(r"\w", character)]


def error_rate(references: Sequence[Sequence[str]], hypotheses: Sequence[Sequence[str]]) -> float | None:
    """Edits over all recordings per unit of the references.

    Args:
        references: Units of each published transcript.
        hypotheses: Units of what was recognised.

    Returns:
        None if there is no reference.
    """
    if not references:
        return None
    return float(jiwer.wer([" ".join(units) for units in references], [" ".join(units) or "∅" for units in hypotheses]))


def _spoken(digits: str) -> str:
    if len(digits) > 4 or (digits.startswith("0") and len(digits) > 1):
        return " ".join(_DIGITS[int(digit)] for digit in digits)
    return str(num2words(int(digits))).replace("-", " ").replace(" and ", " ")


def _beside_digit(words: Sequence[str], index: int) -> bool:
    return any(word in _DIGITS for word in [*words[max(0, index - 1) : index], *words[index + 1 : index + 2]])
