"""Times against a clock: the records and the calendar arithmetic both languages share.

A reader finds *pieces* ("tomorrow", "from ten to twelve", "in the afternoon"); :func:`join_pieces` puts neighbours
together into one :class:`TimeMention`, and decides which half of the day an hour belongs to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

MAX_PIECES = 64
"""Expressions of time in one utterance; a recogniser that repeats itself writes hundreds."""
PARTS_OF_DAY = ("morning", "noon", "afternoon", "evening", "night")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as it was said.

    Attributes:
        hour: 0 to 24.
        minute: 0 to 59.
        fixed: Whether the half of the day was said too ("3 pm", "15:00").
    """

    hour: int
    minute: int = 0
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """One expression of time at its place in the text; the fields it does not speak of are empty.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        day: A date, or the first one of several.
        last_day: The last date of several.
        clock: A time of day, or the first one.
        until: The time of day it ends at.
        part: One of :data:`PARTS_OF_DAY`.
        minutes: A duration.
        every: What it repeats by, such as ``every monday``.
    """

    start: int
    end: int
    day: date | None = None
    last_day: date | None = None
    clock: Clock | None = None
    until: Clock | None = None
    part: str = ""
    minutes: int = 0
    every: str = ""


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time that was said, resolved.

    Attributes:
        start: Offset of its first character.
        end: Offset behind its last character.
        facts: ``date``, ``date_range``, ``time``, ``time_range``, ``part_of_day``, ``duration``, ``repeats`` ->
            normalised value: ISO dates, ``HH:MM``, ``HH:MM-HH:MM``, minutes as ``90 min``.
    """

    start: int
    end: int
    facts: dict[str, str]

    @property
    def value(self) -> str:
        """Everything it says, in one string."""
        return " ".join(self.facts.values())


def next_weekday(today: date, weekday: int, *, past: bool = False) -> date:
    """The nearest such weekday that is not today.

    Args:
        today: Counted from here.
        weekday: 0 for Monday.
        past: Look back instead of ahead.
    """
    ahead = (weekday - today.weekday()) % 7 or 7
    return today + timedelta(days=ahead - 7 if past and ahead < 7 else -7 if past else ahead)


def weekday_of_week(today: date, weekday: int, weeks: int) -> date:
    """A weekday of this week (0), next week (1), last week (-1); weeks begin on Monday."""
    return today - timedelta(days=today.weekday()) + timedelta(days=weekday, weeks=weeks)


def add_months(day: date, months: int) -> date:
    """The same day some months on; the last one of the month where it has no such day."""
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month, last)
        except ValueError:
            continue
    return day


def calendar_date(year: int | None, month: int, day: int, now: datetime, *, past: bool = False) -> date | None:
    """A date whose year may have been left out.

    Args:
        year: As said, or None.
        month: 1 to 12.
        day: 1 to 31.
        now: Counted from here: without a year it is the next such date, or the last one.
        past: Whether the speaker looks back.

    Returns:
        None where there is no such date.
    """
    today = now.date()
    years = [year] if year else [today.year, today.year + (-1 if past else 1)]
    for candidate in years:
        try:
            found = date(candidate, month, day)
        except ValueError:
            continue
        if year or (found <= today if past else found >= today):
            return found
    return None


def day_of_month(day: int, now: datetime, *, past: bool = False) -> date | None:
    """The next such day of a month, or the last one: "on the 15th"."""
    this = calendar_date(now.year, now.month, day, now)
    if this and (this <= now.date() if past else this >= now.date()):
        return this
    other = add_months(now.date().replace(day=1), -1 if past else 1)
    return calendar_date(other.year, other.month, day, now)


def weekend(today: date, weeks: int) -> tuple[date, date]:
    """Saturday and Sunday of this week (0) or a later one."""
    saturday = weekday_of_week(today, 5, weeks)
    return saturday, saturday + timedelta(days=1)


def moment(start: int, end: int, now: datetime, delta: timedelta) -> Piece:
    """A piece for "in two hours" or "ten minutes ago"."""
    at = now + delta
    return Piece(start, end, day=at.date(), clock=Clock(at.hour, at.minute, fixed=True))


def settle(clock: Clock, part: str, *, evening: bool = False, near: int | None = None) -> Clock:
    """Decides which half of the day an hour belongs to.

    Without any word for it, one to six is the afternoon and seven to twelve the morning, as in an office;
    with ``evening`` (a dinner), five to eleven is the evening. With ``near``, the hour that was said before, it is
    the half of the day closer to it.
    """
    hour = clock.hour
    if clock.fixed or hour > 12 or hour == 0:
        return replace(clock, fixed=True)
    if part == "morning":
        hour = hour % 12 if hour == 12 and clock.minute else hour
    elif part == "noon":
        hour = hour + 12 if hour < 4 else hour
    elif part == "afternoon":
        hour = hour + 12 if hour < 9 else hour
    elif part == "evening":
        hour = hour + 12 if 3 < hour < 12 else hour % 12
    elif part == "night":
        hour = hour + 12 if 5 < hour < 12 else hour % 12
    elif near is not None:
        hour = min((hour % 12, hour % 12 + 12), key=lambda candidate: abs(candidate - near))
    elif hour < 7 or (evening and hour < 12):
        hour += 12
    return replace(clock, hour=hour, fixed=True)


def settle_range(
    first: Clock, last: Clock, part: str, *, evening: bool = False, near: int | None = None
) -> tuple[Clock, Clock]:
    """Decides the half of the day for both ends, so that the range runs forwards."""
    if last.fixed and not first.fixed and not part and first.hour < 12 <= last.hour:
        shifted = replace(first, hour=first.hour + 12, fixed=True)
        first = shifted if _minutes(shifted) < _minutes(last) else replace(first, fixed=True)
    start = settle(first, part, evening=evening, near=near)
    end = last if last.fixed or last.hour > 12 else settle(last, part, evening=evening, near=near)
    if _minutes(end) <= _minutes(start) and not last.fixed and end.hour + 12 <= 24:
        end = replace(end, hour=end.hour + 12)
    return start, end


def span_days(text: str, pieces: list[Piece], between: re.Pattern[str]) -> list[Piece]:
    """Puts two days with a "to" between them together: "Monday to Wednesday"."""
    out: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: p.start):
        first = out[-1] if out else None
        if (
            first
            and first.day
            and piece.day
            and not (first.last_day or piece.last_day or first.clock or piece.clock)
            and between.fullmatch(text[first.end : piece.start])
        ):
            last = piece.day if piece.day > first.day else piece.day + timedelta(days=7)
            out[-1] = replace(first, end=piece.end, last_day=last)
        else:
            out.append(piece)
    return out


def join_pieces(
    text: str,
    pieces: list[Piece],
    gap: re.Pattern[str],
    now: datetime,
    *,
    evening: bool = False,
    near: int | None = None,
) -> list[TimeMention]:
    """Puts neighbouring pieces together and resolves them.

    Args:
        text: What they were found in.
        pieces: Without overlaps, in any order.
        gap: What may stand between two pieces of one mention.
        now: The session's clock.
        evening: Whether an hour without more is an evening hour.
        near: The hour said before, which an hour without more is close to.

    Returns:
        In order of appearance.
    """
    groups: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda p: p.start):
        if groups and gap.fullmatch(text[groups[-1][-1].end : piece.start]) and _fits(groups[-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [
        TimeMention(group[0].start, group[-1].end, facts)
        for group in groups
        if (facts := _resolve(group, now, evening=evening, near=near))
    ]


def _fits(group: list[Piece], piece: Piece) -> bool:
    fields = ("day", "clock", "part", "minutes", "every")
    return not any(getattr(piece, name) and any(getattr(p, name) for p in group) for name in fields)


def _resolve(group: list[Piece], now: datetime, *, evening: bool, near: int | None) -> dict[str, str]:
    day = next((p.day for p in group if p.day), None)
    last_day = next((p.last_day for p in group if p.last_day), None)
    clock = next((p.clock for p in group if p.clock), None)
    until = next((p.until for p in group if p.until), None)
    part = next((p.part for p in group if p.part), "")
    minutes = next((p.minutes for p in group if p.minutes), 0)
    every = next((p.every for p in group if p.every), "")
    facts: dict[str, str] = {}
    if every:
        facts["repeats"] = every
    elif day and last_day:
        facts["date_range"] = f"{day.isoformat()}/{last_day.isoformat()}"
    elif day:
        facts["date"] = day.isoformat()
    if clock and until:
        start, end = settle_range(clock, until, part, evening=evening, near=near)
        facts["time_range"] = f"{_shown(start)}-{_shown(end)}"
    elif clock:
        at = settle(clock, part, evening=evening, near=near)
        if day == now.date() and not clock.fixed and not part and _time(at) < now.time() and at.hour < 12:
            at = replace(at, hour=at.hour + 12)
        if minutes:
            finish = datetime.combine(now.date(), _time(at)) + timedelta(minutes=minutes)
            facts["time_range"] = f"{_shown(at)}-{finish:%H:%M}"
        else:
            facts["time"] = _shown(at)
    else:
        if part:
            facts["part_of_day"] = part
        if minutes:
            facts["duration"] = f"{minutes} min"
    return facts


def _time(clock: Clock) -> time:
    return time(clock.hour % 24, clock.minute)


def _shown(clock: Clock) -> str:
    return f"{clock.hour:02d}:{clock.minute:02d}"


def _minutes(clock: Clock) -> int:
    return clock.hour * 60 + clock.minute
