"""How English speakers say what is written in digits: "ten thirty", "eighty-four euros", "A three oh two"."""

from __future__ import annotations

import re
from collections.abc import Callable

from num2words import num2words

Say = Callable[[re.Match[str], int | None], str | None]

_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS)])
_DIGITS = "zero one two three four five six seven eight nine".split()
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MONEY = {
    "EUR": ("euro", "euros", "cent", "cents"),
    "USD": ("dollar", "dollars", "cent", "cents"),
    "GBP": ("pound", "pounds", "penny", "pence"),
    "CNY": ("yuan", "yuan", "fen", "fen"),
    "JPY": ("yen", "yen", "", ""),
    "CHF": ("franc", "francs", "cent", "cents"),
    "INR": ("rupee", "rupees", "paisa", "paise"),
}
_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "￥": "CNY", "₹": "INR"}
_CODES = "|".join([*_MONEY, "RMB"])
_UNITS = {
    "°C": ("degree", "degrees"), "℃": ("degree", "degrees"), "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "℉": ("degree Fahrenheit", "degrees Fahrenheit"), "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
    "km/h": ("kilometre an hour", "kilometres an hour"), "mph": ("mile an hour", "miles an hour"),
    "m²": ("square metre", "square metres"), "km²": ("square kilometre", "square kilometres"),
    "km": ("kilometre", "kilometres"), "cm": ("centimetre", "centimetres"), "mm": ("millimetre", "millimetres"),
    "kg": ("kilogram", "kilograms"), "mg": ("milligram", "milligrams"), "ml": ("millilitre", "millilitres"),
    "kWh": ("kilowatt hour", "kilowatt hours"), "GB": ("gigabyte", "gigabytes"), "MB": ("megabyte", "megabytes"),
    "min": ("minute", "minutes"), "hrs": ("hour", "hours"), "hr": ("hour", "hours"), "h": ("hour", "hours"),
    "m": ("metre", "metres"), "g": ("gram", "grams"), "l": ("litre", "litres"), "s": ("second", "seconds"),
}  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_BEFORE = r"(?<![\w.,:/€$£¥+-])"
_AFTER = r"(?![\w]|[.,:]\d)"
_CLOCK = r"(?P<h{0}>[01]?\d|2[0-4]):(?P<m{0}>[0-5]\d)"
_HALF = r"(?:\s?(?P<ap{0}>[ap])\.?\s?m\b\.?(?!\w))?"


def cardinal(number: str) -> str:
    """A number in words: "one thousand two hundred", "three point five"."""
    plain = number.replace(",", "")
    whole, _, rest = plain.partition(".")
    said = str(num2words(int(whole))).replace(",", "") if len(whole) <= 15 else digits(whole)
    return f"{said} point {digits(rest)}" if rest else said


def digits(number: str, zero: str = "zero") -> str:
    """One digit after the other."""
    return " ".join(zero if digit == "0" else _DIGITS[int(digit)] for digit in number)


def grouped(number: str) -> list[str]:
    """A long number in groups of three and four: 555 123 4567."""
    groups = []
    while number:
        size = 4 if len(number) in (4, 8) else 3
        groups.append(number[:size])
        number = number[size:]
    return groups


def ordinal(number: int) -> str:
    """Such as "eleventh"."""
    return str(num2words(number, to="ordinal"))


def _year(number: int) -> str:
    return str(num2words(number, to="year")).replace(" and ", " ")


def _day(year: int | None, month: int, day: int, now: int | None) -> str | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    said = f"{_MONTHS[month - 1]} {ordinal(day)}"
    return said if year is None or now is None or year == now else f"{said}, {_year(year)}"


def _iso_date(match: re.Match[str], now: int | None) -> str | None:
    return _day(int(match["y"]), int(match["mo"]), int(match["d"]), now)


def _named_date(match: re.Match[str], now: int | None) -> str | None:
    name, day = (match["m1"], match["d1"]) if match["m1"] else (match["m2"], match["d2"])
    month = next(i for i, known in enumerate(_MONTHS, 1) if known.lower().startswith(name.lower()[:3]))
    year = match["y"]
    if not 1 <= int(day) <= 31:
        return None
    said = (
        f"{_MONTHS[month - 1]} {ordinal(int(day))}"
        if match["m1"]
        else f"the {ordinal(int(day))} of {_MONTHS[month - 1]}"
    )
    if match["m2"] and re.search(r"\bthe\s+$", match.string[: match.start()], re.IGNORECASE):
        said = said.removeprefix("the ")
    return f"{said}, {_year(int(year))}" if year else said


def _hour(hour: int) -> str:
    return _DIGITS[hour] if 0 < hour < 10 else cardinal(str(hour))


def _clock(hour: int, minute: int, half: str, *, bare: bool = False) -> str:
    """A time of day; ``bare`` leaves "o'clock" out, as in a range."""
    if hour in (0, 24) and not minute and not half:
        return "midnight"
    if not half and hour > 12:
        half, hour = "p", hour - 12
    elif hour == 0:
        half, hour = half or "a", 12
    said = _hour(hour)
    if minute:
        said += f" oh {_DIGITS[minute]}" if minute < 10 else f" {cardinal(str(minute))}"
    if half:
        return f"{said} {half.lower()}.m."
    return said if minute or bare else f"{said} o'clock"


def _time(match: re.Match[str], _: int | None) -> str | None:
    return _stop(match, _clock(int(match["h0"]), int(match["m0"]), (match["ap0"] or "").lower()))


def _stop(match: re.Match[str], said: str) -> str:
    """One full stop is enough where "p.m." ends a sentence."""
    following = match.string[match.end() : match.end() + 1]
    return said[:-1] if said.endswith(".") and following == "." else said


def _time_range(match: re.Match[str], _: int | None) -> str | None:
    first, last = (int(match["h1"]), int(match["m1"])), (int(match["h2"]), int(match["m2"]))
    half = (match["ap2"] or "").lower()
    begin = _clock(*first, (match["ap1"] or "").lower(), bare=True)
    end = _clock(*last, half, bare=True)
    if begin.endswith(" p.m.") and end.endswith(" p.m."):
        begin = begin.removesuffix(" p.m.")
    return _stop(match, f"{begin} to {end}")


def _short_time(match: re.Match[str], _: int | None) -> str | None:
    hour = int(match["h"])
    return _stop(match, f"{_hour(hour)} {match['ap'].lower()}.m.") if 1 <= hour <= 12 else None


def _amount(match: re.Match[str], _: int | None) -> str | None:
    code = _SYMBOLS[match["sign"]] if match["sign"] else match["code"].upper().replace("RMB", "CNY")
    one, many, cent, cents = _MONEY[code]
    number = match["n"].replace(",", "")
    whole, rest = (number + ".").split(".")[:2]
    said = f"{cardinal(whole)} {one if whole == '1' else many}"
    if not rest or not int(rest):
        return said
    if len(rest) > 2 or not cent:
        return f"{cardinal(number)} {many}"
    small = int(rest.ljust(2, "0"))
    coins = f"{cardinal(str(small))} {cent if small == 1 else cents}"
    return coins if not int(whole) else f"{said} and {coins}"


def _spelled_amount(match: re.Match[str], _: int | None) -> str | None:
    """84.50 euros: what is behind the point is cents."""
    small = int(match["c"])
    coins = "pence" if match["unit"].lower() == "pounds" else "cents"
    return f"{cardinal(match['n'])} {match['unit']}" + (f" and {cardinal(str(small))} {coins}" if small else "")


def _measure(match: re.Match[str], _: int | None) -> str | None:
    one, many = _UNITS[match["unit"]]
    minus = "minus " if match["minus"] else ""
    first = f"{cardinal(match['from'])} to " if match["from"] else ""
    return f"{minus}{first}{cardinal(match['n'])} {one if match['n'] == '1' and not first else many}"


def _phone(match: re.Match[str], _: int | None) -> str | None:
    plus = "plus " if match[0].startswith("+") else ""
    groups = re.findall(r"\d+", match[0])
    if sum(map(len, groups)) < 7:
        return None
    if len(groups) == 1 and len(groups[0]) > 4:
        groups = grouped(groups[0])
    return plus + ", ".join(digits(group) for group in groups if group)


def _code(match: re.Match[str], _: int | None) -> str | None:
    letters, number = match["letters"], match["digits"]
    if letters.upper() in ("AM", "PM") or (letters.islower() and len(letters) > 1):
        return None
    is_word = len(letters) > 1 and (not letters.isupper() or (len(letters) > 3 and re.search(r"[AEIOU]", letters)))
    spelled = letters if is_word else " ".join(letters.upper())
    number = re.sub(r"\D", "", number)
    short = len(number) <= 2 and not number.startswith("0")
    said = cardinal(number) if short else digits(number, "oh" if len(number) <= 4 else "zero")
    # The hyphen makes a letter of what would be the article.
    return re.sub(r"\bA (?=\w)", "A-", f"{spelled} {said}")


def _room(match: re.Match[str], _: int | None) -> str | None:
    return digits(match["n"], "oh")


_FRACTIONS = {"1/2": "a half", "1/3": "a third", "2/3": "two thirds", "1/4": "a quarter", "3/4": "three quarters"}


def _fraction(match: re.Match[str], _: int | None) -> str | None:
    return _FRACTIONS.get(match[0], match[0])


def _ordinal(match: re.Match[str], _: int | None) -> str | None:
    return ordinal(int(match["n"]))


def _number_range(match: re.Match[str], _: int | None) -> str | None:
    return f"{cardinal(match['a'])} to {cardinal(match['b'])}"


def _year_alone(match: re.Match[str], _: int | None) -> str | None:
    return _year(int(match["y"]))


def _plain(match: re.Match[str], _: int | None) -> str | None:
    number = match["n"]
    if len(number.replace(",", "").partition(".")[0]) > 6 and "," not in number:
        return digits(number) if "." not in number else None
    if number.startswith("0") and len(number) > 1 and number[1] != ".":
        return digits(number, "zero")
    return ("minus " if match["minus"] else "number " if match["hash"] else "") + cardinal(number)


def _address(match: re.Match[str], _: int | None) -> str | None:
    return re.sub(r"\.", " dot ", match[0]).replace("@", " at ").replace("_", " underscore ").replace("-", " dash ")


def _rule(pattern: str, say: Say) -> tuple[re.Pattern[str], Say]:
    return re.compile(pattern, re.IGNORECASE), say


ENGLISH: tuple[tuple[re.Pattern[str], Say], ...] = (
    _rule(r"(?<![\w.])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", _address),
    _rule(rf"{_BEFORE}(?P<y>\d{{4}})-(?P<mo>\d\d)-(?P<d>\d\d)(?![\w-])", _iso_date),
    _rule(
        rf"\b(?:(?P<m1>{_MONTH})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?|(?P<d2>\d{{1,2}})(?:st|nd|rd"
        rf"|th)?\s+(?:of\s+)?(?P<m2>{_MONTH}))"
        r"\b(?:,?\s+(?P<y>(?:19|20)\d\d)\b)?(?![:\d])",
        _named_date,
    ),
    _rule(
        rf"{_BEFORE}{_CLOCK.format(1)}{_HALF.format(1)}\s*(?:-|–|—|\bto\b"
        rf"|\buntil\b)\s*{_CLOCK.format(2)}{_HALF.format(2)}(?![\w:])",
        _time_range,
    ),
    _rule(rf"{_BEFORE}{_CLOCK.format(0)}{_HALF.format(0)}(?![\w:])", _time),
    _rule(rf"{_BEFORE}(?P<h>\d{{1,2}})\s?(?P<ap>[ap])\.?\s?m\b\.?(?!\w)", _short_time),
    _rule(
        rf"(?:(?P<sign>[€$£¥￥₹])|{_BEFORE}(?P<code>{_CODES}))\s?(?P<n>{_NUMBER})(?!\d|\s?(?:million|billion))",
        _amount,
    ),
    _rule(rf"{_BEFORE}(?P<n>{_NUMBER})\s?(?:(?P<code>{_CODES})\b|(?P<sign>[€£¥￥₹]|\$(?!\d)))", _amount),
    _rule(rf"{_BEFORE}(?P<n>\d{{1,6}})\.(?P<c>\d\d)\s(?P<unit>euros|dollars|pounds)\b", _spelled_amount),
    _rule(
        rf"(?:(?<![\w.,:/€$£¥+-])(?P<minus>[-−])"
        rf"|{_BEFORE})(?:(?P<from>{_NUMBER})\s?[-–]\s?)?(?P<n>{_NUMBER})\s?(?-i:(?P<unit>{_UNIT}))(?![\w²/])",
        _measure,
    ),
    _rule(r"(?<![\w.,])\+?\(?\d[\d\s()-]{5,18}\d(?![\w.,]\d|\w)", _phone),
    _rule(
        r"(?<![A-Za-z0-9])(?P<letters>[A-Za-z]{1,5})[-–]?(?P<digits>\d{2,14}(?:-\d{2,8}){0,3})(?![A-Za-z0-9])", _code
    ),
    _rule(r"(?<=\b(?:room|gate|line|code|hall|unit)\s)(?P<n>\d{3,4})(?![\w.,:/-]\d|\w)", _room),
    _rule(r"(?<![\w.,/])\d{1,2}/\d{1,4}(?:/\d{2,4})?(?![\w/])", _fraction),
    _rule(rf"{_BEFORE}(?P<n>\d{{1,4}})(?:st|nd|rd|th)\b", _ordinal),
    _rule(rf"{_BEFORE}(?P<a>\d{{1,4}})\s?[-–]\s?(?P<b>\d{{1,4}})(?![\w-]|[.,:]\d)", _number_range),
    _rule(r"(?<=\b(?:in|of)\s)(?P<y>(?:19|20)\d\d)\b(?!\s*(?:euros|dollars|pounds|people))", _year_alone),
    _rule(rf"(?:(?<![\w.,:/-])(?P<minus>[-−])|(?P<hash>#)|{_BEFORE})(?P<n>{_NUMBER}){_AFTER}", _plain),
)
