"""How the page says numbers, times and languages."""

from __future__ import annotations

from datetime import datetime, timedelta

_LANGUAGES = {"en": "English", "zh": "Mandarin", "de": "German", "fr": "French", "es": "Spanish"}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def milliseconds(value: float | None) -> str:
    """``8.4 ms``, ``134 ms``, ``1,250 ms``; a dash if unknown."""
    if value is None:
        return "–"
    return f"{value:,.1f} ms" if 0 < value < 10 else f"{value:,.0f} ms"


def clock(seconds: float, decimals: int = 1) -> str:
    """A position in the recording: ``0:03.2``, ``1:02:03.4``."""
    scale = 10**decimals
    ticks = round(max(seconds, 0.0) * scale)
    whole, fraction = divmod(ticks, scale)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    tail = f"{second:02d}" + (f".{fraction:0{decimals}d}" if decimals else "")
    return f"{hours}:{minute:02d}:{tail}" if hours else f"{minute}:{tail}"


def duration(seconds: float) -> str:
    """``42 s``, ``3 min 20 s``, ``2 h 05 min``."""
    whole = round(max(seconds, 0.0))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def date_and_time(at: datetime) -> str:
    """``10 March 2026, 09:00 UTC``, in the zone that was written down."""
    zone = at.tzname() or ""
    return f"{day(at)}, {at:%H:%M}{' ' + zone if zone else ''}"


def day(at: datetime) -> str:
    """``10 March 2026``."""
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def earlier(before: timedelta) -> str:
    """How long ago, roughly: ``20 seconds earlier``, ``3 days earlier``."""
    seconds = max(before.total_seconds(), 0.0)
    for size, unit in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {unit}{'' if count == 1 else 's'} earlier"
    return "just before"


def language(code: str) -> str:
    """``en`` becomes ``English``; unknown codes stay."""
    return _LANGUAGES.get(code.split("-")[0].lower(), code)


def count(number: int, noun: str) -> str:
    """``1 turn``, ``4 turns``, ``no turns``."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
