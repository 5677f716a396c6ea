"""Codes that name a thing, written or spelled out: rooms (A302), orders (ORD12345678), flights (LH123)."""

from __future__ import annotations

import re

from memory.nouns import Entity
from memory.understanding.values.numbers import NUMBER_EN, english_number, spoken_digits

_DIGIT = (
    r"(?:\d{1,14}|(?:double\s+|triple\s+)?(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
    r"|[零〇一二三四五六七八九幺])"
)
_DIGITS = rf"{_DIGIT}(?:[\s\-.,，]{{0,2}}{_DIGIT}){{0,19}}"
_WRITTEN = re.compile(
    r"(?<![A-Za-z0-9])(?P<letters>[A-Za-z]{1,5})[-–]?(?P<digits>\d{2,14}(?:-\d{2,8}){0,3})(?![A-Za-z0-9])"
)
_SPELLED = re.compile(
    rf"(?<![A-Za-z'])(?P<letters>[A-Za-z](?:[\s\-.]{{1,2}}[A-Za-z]){{1,4}}|(?-i:[A-Z]{{2,5}})"
    rf"|(?P<word>[a-z]{{2,4}})(?=[\s\-.]{{1,2}}(?:\d[\s\-.]?){{5}}))[\s\-.,，]{{0,3}}(?P<digits>{_DIGITS})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_ROOM = re.compile(
    rf"\b(?P<word>room|hall"
    rf"|suite)\s+(?:number\s+)?(?P<letters>[A-Za-z]?)[\s\-.]{{0,2}}(?P<digits>{_DIGITS}(?!\s+hundred)"
    rf"|{NUMBER_EN})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_ONE_LETTER = re.compile(
    rf"(?<![A-Za-z0-9'])(?P<letters>[A-Z]|(?<=\b(?:book|take|room|want|have|than"
    rf"|then)\s)[a-z])[\s\-.]{{1,2}}(?P<digits>{_DIGITS}(?!\s+hundred)|{NUMBER_EN})(?![A-Za-z0-9:])"
    rf"|(?<![A-Za-z0-9])(?P<letter_zh>[A-Za-z])(?P<digits_zh>[零〇一二三四五六七八九幺]{{2,4}})(?![十百千万点块元])"
)
_ROOM_ZH = re.compile(
    r"(?<![A-Za-z\d])(?P<digits>\d{3,4}|[零〇一二三四五六七八九幺]{3,4})(?:号)?(?P<word>会议室|房间|房|教室|室)"
)
_NUMBER = re.compile(
    rf"(?:\b(?:order|tracking|booking|parcel|confirmation|reference|invoice"
    rf"|(?<!phone\s)(?<!my\s)(?<!mobile\s)number)\s+(?:number|no\.?|code"
    rf"|id)?\s*(?:is\s+)?#?\s*(?P<en>{_DIGITS})"
    rf"|(?:订单|单号|快递|运单|包裹|编号)(?:号码|号|编号)?(?:是|为|:|：)?\s*(?P<zh>{_DIGITS}))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NOT_A_CODE = frozenset(
    "am pm at in on to by of is it no ok so or the and for i me my covid mp win"
    " room code call from year phone bill no id was than then with only just over".split()
)
_COUNTED = re.compile(
    r"\s*(?:people|persons?|euros?|dollars?|pounds?|percent|%|degrees?|days?|weeks?|months?|years?|hours?"
    r"|minutes?|o'?clock|[ap]\.?m\b|€|\$)",
    re.IGNORECASE,
)


def codes_in(text: str) -> list[Entity]:
    """Finds codes in English, Mandarin or mixed text.

    Returns:
        Entities of kind ``code``; the value is in capitals without separators: ``A302``, ``ORD12345678``.
    """
    found: list[Entity] = []

    def add(match: re.Match[str], letters: str, digits: str, start: int | None = None) -> None:
        first = match.start() if start is None else start
        shape = _spelled(letters) + _joined(digits)
        spoken_word = letters.lower() in _NOT_A_CODE and not text[first : match.end()].isupper()
        if spoken_word or not re.fullmatch(r"[A-Z]{0,5}\d{2,14}", shape) or _COUNTED.match(text, match.end()):
            return
        if any(first < other.end and other.start < match.end() for other in found):
            return
        found.append(Entity(text[first : match.end()], "code", first, match.end(), shape))

    for match in _WRITTEN.finditer(text):
        add(match, match["letters"], match["digits"])
    for match in _SPELLED.finditer(text):
        if len(_joined(match["digits"])) >= 3:
            add(match, match["letters"], match["digits"])
    for match in _ROOM.finditer(text):
        if len(_joined(match["digits"])) >= 2 or match["letters"]:
            add(match, match["letters"], match["digits"], match.start("letters" if match["letters"] else "digits"))
    for match in _ONE_LETTER.finditer(text):
        digits = match["digits"] or match["digits_zh"]
        if match["letters"] != "I" and 2 <= len(_joined(digits)) <= 4:
            add(match, match["letters"] or match["letter_zh"], digits)
    for match in _ROOM_ZH.finditer(text):
        add(match, "", match["digits"])
    for match in _NUMBER.finditer(text):
        digits = match["en"] or match["zh"]
        if len(_joined(digits)) >= 4:
            add(match, "", digits, match.start("en" if match["en"] else "zh"))
    return sorted(found, key=lambda entity: entity.start)


def code_type(value: str, text: str, topic: str) -> str:
    """What a code names.

    Args:
        value: The code, such as ``A302``.
        text: The words around it.
        topic: What the conversation is about.

    Returns:
        ``room``, ``order``, ``flight`` or ``booking``.
    """
    said = text.lower()
    digits = len(value.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    letters = len(value) - digits
    if letters >= 3 or digits >= 6:
        return "order"
    if letters == 2 and digits >= 2 and (topic == "flight" or re.search(r"\bfl(?:y|ight)|航班|飞机", said)):
        return "flight"
    if re.search(r"\b(?:parcel|package|order|delivery|shipment)\b|快递|包裹|订单|单号", said):
        return "order"
    if re.search(r"\b(?:booking|confirmation|reservation|code)\b|预订号|确认码", said):
        return "booking"
    if (
        letters <= 1
        and digits <= 4
        and (topic in ("", "room", "hotel") or re.search(r"\broom|会议室|房", said) or digits == 3)
    ):
        return "room"
    return "order" if topic == "order" else "booking" if topic else "room"


def _spelled(letters: str) -> str:
    return re.sub(r"[^A-Za-z]", "", letters).upper()


def _joined(digits: str) -> str:
    joined = spoken_digits(digits)
    if joined:
        return joined
    number = english_number(digits.strip())
    return str(int(number)) if number is not None else ""
