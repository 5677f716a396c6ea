"""English times of day: "half past seven", "from ten to twelve", "2 to 4 p.m.", "at three"."""

from __future__ import annotations

import re

from memory.understanding.times.pieces import MAX_PIECES, Clock, Piece
from memory.understanding.words.analysis import overlaps

_HOUR_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
_MINUTE_WORDS = {
    "oh five": 5,
    "five": 5,
    "ten": 10,
    "fifteen": 15,
    "twenty": 20,
    "twenty five": 25,
    "thirty": 30,
    "thirty five": 35,
    "forty": 40,
    "forty five": 45,
    "fifty": 50,
    "fifty five": 55,
}
_HOUR = rf"(?:2[0-4]|1\d|0?\d|{'|'.join(_HOUR_WORDS)})"
_MINUTE = "|".join(word.replace(" ", "[ -]") for word in sorted(_MINUTE_WORDS, key=len, reverse=True) if word != "five")
_TO_MINUTE = r"five|ten|twenty(?:[ -]five)?|5|10|20|25"
_NOT_COUNTED = (
    r"(?!\s*-?\s*(?:people|persons?|guests?|adults?|kids|children|of\b|seats?|tickets?|nights?|days?|weeks?"
    r"|months?|years?|hours?|hrs?|minutes?"
    r"|mins?|seconds?|euros?|dollars?|pounds?|bucks|yuan|rmb|cents?|eur|usd|percent|degrees?|kilomet|km|miles?"
    r"|met(?:er|re)s?|hundred|thousand"
    r"|million|more|other|rooms?|beds?|times?|pieces?|items?|things?|stars?|points?|(?:st|nd|rd|th)\b|january"
    r"|february|march|april|june|july"
    r"|august|september|october|november|december|[€$£%°])|[\d/]|[.:,]\d|[A-Za-z])"
)


def _clock(name: str) -> str:
    return (
        rf"(?:(?P<{name}noon>noon|midday|midnight)"
        rf"|(?P<{name}rel>half|(?:a\s+)?quarter|(?:{_TO_MINUTE})(?:\s+minutes?)?)\s+(?P<{name}dir>past|to"
        rf"|after|before)\s+(?P<{name}relh>{_HOUR})"
        rf"|(?P<{name}h>{_HOUR})(?:[:.](?P<{name}m>[0-5]\d)(?!\d)"
        rf"|\s+(?P<{name}mw>{_MINUTE})(?![\w-]))?(?P<{name}oc>\s*o'?\s?clock)?"
        rf")(?:\s*(?P<{name}ap>[ap]\.?\s?m\b\.?))?"
    )


def _plain_clock(name: str) -> str:
    """A clock without "ten to", which a range would swallow."""
    return (
        rf"(?:(?P<{name}noon>noon|midday|midnight)|(?P<{name}rel>half|(?:a\s+)?quarter)\s+(?P<{name}dir>past"
        rf"|to)\s+(?P<{name}relh>{_HOUR})"
        rf"|(?P<{name}h>{_HOUR})(?:[:.](?P<{name}m>[0-5]\d)(?!\d)"
        rf"|\s+(?P<{name}mw>{_MINUTE})(?![\w-]))?(?P<{name}oc>\s*o'?\s?clock)?"
        rf")(?:\s*(?P<{name}ap>[ap]\.?\s?m\b\.?))?"
    )


_BEFORE = r"(?<![\w.:/€$£#-])"
_RANGE = re.compile(
    rf"(?:\b(?P<lead>from|between)\s+|{_BEFORE}){_plain_clock('a')}\s*(?:\bto\b|\buntil\b|\btill?\b"
    rf"|\bthrough\b|-|–|—|\band\b(?<=and))\s*"
    rf"{_plain_clock('b')}{_NOT_COUNTED}(?!-)",
    re.IGNORECASE,
)
_PREPOSITION = (
    r"(?:at|by|i\s+mean(?:t)?|i\s+said|or\s+rather|around|about|before|after|until|till|from|since|(?:reminder"
    r"|alarm|appointment|meeting|it)\s+for|make\s+it|let's\s+say|say|(?:move|change|shift|push|put|bring|switch"
    r"|reschedule)d?\s+"
    r"(?:it\s+|that\s+|the\s+\w+\s+)?(?:back\s+|forward\s+|up\s+)?to|tomorrow|today|tonight|morning|afternoon"
    r"|evening|(?:mon|tues|wednes"
    r"|thurs|fri|satur|sun)day)"
)
_LOOSE = re.compile(rf"\b(?P<prep>{_PREPOSITION})\s+(?P<clock>{_clock('a')}){_NOT_COUNTED}", re.IGNORECASE)
_STRICT = re.compile(rf"{_BEFORE}{_clock('a')}{_NOT_COUNTED}", re.IGNORECASE)


def clock_pieces(text: str, taken: list[tuple[int, int]]) -> list[Piece]:
    """Finds times of day.

    Args:
        text: What was said.
        taken: Spans that are something else, such as dates.

    Returns:
        Without overlaps among themselves or with ``taken``.
    """
    pieces: list[Piece] = []
    spans = list(taken)

    def add(start: int, end: int, first: Clock | None, last: Clock | None = None) -> None:
        if first and len(pieces) < MAX_PIECES and not overlaps(start, end, spans):
            spans.append((start, end))
            pieces.append(Piece(start, end, clock=first, until=last))

    for match in _RANGE.finditer(text):
        if not _is_range(match, text):
            spans += [match.span()] if match["lead"] else []
        else:
            add(match.start(), match.end(), _value(match, "a"), _value(match, "b"))
    for match in _LOOSE.finditer(text):
        add(match.start("clock"), match.end("clock"), _value(match, "a"))
    for match in _STRICT.finditer(text):
        if _says_clock(match):
            add(match.start(), match.end(), _value(match, "a"))
    return pieces


def _is_range(match: re.Match[str], text: str) -> bool:
    first, last = _value(match, "a"), _value(match, "b")
    if not first or not last or first == last:
        return False
    lead, said = (match["lead"] or "").lower(), match[0].lower()
    if lead == "between":
        return True
    if re.search(r"\band\b", said):
        return False
    if lead:
        return not re.search(r"\b(?:scale|rate|count|rated)\b[^.?!]*$", text[: match.start()], re.IGNORECASE)
    before = text[: match.start()].rstrip().lower()
    minutes_to = (
        re.fullmatch(rf"(?:{_TO_MINUTE})", (match["ah"] or "").lower()) and not match["am"] and not match["amw"]
    )
    return not (minutes_to and re.search(r"\b(?:at|by|around|about|before|after|until|till|since)$", before))


def _says_clock(match: re.Match[str]) -> bool:
    if match["anoon"] or match["aap"] or match["aoc"]:
        return True
    if match["arel"]:
        return match["arel"].lower() in ("half", "quarter", "a quarter") or match["adir"].lower() == "past"
    if match["am"]:
        return ":" in match[0]
    spelled = match["amw"] and not match["ah"].isdigit()
    return bool(spelled and _MINUTE_WORDS[_key(match["amw"])] in (15, 30, 45))


def _key(said: str) -> str:
    return " ".join(said.lower().replace("-", " ").split())


def _hour(said: str) -> int:
    return int(said) if said.isdigit() else _HOUR_WORDS.index(said.lower()) + 1


def _value(match: re.Match[str], name: str) -> Clock | None:
    if match[f"{name}noon"]:
        return Clock(0 if match[f"{name}noon"].lower() == "midnight" else 12, fixed=True)
    half = (match[f"{name}ap"] or "").lower()[:1]
    if match[f"{name}rel"]:
        said = _key(match[f"{name}rel"]).removeprefix("a ").removesuffix(" minutes").removesuffix(" minute")
        minutes = {"half": 30, "quarter": 15}.get(said) or _MINUTE_WORDS.get(said) or int(said)
        hour = _hour(match[f"{name}relh"])
        if match[f"{name}dir"].lower() in ("to", "before"):
            hour, minutes = (hour - 1) or 12, 60 - minutes
        return _clock_value(hour, minutes, half)
    minute = (
        int(match[f"{name}m"])
        if match[f"{name}m"]
        else _MINUTE_WORDS[_key(match[f"{name}mw"])]
        if match[f"{name}mw"]
        else 0
    )
    return _clock_value(_hour(match[f"{name}h"]), minute, half, zero_led=match[f"{name}h"].startswith("0"))


def _clock_value(hour: int, minute: int, half: str, *, zero_led: bool = False) -> Clock | None:
    if hour == 24 and minute:
        return None
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return Clock(hour, minute, fixed=bool(half) or hour > 12 or hour == 0 or zero_led)
