"""Mandarin expressions of time: 明天上午10点到12点, 下周五, 两个小时后."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from memory.understanding.times.pieces import (
    MAX_PIECES,
    Clock,
    Piece,
    TimeMention,
    add_months,
    calendar_date,
    day_of_month,
    join_pieces,
    moment,
    next_weekday,
    settle,
    span_days,
    weekday_of_week,
    weekend,
)
from memory.understanding.values.numbers import NUMBER_ZH, mandarin_number
from memory.understanding.words.analysis import overlaps

_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "今天": 0,
    "今日": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
}
_SHORT_DAYS = {"昨": -1, "今": 0, "明": 1, "后": 2}
_PARTS = {
    "上午": "morning",
    "早上": "morning",
    "早晨": "morning",
    "清晨": "morning",
    "清早": "morning",
    "一早": "morning",
    "早": "morning",
    "凌晨": "night",
    "中午": "noon",
    "下午": "afternoon",
    "傍晚": "evening",
    "晚上": "evening",
    "晚": "evening",
    "夜里": "night",
    "半夜": "night",
    "深夜": "night",
}
_WEEKDAYS = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
}
_LONG_PART = "|".join(part for part in _PARTS if len(part) > 1)
_N = NUMBER_ZH

_DAY = re.compile(
    r"大前天|大后天|前天|昨天|昨日|今天|今日|明天|明日|(?<![之以])后天(?!性)|(?P<short>[昨今明])(?=[早晚])"
)
_NEXT_DAY = re.compile(
    r"(?P<next>第二天|(?<!最)后一天|隔天|转天|再下一天|再后面一天|次日)|(?P<previous>(?<!提)前一天)"
    r"|(?P<same>那一?天|当天|同一天)(?!气)"
)
_WEEKDAY = re.compile(
    r"(?P<shift>上上|上个?|这个?|本|下下个?|下个?)?(?P<word>周|星期|礼拜)(?P<day>[一二三四五六日天](?!十(?![一二]?点)|年)|[1-6](?![0-9十年]))"
)
_COUNTED_WEEKDAY = re.compile(
    rf"(?:(?P<n>{_N})个?(?:周|星期|礼拜)(?:之|以)?后|(?P<same>那|当)(?:个|一)?(?:周|星期|礼拜))的?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"
)
_WEEKEND = re.compile(r"(?P<shift>上个?|这个?|本|下个?)?(?:周|星期)末")
_WEEK = re.compile(
    r"(?P<shift>上上|上|这|本|下下|下)(?:个)?(?P<unit>周|星期|礼拜|月)(?![一二三四五六日天末1-6])"
    r"|(?P<end>月底)|(?P<year>今年|明年|去年)(?!\d)"
)
_EVERY = re.compile(r"每(?P<what>天|日|周[一二三四五六日天]|个?星期[一二三四五六日天]?|周|个?月|年|隔?一天)")
_DATE = re.compile(
    rf"(?:(?P<year>(?:19|20)\d\d|[零〇一二三四五六七八九]{{4}}|今|明|去)年)?(?P<month>{_N})月(?P<day>{_N})(?:[日号])?"
    r"|(?P<iso>\d{4}-\d{2}-\d{2})"
)
_THE_DAY = re.compile(rf"(?<![\d月])(?P<day>{_N})[号日](?![楼线门店馆院房机桌会])")
_SHIFT = re.compile(
    rf"(?:再?过)?(?P<n>{_N}|半)(?P<unit>分钟|个半小时|个?小时|个?钟头?|天|个?星期|个?礼拜|周|个?月"
    rf"|年)(?:半)?(?:之|以)?(?P<dir>后|前|内(?!容))"
    rf"|再?过(?P<n2>{_N}|半)(?P<unit2>分钟|个半小时|个?小时|个?钟头?|天|个?星期|周|个?月|年)"
)
_DURATION = re.compile(rf"(?P<n>{_N}|半)(?P<unit>分钟|个半小时|个?小时|个?钟头)(?!(?:之|以)?[后前])")
_CLOCK = (
    rf"(?P<{{0}}part>{_LONG_PART}|早|晚)?(?:的|大概|大约)?(?<![周期拜])(?:(?P<{{0}}h>[012]?\d"
    rf"|[零一二两三四五六七八九十]{{{{1,3}}}})(?:点钟?|时(?!间|候|差|长|常))"
    r"(?:(?P<{0}half>半)|(?P<{0}quarter>[一三])刻|(?P<{0}m>[0-5]?\d(?=分)|[0-5]\d(?![\d个人位])"
    r"|[零〇]?[一二三四五六七八九十]{{1,3}}(?=分)|[零〇][一二三四五六七八九]"
    r"|[二三四五]?十[一二三四五六七八九]?(?![个人位]))分?|整)?"
    r"|(?P<{0}dh>[01]?\d|2[0-4])[:：](?P<{0}dm>[0-5]\d))"
)
_SINGLE = re.compile(_CLOCK.format("a"))
_RANGE = re.compile(
    r"从?"
    + _CLOCK.format("a")
    + r"\s*(?:到|至|-|—|~|～|–)\s*"
    + _CLOCK.format("b")
    + r"|从?(?P<xpart>"
    + _LONG_PART
    + r")?(?P<xh>[012]?\d|[一二两三四五六七八九十]{1,3})(?:到|至|-|~)(?P<yh>[012]?\d"
    r"|[一二两三四五六七八九十]{1,3})点钟?(?P<yhalf>半)?"
)
_PART = re.compile(rf"(?:{_LONG_PART})(?!好)|(?<=[昨今明])[早晚](?!餐|饭)")
_GAP = re.compile(r"[\s，,]*(?:的|在|从|于|大概|大约|左右|开始)*[\s，,]*")
_BETWEEN_DAYS = re.compile(r"\s*(?:到|至|-|~)\s*")
_SHIFTS = {"上上": -2, "上": -1, "这": 0, "本": 0, "": 0, "下": 1, "下下": 2}


def read_times_zh(
    text: str,
    now: datetime,
    *,
    anchor: date | None = None,
    evening: bool = False,
    near: int | None = None,
    past_at: Callable[[int], bool] = lambda offset: False,
) -> list[TimeMention]:
    """Finds the times in a Mandarin text.

    Args:
        text: What was said.
        now: The session's local clock.
        anchor: The day that 第二天 counts from; today where there is none.
        evening: Whether an hour without more is an evening hour.
        near: The hour said before, which an hour without more is close to.
        past_at: Whether the words at an offset look back, which turns 周一 into the last one.

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
        start = (anchor or today) if match["same"] else today
        weeks = 0 if match["same"] else int(mandarin_number(match["n"]) or 0)
        add(Piece(*match.span(), day=weekday_of_week(start, _WEEKDAYS[match["day"]], min(weeks, 500))))
    for match in _SHIFT.finditer(text):
        add(_shift(match, now))
    for match in _RANGE.finditer(text):
        add(_clock_range(match))
    for match in _SINGLE.finditer(text):
        clock = None if _says_a_little(match, text) else _clock(match, "a")
        add(
            Piece(match.start(), match.end(), clock=clock, part=_PARTS.get(match["apart"] or "", "")) if clock else None
        )
    for match in _EVERY.finditer(text):
        add(Piece(match.start(), match.end(), every="每" + match["what"]))
    for match in _DATE.finditer(text):
        add(_date(match, now, past_at(match.start())))
    for match in _DAY.finditer(text):
        days = _SHORT_DAYS[match["short"]] if match["short"] else _DAYS[match[0]]
        add(Piece(match.start(), match.end(), day=today + timedelta(days=days)))
    for match in _NEXT_DAY.finditer(text):
        step = 1 if match["next"] else -1 if match["previous"] else 0
        if step or anchor:
            add(Piece(match.start(), match.end(), day=(anchor or today) + timedelta(days=step)))
    for match in _WEEKDAY.finditer(text):
        add(_weekday(match, today, past_at(match.start())))
    for match in _WEEKEND.finditer(text):
        first, last = weekend(today, _SHIFTS[(match["shift"] or "").removesuffix("个")])
        add(Piece(match.start(), match.end(), day=first, last_day=last))
    for match in _WEEK.finditer(text):
        add(_week(match, today))
    for match in _THE_DAY.finditer(text):
        number = mandarin_number(match["day"])
        day = day_of_month(int(number), now, past=past_at(match.start())) if number and number <= 31 else None
        add(Piece(match.start(), match.end(), day=day) if day else None)
    for match in _DURATION.finditer(text):
        minutes = _count(match["n"], match["unit"]) * (1 if match["unit"].startswith("分") else 60)
        add(Piece(match.start(), match.end(), minutes=round(minutes)) if 0 < minutes < 100_000 else None)
    for match in _PART.finditer(text):
        add(Piece(match.start(), match.end(), part=_PARTS[match[0]]))
    return join_pieces(text, span_days(text, pieces, _BETWEEN_DAYS), _GAP, now, evening=evening, near=near)


def _says_a_little(match: re.Match[str], text: str) -> bool:
    """一点 is "a little" unless something around it speaks of time."""
    if match[0] not in ("一点", "1点"):
        return False
    return not re.search(r"[天日号到至在成从期周一二三四五六]$", text[: match.start()]) or bool(
        re.match(r"[都也不儿]", text[match.end() :])
    )


def _count(said: str, unit: str) -> float:
    number = 0.5 if said == "半" else mandarin_number(said) or 0.0
    return number + (0.5 if "个半" in unit else 0.0)


def _shift(match: re.Match[str], now: datetime) -> Piece | None:
    said, unit = match["n"] or match["n2"], match["unit"] or match["unit2"]
    count = _count(said, unit)
    if not 0 < count <= 5_000 or match["dir"] == "内":
        return None
    sign, start, end = -1 if match["dir"] == "前" else 1, match.start(), match.end()
    if unit.startswith("分"):
        return moment(start, end, now, timedelta(minutes=sign * count))
    if "小时" in unit or "钟" in unit:
        return moment(start, end, now, timedelta(hours=sign * count))
    if unit == "天":
        return Piece(start, end, day=now.date() + timedelta(days=round(sign * count)))
    if unit[-1] in "期拜周":
        return Piece(start, end, day=now.date() + timedelta(days=round(7 * sign * count)))
    months = round(sign * count * (12 if unit == "年" else 1))
    return Piece(start, end, day=add_months(now.date(), months)) if abs(months) < 1_200 else None


def _clock(match: re.Match[str], name: str) -> Clock | None:
    if match[f"{name}dh"]:
        hour = int(match[f"{name}dh"])
        return Clock(hour, int(match[f"{name}dm"]), fixed=hour > 12 or hour == 0)
    hour = int(mandarin_number(match[f"{name}h"]) or 0)
    minute = 0
    if match[f"{name}half"]:
        minute = 30
    elif match[f"{name}quarter"]:
        minute = 15 if match[f"{name}quarter"] == "一" else 45
    elif match[f"{name}m"]:
        minute = int(mandarin_number(match[f"{name}m"]) or 0)
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return None
    return Clock(hour, minute, fixed=hour > 12 or hour == 0)


def _clock_range(match: re.Match[str]) -> Piece | None:
    if match["xh"]:
        first, last = int(mandarin_number(match["xh"]) or 0), int(mandarin_number(match["yh"]) or 0)
        if first > 24 or last > 24 or first == last:
            return None
        until = Clock(last, 30 if match["yhalf"] and last < 24 else 0, fixed=last > 12)
        return Piece(
            match.start(),
            match.end(),
            clock=Clock(first, fixed=first > 12),
            until=until,
            part=_PARTS.get(match["xpart"] or "", ""),
        )
    first_clock, last_clock = _clock(match, "a"), _clock(match, "b")
    if not first_clock or not last_clock:
        return None
    part, last_part = _PARTS.get(match["apart"] or "", ""), _PARTS.get(match["bpart"] or "", "")
    if last_part and last_part != part:
        last_clock = settle(last_clock, last_part)
        first_clock = settle(first_clock, part) if part else first_clock
        part = ""
    return Piece(match.start(), match.end(), clock=first_clock, until=last_clock, part=part)


def _date(match: re.Match[str], now: datetime, past: bool) -> Piece | None:
    if match["iso"]:
        year, month, day = (int(part) for part in match["iso"].split("-"))
        found = calendar_date(year, month, day, now) if year else None
    else:
        said = match["year"]
        relative = {"今": now.year, "明": now.year + 1, "去": now.year - 1}
        given = None if not said else relative.get(said) or int(mandarin_number(said) or 0) or None
        month_number, day_number = mandarin_number(match["month"]), mandarin_number(match["day"])
        if not month_number or not day_number or month_number > 12 or day_number > 31:
            return None
        found = calendar_date(given, int(month_number), int(day_number), now, past=past)
    return Piece(match.start(), match.end(), day=found) if found else None


def _weekday(match: re.Match[str], today: date, past: bool) -> Piece:
    weekday, shift = _WEEKDAYS[match["day"]], (match["shift"] or "").removesuffix("个")
    day = weekday_of_week(today, weekday, _SHIFTS[shift]) if shift else next_weekday(today, weekday, past=past)
    return Piece(match.start(), match.end(), day=day)


def _week(match: re.Match[str], today: date) -> Piece:
    start, end = match.start(), match.end()
    if match["end"]:
        first = today.replace(day=1)
        return Piece(start, end, day=add_months(first, 1) - timedelta(days=1))
    if match["year"]:
        year = today.year + {"今年": 0, "明年": 1, "去年": -1}[match["year"]]
        return Piece(start, end, day=date(year, 1, 1), last_day=date(year, 12, 31))
    shift = _SHIFTS[match["shift"]]
    if match["unit"] == "月":
        first = add_months(today.replace(day=1), shift)
        return Piece(start, end, day=first, last_day=add_months(first, 1) - timedelta(days=1))
    return Piece(start, end, day=weekday_of_week(today, 0, shift), last_day=weekday_of_week(today, 6, shift))
