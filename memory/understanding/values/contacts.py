"""Phone numbers and e-mail addresses, written or spoken."""

from __future__ import annotations

import re

from memory.nouns import Entity
from memory.understanding.values.numbers import spoken_digits

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9_.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,3}\.[A-Za-z]{2,10}(?![A-Za-z0-9_])"
)
_SPOKEN_EMAIL = re.compile(
    r"\b(?P<name>[A-Za-z0-9][\w-]{0,30}(?:\s+dot\s+[A-Za-z0-9][\w-]{0,30}){0,2})\s+at\s+"
    r"(?P<host>[A-Za-z0-9][\w-]{0,30}(?:\s+dot\s+[A-Za-z0-9][\w-]{0,20}){0,2}\s+dot\s+(?:com|org|net|de|cn|edu"
    r"|io|eu|co))\b",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![A-Za-z0-9_.])(?:\+|00)?\(?\d(?:[\s\-/().]{0,2}\d){6,14}(?![A-Za-z0-9_-])")
_DIGIT_WORD = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|(?:double|triple)\s+(?:zero|oh|one|two|three"
    r"|four|five|six|seven|eight|nine))"
)
_SPOKEN_PHONE = re.compile(rf"\b(?:plus\s+)?{_DIGIT_WORD}(?:[\s,-]+{_DIGIT_WORD}){{6,14}}\b", re.IGNORECASE)
_PHONE_ZH = re.compile(
    r"(?<![零〇一二两三四五六七八九幺十百千万])[零〇一二三四五六七八九幺](?:[\s，,]?[零〇一二三四五六七八九幺]){6,14}(?![零〇一二三四五六七八九幺十百千万])"
)
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}")


def contacts_in(text: str) -> list[Entity]:
    """Finds phone numbers and e-mail addresses.

    Returns:
        Entities of kind ``contact``; the value is the address in lower case, or the digits, with ``+`` if it was said.
    """
    found: list[Entity] = []

    def add(start: int, end: int, value: str) -> None:
        if all(end <= other.start or other.end <= start for other in found):
            found.append(Entity(text[start:end], "contact", start, end, value))

    for match in _EMAIL.finditer(text):
        add(*match.span(), match[0].lower())
    for match in _SPOKEN_EMAIL.finditer(text):
        value = re.sub(r"\s+dot\s+", ".", f"{match['name']}@{match['host']}".lower())
        add(*match.span(), value)
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) >= 7 and not _DATE.search(match[0]):
            add(*match.span(), "+" + digits if match[0].startswith("+") else digits)
    for pattern in (_SPOKEN_PHONE, _PHONE_ZH):
        for match in pattern.finditer(text):
            said = re.sub(r"^plus\s+", "", match[0], flags=re.IGNORECASE)
            digits = spoken_digits(said)
            if digits:
                add(*match.span(), "+" + digits if said != match[0] else digits)
    return sorted(found, key=lambda entity: entity.start)
