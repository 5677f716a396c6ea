"""English expressions of time: "tomorrow from ten to twelve", "next Friday at half past seven", "in two hours"."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from memory.understanding.times.clocks_english import clock_pieces
from memory.understanding.times.pieces import (
    MAX_PIECES,
    Piece,
    TimeMention,
    add_months,
    calendar_date,
    day_of_month,
    join_pieces,
    moment,
    next_weekday,
    span_days,
    weekday_of_week,
    weekend,
)
from memory.understanding.values.numbers import NUMBER_EN, english_number
from memory.understanding.words.analysis import overlaps

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = "january february march april may june july august september october november december".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth"
    " seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth"
    " twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_WEEKDAY = "|".join(_WEEKDAYS)
_MONTH = "|".join(
    [*_MONTHS, *(f"{name[:3]}\\." for name in _MONTHS), "jan", "feb", "apr", "aug", "sept?", "oct", "nov", "dec"]
)
_ORDINAL = "|".join(word.replace("-", "[- ]") for word in sorted(_ORDINALS, key=len, reverse=True))
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL})"
_COUNT = rf"(?:{NUMBER_EN}|an?\s+couple\s+of|a\s+few|an?|half\s+an)"
_AND_A_HALF = r"(?P<half>\s+and\s+a\s+half)?"
_UNIT = r"(?P<unit>minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|weekends?)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_AGO = _pattern(rf"\b(?P<n>{_COUNT})\s+(?:and\s+a\s+half\s+)?{_UNIT}\s+(?:ago|earlier)\b")
_IN = _pattern(
    rf"\b(?:in\s+(?P<n>{_COUNT})\s+{_UNIT}{_AND_A_HALF}(?:'?\s+time)?(?!\s+a\b)"
    rf"|(?P<n2>{_COUNT})\s+(?P<unit2>minutes?|hours?|days?|weeks?|months?)\s+from\s+(?:this\s+)?"
    rf"(?P<from>now|today|tomorrow|{_WEEKDAY}))\b"
)
_COUNTED_WEEKDAY = _pattern(
    rf"\bin\s+(?P<n>{_COUNT})\s+weeks?(?:'?\s+time)?,?\s+(?:on\s+)?(?:a\s+|the\s+)?(?P<day>{_WEEKDAY})\b"
    rf"|\b(?P<day2>{_WEEKDAY})\s+in\s+(?P<n2>{_COUNT})\s+weeks?(?:'?\s+time)?\b"
)
_FOR = _pattern(
    rf"\bfor\s+(?:about\s+|around\s+)?(?P<n>{_COUNT})\s+(?P<unit>minutes?|mins?|hours?|hrs?){_AND_A_HALF}\b"
)
_FIXED = _pattern(
    r"\b(?:the\s+)?(?:(?P<after>day\s+after\s+tomorrow)|(?P<before>day\s+before\s+yesterday)"
    r"|(?P<next>day\s+after(?:\s+that)?|following\s+day|next\s+day)(?!\s+tomorrow)"
    r"|(?P<previous>day\s+before(?:\s+that)?|previous\s+day)|(?P<same>(?:that|the|same|very)\s+same\s+day"
    r"|that\s+day|same\s+day)"
    r"|(?P<today>today)|(?P<tomorrow>tomorrow|tmrw)|(?P<yesterday>yesterday)|(?P<tonight>tonight)"
    r"|(?P<lastnight>last\s+night)"
    r"|this\s+(?P<thispart>morning|afternoon|evening))\b(?!'s\s+my\b)"
)
_EVERY = _pattern(
    rf"\b(?:(?P<every>every\s+(?:single\s+|other\s+)?(?:day|morning|afternoon|evening|night|week|weekend|month"
    rf"|year|weekday|{_WEEKDAY}))"
    rf"|(?P<plural>on\s+(?:{_WEEKDAY}|weekday|weekend)s)|(?P<daily>daily|weekly|monthly|yearly))\b"
)
_WEEKDAY_RE = _pattern(
    rf"\b(?:(?P<week>this|next|last)\s+week\s+(?:on\s+)?)?(?:(?P<mod>this\s+coming|this|next|coming|last|past)\s+)?"
    rf"(?P<day>{_WEEKDAY})(?:\s+(?:of\s+)?(?P<week2>this|next|last|that)\s+week|\s+(?P<on>week)(?!\w)"
    rf"|\s+(?P<after>after\s+next))?\b"
    rf"(?!\s+(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)|{_ORDINAL}|\d{{1,2}}\s+(?:of\s+)?(?:{_MONTH}))\b)(?!\s*'s)"
)
_DAY_MONTH = _pattern(
    rf"\b(?:(?:{_WEEKDAY}),?\s+)?(?:the\s+)?(?:(?P<d1>{_DAY})\s+(?:of\s+)?(?P<m1>{_MONTH})"
    rf"|(?P<m2>{_MONTH})\s+(?:the\s+)?(?P<d2>{_DAY}))\b"
    r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
)
_DAYS_OF_MONTH = _pattern(
    rf"\b(?:(?:the\s+)?(?P<d1>{_DAY})\s*(?:to|till|until|through|-"
    rf"|–)\s*(?:the\s+)?(?P<d2>{_DAY})\s+(?:of\s+)?(?P<m1>{_MONTH})"
    rf"|(?P<m2>{_MONTH})\s+(?:the\s+)?(?P<d3>{_DAY})\s*(?:to|till|until|through|-"
    rf"|–)\s*(?:the\s+)?(?P<d4>{_DAY}))\b(?!\s*(?:{_MONTH}|[ap]\.?m|o'clock)\b)"
)
_NUMERIC = _pattern(
    r"(?<![\d.\-/])(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<dots>\d{1,2}\.\d{1,2}\.(?:\d{4})?)"
    r"|(?P<slash>\d{1,2}/\d{1,2}(?:/\d{4})?))(?![\d/])"
)
_THE_DAY = _pattern(
    rf"\b(?:(?:{_WEEKDAY}),?\s+)?(?:on|by|for|from)?\s*(?<=\s)the\s+(?P<d>\d{{1,2}}(?:st|nd|rd"
    rf"|th)|{_ORDINAL})"
    r"(?=\s*(?:$|[,.?!;])|\s+(?:at|from|in|please|and|instead|between|for|around|then|to|till|until|through)\b)"
)
_WEEK = _pattern(
    r"\b(?:(?P<mod>this|next|last|coming)\s+(?P<unit>weekend|week|month|year)"
    r"|(?P<weekend>(?:the|on|at\s+the)\s+weekend)|end\s+of\s+(?:the|this)\s+month)\b(?!\s+(?:on\s+)?(?:"
    + _WEEKDAY
    + r"))"
)
_YEAR = _pattern(r"\b(?:in|since)\s+(?P<year>(?:19|20)\d\d)\b(?!\s*(?:euros?|dollars?|pounds?|people|[-/.:]\d))")
_PART = _pattern(
    r"(?<!good )(?<!good\s)\b(?:in\s+the\s+|during\s+the\s+|at\s+(?=night)|the\s+)?(?:early\s+"
    r"|late\s+)?(?P<part>morning|afternoon|evening|night)\b"
)
_GAP = _pattern(r"[\s,]*(?:(?:at|on|in|the|from|of|for|around|about|by|and|between|starting|sometime)[\s,]+)*")
_BETWEEN_DAYS = _pattern(r"\s*(?:to|till|until|through|-|–)\s*(?:the\s+)?")
_MINUTES = {"m": 1, "h": 60}


def read_times_en(
    text: str,
    now: datetime,
    *,
    anchor: date | None = None,
    evening: bool = False,
    near: int | None = None,
    past_at: Callable[[int], bool] = lambda offset: False,
) -> list[TimeMention]:
    """Finds the times in an English text.

    Args:
        text: What was said.
        now: The session's local clock.
        anchor: The day that "the day after" counts from; tomorrow's eve (today) where there is none.
        evening: Whether an hour without more is an evening hour ("dinner at eight").
        near: The hour said before, which an hour without more is close to.
        past_at: Whether the words at an offset look back, which turns "on Monday" into the last one.

    Returns:
        In order of appearance, without overlaps.
    """
    pieces: list[Piece] = []
    today = now.date()

    def add(piece: Piece | None) -> None:
        if (
            piece
            and len(pieces) < MAX_PIECES
            and not overlaps(piece.start, piece.end, [(p.start, p.end) for p in pieces])
        ):
            pieces.append(piece)

    for match in _COUNTED_WEEKDAY.finditer(text):
        weeks, weekday = (
            _count(match["n"] or match["n2"]) or 0,
            _WEEKDAYS.index((match["day"] or match["day2"]).lower()),
        )
        add(Piece(*match.span(), day=weekday_of_week(today, weekday, min(round(weeks), 500))))
    for match in _AGO.finditer(text):
        add(_shift(match, match["n"], match["unit"], now, -1, today))
    for match in _IN.finditer(text):
        origin = _origin((match["from"] or "").lower(), today)
        add(_shift(match, match["n"] or match["n2"], match["unit"] or match["unit2"], now, 1, origin))
    for match in _FOR.finditer(text):
        count = (_count(match["n"]) or 0) + (0.5 if match["half"] else 0)
        add(Piece(match.start(), match.end(), minutes=round(count * _MINUTES[match["unit"][0].lower()])))
    for match in _EVERY.finditer(text):
        add(Piece(match.start(), match.end(), every=_repeats(match)))
    for match in _FIXED.finditer(text):
        add(_fixed_day(match, today, anchor))
    for match in _DAYS_OF_MONTH.finditer(text):
        add(_days_of_month(match, now))
    for match in _DAY_MONTH.finditer(text):
        add(_day_month(match, now, past_at(match.start())))
    for match in _NUMERIC.finditer(text):
        add(_numeric(match, now, past_at(match.start())))
    for match in _WEEKDAY_RE.finditer(text):
        add(_weekday(match, today, anchor, past_at(match.start())))
    for match in _THE_DAY.finditer(text):
        day = day_of_month(_ordinal(match["d"]), now, past=past_at(match.start()))
        add(Piece(match.start(), match.end(), day=day) if day else None)
    for match in _YEAR.finditer(text):
        year = int(match["year"])
        add(Piece(match.start(), match.end(), day=date(year, 1, 1), last_day=date(year, 12, 31)))
    for match in _WEEK.finditer(text):
        add(_week(match, today))
    for piece in clock_pieces(text, [(p.start, p.end) for p in pieces]):
        add(piece)
    for match in _PART.finditer(text):
        add(Piece(match.start(), match.end(), part=match["part"].lower()))
    return join_pieces(text, span_days(text, pieces, _BETWEEN_DAYS), _GAP, now, evening=evening, near=near)


def _origin(said: str, today: date) -> date:
    """The day that "a week from Monday" counts from."""
    if said in _WEEKDAYS:
        return next_weekday(today, _WEEKDAYS.index(said))
    return today + timedelta(days=1) if said == "tomorrow" else today


def _count(said: str) -> float | None:
    word = " ".join(said.lower().split())
    fixed = {"a": 1.0, "an": 1.0, "half an": 0.5, "a couple of": 2.0, "a few": 3.0}
    return fixed[word] if word in fixed else english_number(word)


def _shift(match: re.Match[str], said: str, unit: str, now: datetime, sign: int, origin: date) -> Piece | None:
    count = _count(said)
    if count is None or count > 5_000:
        return None
    count = sign * (count + (0.5 if match.groupdict().get("half") else 0))
    start, end, kind = match.start(), match.end(), unit.lower()
    if kind.startswith("min"):
        return moment(start, end, now, timedelta(minutes=count))
    if kind.startswith("h"):
        return moment(start, end, now, timedelta(hours=count))
    if kind.startswith("day"):
        return Piece(start, end, day=origin + timedelta(days=round(count)))
    if kind.startswith("weekend"):
        return None
    if kind.startswith("week"):
        return Piece(start, end, day=origin + timedelta(days=round(7 * count)))
    months = round(count * (12 if kind.startswith("year") else 1))
    return Piece(start, end, day=add_months(origin, months)) if abs(months) < 1_200 else None


def _repeats(match: re.Match[str]) -> str:
    said = " ".join(match[0].lower().split())
    if match["plural"]:
        return "every " + said.removeprefix("on ").removesuffix("s")
    return {"daily": "every day", "weekly": "every week", "monthly": "every month", "yearly": "every year"}.get(
        said, said
    )


def _fixed_day(match: re.Match[str], today: date, anchor: date | None) -> Piece | None:
    start, end = match.start(), match.end()
    offsets = {"after": 2, "before": -2, "today": 0, "tomorrow": 1, "yesterday": -1}
    for name, days in offsets.items():
        if match[name]:
            return Piece(start, end, day=today + timedelta(days=days))
    if match["next"]:
        return Piece(start, end, day=(anchor or today) + timedelta(days=1))
    if match["previous"]:
        return Piece(start, end, day=(anchor or today) - timedelta(days=1))
    if match["same"]:
        return Piece(start, end, day=anchor) if anchor else None
    if match["tonight"]:
        return Piece(start, end, day=today, part="evening")
    if match["lastnight"]:
        return Piece(start, end, day=today - timedelta(days=1), part="night")
    return Piece(start, end, day=today, part=match["thispart"].lower())


def _weekday(match: re.Match[str], today: date, anchor: date | None, past: bool) -> Piece:
    weekday = _WEEKDAYS.index(match["day"].lower())
    if match["on"] or match["after"]:
        return Piece(match.start(), match.end(), day=next_weekday(today, weekday) + timedelta(days=7))
    week = (match["week"] or match["week2"] or "").lower()
    modifier = (match["mod"] or "").lower()
    if week == "that":
        day = weekday_of_week(anchor or today, weekday, 0)
    elif week:
        day = weekday_of_week(today, weekday, {"this": 0, "next": 1, "last": -1}[week])
    elif modifier == "next":
        day = weekday_of_week(today, weekday, 1)
    elif modifier == "this":
        day = weekday_of_week(today, weekday, 0)
    else:
        day = next_weekday(today, weekday, past=past or modifier in ("last", "past"))
    return Piece(match.start(), match.end(), day=day)


def _ordinal(said: str) -> int:
    digits = re.match(r"\d+", said)
    if digits:
        return int(digits[0])
    return _ORDINALS.index(said.lower().replace(" ", "-")) + 1


def _day_month(match: re.Match[str], now: datetime, past: bool) -> Piece | None:
    month_name, day_name = (match["m1"], match["d1"]) if match["m1"] else (match["m2"], match["d2"])
    month = _month(month_name)
    day = calendar_date(int(match["year"]) if match["year"] else None, month, _ordinal(day_name), now, past=past)
    return Piece(match.start(), match.end(), day=day) if day else None


def _days_of_month(match: re.Match[str], now: datetime) -> Piece | None:
    """Such as "March 14 to 16"."""
    month = _month(match["m1"] or match["m2"])
    first, last = (
        calendar_date(None, month, _ordinal(said), now)
        for said in ((match["d1"], match["d2"]) if match["m1"] else (match["d3"], match["d4"]))
    )
    return Piece(*match.span(), day=first, last_day=last) if first and last and first < last else None


def _month(said: str) -> int:
    return next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(said.lower().rstrip(".")[:3]))


def _numeric(match: re.Match[str], now: datetime, past: bool) -> Piece | None:
    if match["iso"]:
        year, month, day = (int(part) for part in match["iso"].split("-"))
        found = calendar_date(year, month, day, now) if year else None
    else:
        parts = [int(part) for part in re.split(r"[./]", match["dots"] or match["slash"]) if part]
        first, second = parts[0], parts[1]
        day, month = (first, second) if match["dots"] or first > 12 else (second, first)
        found = calendar_date(parts[2] if len(parts) > 2 else None, month, day, now, past=past)
    return Piece(match.start(), match.end(), day=found) if found else None


def _week(match: re.Match[str], today: date) -> Piece:
    start, end = match.start(), match.end()
    shift = {"next": 1, "coming": 1, "last": -1}.get((match["mod"] or "").lower(), 0)
    unit = (match["unit"] or "").lower()
    if match["weekend"] or unit == "weekend":
        first, last = weekend(today, 0 if (match["mod"] or "").lower() == "coming" else shift)
    elif unit == "week":
        first, last = weekday_of_week(today, 0, shift), weekday_of_week(today, 6, shift)
    elif unit == "year":
        first, last = date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)
    else:
        first = add_months(today.replace(day=1), shift)
        last = add_months(first, 1) - timedelta(days=1)
        if not unit:
            return Piece(start, end, day=last)
    return Piece(start, end, day=first, last_day=last)
