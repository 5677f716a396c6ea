"""Times that are moved by so much: "a day earlier", "push it back by half an hour", 提前一天, 晚半个小时."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from memory.understanding.reading import Reading
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number

if TYPE_CHECKING:
    from memory.state_model import InnerState

_COUNT_EN = rf"(?:{NUMBER_EN}|an?|half\s+an|a\s+couple\s+of|one\s+and\s+a\s+half|an?\s+\w+\s+and\s+a\s+half)"
_UNIT_EN = r"(?:minutes?|mins?|hours?|hrs?|days?|weeks?)"
_MOVED_EN = re.compile(
    rf"\b(?P<n>{_COUNT_EN})\s+(?P<unit>{_UNIT_EN})(?P<half>\s+and\s+a\s+half)?\s+(?P<dir>earlier|sooner|later"
    rf"|before\s+that|after\s+that)\b"
    rf"|\b(?P<verb>push|move|put|bring|shift|delay|postpone)\s+(?:it|that|this|the\s+\w+)?\s*(?P<way>back"
    rf"|forward|up|out|earlier|later)?\s*"
    rf"(?:by\s+)?(?P<n2>{_COUNT_EN})\s+(?P<unit2>{_UNIT_EN})(?P<half2>\s+and\s+a\s+half)?\b(?!\s+(?:earlier|later))",
    re.IGNORECASE,
)
_UNIT_ZH = r"(?:分钟|个半小时|个?小时|个?钟头|天|个?星期|个?礼拜|周|刻钟)"
_MOVED_ZH = re.compile(
    rf"(?P<dir>提前|提早|早|推迟|推后|延后|延迟|往后推|往后|往前|晚|迟)(?:个|了)?(?P<n>{NUMBER_ZH}|半)(?P<unit>{_UNIT_ZH})(?P<half>半)?"
    rf"|(?P<n2>{NUMBER_ZH}|半)(?P<unit2>{_UNIT_ZH})(?:之|以)?(?P<dir2>前|后)再(?!说|想)"
)
_MINUTES = {"m": 1, "h": 60, "d": 1440, "w": 10080}


def moved_facts(reading: Reading, state: InnerState) -> dict[str, str]:
    """The day or time of the task, moved by what the words say; nothing where they move nothing.

    Args:
        reading: The utterance.
        state: Before it.
    """
    minutes = _english(reading.text) if reading.language == "en" else _mandarin(reading.text)
    return _moved(dict(state.facts), minutes) if minutes else {}


def _english(text: str) -> int:
    match = _MOVED_EN.search(text)
    if not match:
        return 0
    said = " ".join((match["n"] or match["n2"]).lower().split())
    count = {"a": 1.0, "an": 1.0, "half an": 0.5, "a couple of": 2.0}.get(said) or english_number(said) or 0.0
    count += 0.5 if match["half"] or match["half2"] else 0.0
    unit = (match["unit"] or match["unit2"]).lower()[0]
    if match["dir"]:
        earlier = match["dir"].lower().split()[0] in ("earlier", "sooner", "before")
    else:
        way = (match["way"] or "").lower()
        if not way and match["verb"].lower() not in ("delay", "postpone"):
            return 0
        earlier = way in ("forward", "up", "earlier")
    return round(count * _MINUTES[unit]) * (-1 if earlier else 1)


def _mandarin(text: str) -> int:
    match = _MOVED_ZH.search(text)
    if not match:
        return 0
    said, unit = match["n"] or match["n2"], match["unit"] or match["unit2"]
    count = 0.5 if said == "半" else mandarin_number(said) or 0.0
    count += 0.5 if "个半" in unit or match["half"] else 0.0
    minutes = (
        1
        if unit.startswith("分")
        else 15
        if unit == "刻钟"
        else 60
        if "小时" in unit or "钟头" in unit
        else 1440
        if unit == "天"
        else 10080
    )
    earlier = (match["dir"] or match["dir2"]) in ("提前", "提早", "早", "往前", "前")
    return round(count * minutes) * (-1 if earlier else 1)


def _moved(facts: dict[str, str], minutes: int) -> dict[str, str]:
    day = _day(facts.get("date", ""))
    if minutes % 1440 == 0:
        return {"date": (day + timedelta(minutes=minutes)).isoformat()} if day and abs(minutes) < 1440 * 4_000 else {}
    said = facts.get("time_range") or facts.get("time") or ""
    if not re.fullmatch(r"\d\d:\d\d(?:-\d\d:\d\d)?", said) or abs(minutes) >= 1440 or "24:" in said:
        return {}
    base = day or date(2000, 1, 1)
    moments = [datetime.combine(base, datetime.strptime(at, "%H:%M").time()) for at in said.split("-")]
    later = [at + timedelta(minutes=minutes) for at in moments]
    out = {"time_range" if "-" in said else "time": "-".join(f"{at:%H:%M}" for at in later)}
    if later[0].date() != base and day:
        out["date"] = later[0].date().isoformat()
    return out


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
