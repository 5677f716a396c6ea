"""Numbers as people say them: "eighty four", "两百五", "12,5"."""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_SMALL = {word: value for value, word in enumerate(_UNITS.split())}
_TENS = {
    word: (place + 2) * 10 for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_SCALES = {"thousand": 1_000, "million": 1_000_000}
_WORD = "|".join(sorted([*_SMALL, *_TENS, "hundred", *_SCALES], key=len, reverse=True))

NUMBER_EN = (
    r"(?:\d{1,12}(?:[.,]\d{1,6}){0,4}|(?:an?\s+(?=hundred|thousand|million))?"
    rf"(?:{_WORD})(?:[\s-]+(?:and\s+)?(?:{_WORD})){{0,8}})"
)
"""Pattern of an English number, digits or words; match it without regard to case."""

_HAN_DIGITS = {
    **{digit: value for value, digit in enumerate("零一二三四五六七八九")},
    "〇": 0,
    "两": 2,
    "幺": 1,
    "俩": 2,
}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1_000}

NUMBER_ZH = r"(?:\d{1,12}(?:[.,]\d{1,6}){0,4}[万千百]?|[零〇一二两三四五六七八九十百千万]{1,12})"
"""Pattern of a Mandarin number, digits or characters."""


def english_number(said: str) -> float | None:
    """The value of an English number.

    Args:
        said: Such as ``84``, ``1,200.50`` or ``one hundred and five``.

    Returns:
        None where the words do not form one number ("one two three").
    """
    if said[:1].isdigit():
        return _digits(said)
    words = [word for word in re.split(r"[\s-]+", said.lower().strip()) if word not in ("and", "a", "an", "")]
    total, current, last = 0, 0, 0
    for word in words:
        if word in _SMALL:
            if last and (last < 20 or _SMALL[word] >= 10 and last < 100):
                return None
            current, last = current + _SMALL[word], _SMALL[word] or 1
        elif word in _TENS:
            if last and last < 100:
                return None
            current, last = current + _TENS[word], _TENS[word]
        elif word == "hundred":
            if last >= 100:
                return None
            current, last = max(current, 1) * 100, 100
        elif word in _SCALES:
            total, current, last = total + max(current, 1) * _SCALES[word], 0, 1_000
        else:
            return None
    return float(total + current) if words else None


def mandarin_number(said: str) -> float | None:
    """The value of a Mandarin number.

    Args:
        said: Such as ``八十四``, ``两百五``, ``3万`` or ``84``.

    Returns:
        None where the characters do not form one number.
    """
    if said[:1].isdigit():
        scale = {"万": 10_000, "千": 1_000, "百": 100}.get(said[-1], 1)
        value = _digits(said.rstrip("万千百"))
        return None if value is None else value * scale
    if not said:
        return None
    if all(char in _HAN_DIGITS for char in said):
        return float("".join(str(_HAN_DIGITS[char]) for char in said))
    total, section, digit, place, zero = 0, 0, 0, 1, False
    for char in said:
        if char in "零〇":
            zero = True
        elif char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif char in _HAN_PLACES:
            place, zero = _HAN_PLACES[char], False
            section += (digit or 1) * place
            digit = 0
        elif char == "万":
            total, section, digit, place, zero = (total + section + digit) * 10_000, 0, 0, 10_000, False
        else:
            return None
    if digit and place > 10 and not zero:
        digit *= place // 10  # 两百五 is 250
    return float(total + section + digit)


def spoken_digits(said: str) -> str:
    """Digits of a code or a phone number as they are read out: "one double five", "幺三〇".

    Args:
        said: Words, characters or digits with separators.

    Returns:
        The digits; empty where anything else was said.
    """
    out: list[str] = []
    repeat = 1
    for atom in re.findall(r"[A-Za-z]+|\d+|[^\s\-.,]", said):
        word = atom.lower()
        if word in ("double", "triple"):
            repeat = 2 if word == "double" else 3
            continue
        if atom.isascii() and atom.isdigit():
            digits = atom
        elif atom in _HAN_DIGITS:
            digits = str(_HAN_DIGITS[atom])
        elif word in ("oh", "o"):
            digits = "0"
        elif _SMALL.get(word, 99) < 10:
            digits = str(_SMALL[word])
        else:
            return ""
        out.append(digits * repeat)
        repeat = 1
    return "".join(out)


def plain(value: float) -> str:
    """A number without needless decimals: ``84``, ``84.50``."""
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def _digits(said: str) -> float | None:
    text = said
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", text):
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d{1,2}", text):
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None
