"""How Mandarin speakers say what is written in digits: 十点半, 八十四欧元, A三零二, 二十六度."""

from __future__ import annotations

import re
from collections.abc import Callable

import cn2an

Say = Callable[[re.Match[str], int | None], str | None]

_DIGITS = "零一二三四五六七八九"
_PHONE_DIGITS = "零幺二三四五六七八九"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MONEY = {"EUR": "欧元", "USD": "美元", "GBP": "英镑", "CNY": "元", "JPY": "日元", "CHF": "瑞士法郎", "HKD": "港币"}
_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "CNY", "￥": "CNY"}
_CODES = "|".join([*_MONEY, "RMB"])
_UNITS = {
    "°C": "度", "℃": "度", "°F": "华氏度", "℉": "华氏度", "°": "度", "km/h": "公里每小时", "m²": "平方米", "km": "公里",
    "cm": "厘米", "mm": "毫米", "kg": "公斤", "mg": "毫克", "ml": "毫升", "kWh": "度电", "GB": "G", "MB": "兆",
    "min": "分钟", "m": "米", "g": "克", "h": "小时", "s": "秒", "l": "升",
}  # fmt: skip
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_BEFORE = r"(?<![A-Za-z0-9_.,:/€$£¥￥+-])"
_AFTER = r"(?![A-Za-z0-9_]|[.,:]\d)"
_CLOCK = r"(?P<h{0}>[01]?\d|2[0-4])[:：](?P<m{0}>[0-5]\d)"
# Things are counted with 两, not with 二.
_COUNTED = "个位间家张份台次点天周年小分杯瓶本件条趟班辆套门首块人种晚"
_DAY_HALVES = ((6, "凌晨"), (12, ""), (13, "中午"), (18, "下午"), (24, "晚上"))


def cardinal(number: str) -> str:
    """A number in characters: 一千二百, 三点五."""
    plain = number.replace(",", "")
    whole, _, rest = plain.partition(".")
    said = str(cn2an.an2cn(str(int(whole)))) if len(whole) <= 12 else digits(whole)
    return f"{said}点{digits(rest)}" if rest else said


def digits(number: str, names: str = _DIGITS) -> str:
    """One digit after the other."""
    return "".join(names[int(digit)] for digit in number)


def _counted(number: str) -> str:
    return "两" if number == "2" else cardinal(number)


def _iso_date(match: re.Match[str], now: int | None) -> str | None:
    year, month, day = int(match["y"]), int(match["mo"]), int(match["d"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    said = f"{cardinal(str(month))}月{cardinal(str(day))}号"
    return said if now is None or year == now else f"{digits(match['y'])}年{said}"


def _year(match: re.Match[str], _: int | None) -> str | None:
    return digits(match["y"])


def _part_of_day(hour: int) -> str:
    return next(name for end, name in _DAY_HALVES if hour < end) if hour < 24 else ""


def _clock(hour: int, minute: int, *, half: bool) -> str:
    """A time of day; from one in the afternoon on with the part of the day, unless that was written."""
    name = _part_of_day(hour) if half and hour > 12 else ""
    shown = hour - 12 if hour > 12 and name else hour
    said = f"{name}{_counted(str(shown))}点"
    if minute == 30:
        return f"{said}半"
    if not minute:
        return said
    return (
        f"{said}{'零' if minute < 10 else ''}{cardinal(str(minute))}分"
        if minute < 10
        else f"{said}{cardinal(str(minute))}"
    )


def _is_named(match: re.Match[str]) -> bool:
    return bool(re.search(r"(?:上午|下午|晚上|中午|凌晨|早上|傍晚)\s*$", match.string[: match.start()]))


def _time(match: re.Match[str], _: int | None) -> str | None:
    hour = int(match["h0"])
    named = _is_named(match)
    return _clock(hour - 12 if named and hour > 12 else hour, int(match["m0"]), half=not named)


def _time_range(match: re.Match[str], _: int | None) -> str | None:
    first, last = int(match["h1"]), int(match["h2"])
    named = _is_named(match)
    if named:
        first, last = (hour - 12 if hour > 12 else hour for hour in (first, last))
    begin = _clock(first, int(match["m1"]), half=not named)
    same = _part_of_day(first) == _part_of_day(last)
    end = _clock(last - 12 if same and last > 12 and not named else last, int(match["m2"]), half=not named and not same)
    return f"{begin}到{end}"


def _amount(match: re.Match[str], _: int | None) -> str | None:
    code = _SYMBOLS[match["sign"]] if match["sign"] else match["code"].upper().replace("RMB", "CNY")
    number = match["n"].replace(",", "")
    whole, _, rest = number.partition(".")
    return f"{_counted(whole) if not rest.strip('0') else cardinal(whole + '.' + rest.rstrip('0'))}{_MONEY[code]}"


def _percent(match: re.Match[str], _: int | None) -> str | None:
    minus = "负" if match["minus"] else ""
    first = f"百分之{cardinal(match['from'])}到" if match["from"] else ""
    return f"{first}{minus}百分之{cardinal(match['n'])}"


def _measured(match: re.Match[str], _: int | None) -> str | None:
    unit = _UNITS[match["unit"]]
    minus = ("零下" if unit.endswith("度") else "负") if match["minus"] else ""
    first = f"{cardinal(match['from'])}到" if match["from"] else ""
    return f"{minus}{first}{cardinal(match['n'])}{unit}"


def _phone(match: re.Match[str], _: int | None) -> str | None:
    groups = re.findall(r"\d+", match[0])
    if sum(map(len, groups)) < 7:
        return None
    if len(groups) == 1 and len(groups[0]) == 11:
        number = groups[0]
        groups = [number[:3], number[3:7], number[7:]]
    return ("加" if match[0].startswith("+") else "") + "，".join(digits(group, _PHONE_DIGITS) for group in groups)


def _code(match: re.Match[str], _: int | None) -> str | None:
    letters = match["letters"]
    number = re.sub(r"\D", "", match["digits"])
    is_word = len(letters) > 1 and (not letters.isupper() or (len(letters) > 3 and re.search(r"[AEIOU]", letters)))
    spelled = letters if is_word else " ".join(letters.upper())
    if len(number) <= 2 and not number.startswith("0"):
        return f"{spelled}{cardinal(number)}"
    return f"{spelled}{digits(number)}"


def _room(match: re.Match[str], _: int | None) -> str | None:
    return digits(match["n"])


def _number_range(match: re.Match[str], _: int | None) -> str | None:
    return f"{cardinal(match['a'])}到{cardinal(match['b'])}"


def _with_measure(match: re.Match[str], _: int | None) -> str | None:
    return _counted(match["n"])


def _minus(match: re.Match[str], _: int | None) -> str | None:
    following = match.string[match.end() : match.end() + 1]
    return ("零下" if following in "度" and following else "负") + cardinal(match["n"])


def _plain(match: re.Match[str], _: int | None) -> str | None:
    number = match["n"]
    if len(number.partition(".")[0]) > 8 and "," not in number:
        return digits(number) if "." not in number else None
    if number.startswith("0") and len(number) > 1 and number[1] != ".":
        return digits(number)
    return cardinal(number)


def _rule(pattern: str, say: Say) -> tuple[re.Pattern[str], Say]:
    return re.compile(pattern), say


MANDARIN: tuple[tuple[re.Pattern[str], Say], ...] = (
    _rule(rf"{_BEFORE}(?P<y>\d{{4}})-(?P<mo>\d\d)-(?P<d>\d\d)(?![\d-])", _iso_date),
    _rule(rf"{_BEFORE}(?P<y>(?:19|20)\d\d)(?=年)", _year),
    _rule(rf"{_BEFORE}{_CLOCK.format(1)}\s*(?:-|–|—|~|～|至|到)\s*{_CLOCK.format(2)}(?![\d:：])", _time_range),
    _rule(rf"{_BEFORE}{_CLOCK.format(0)}(?![\d:：])", _time),
    _rule(rf"(?:(?P<sign>[€$£¥￥])|{_BEFORE}(?P<code>{_CODES}))\s?(?P<n>{_NUMBER})(?!\d)", _amount),
    _rule(rf"{_BEFORE}(?P<n>{_NUMBER})\s?(?:(?P<code>{_CODES})(?![A-Za-z])|(?P<sign>[€$£¥￥]))", _amount),
    _rule(
        rf"(?:(?<![A-Za-z0-9_.,])(?P<minus>[-−])"
        rf"|{_BEFORE})(?:(?P<from>{_NUMBER})%?\s?[-–~]\s?)?(?P<n>{_NUMBER})\s?[%％]",
        _percent,
    ),
    _rule(
        rf"(?:(?<![A-Za-z0-9_.,])(?P<minus>[-−])"
        rf"|{_BEFORE})(?:(?P<from>{_NUMBER})\s?[-–~]\s?)?(?P<n>{_NUMBER})\s?(?P<unit>{_UNIT})(?![A-Za-z²/])",
        _measured,
    ),
    _rule(r"(?<![A-Za-z0-9_.,+])\+?\(?\d[\d\s()-]{5,18}\d(?![.,]\d|[A-Za-z0-9年元块])", _phone),
    _rule(
        r"(?<![A-Za-z0-9])(?P<letters>[A-Za-z]{1,5})[-–]?(?P<digits>\d{2,14}(?:-\d{2,8}){0,3})(?![A-Za-z0-9])", _code
    ),
    _rule(rf"{_BEFORE}(?P<n>\d{{3,4}})(?=(?:号)?(?:会议室|房间?|教室|室))", _room),
    _rule(rf"{_BEFORE}(?P<a>\d{{1,4}})\s?[-–~～]\s?(?P<b>\d{{1,4}})(?![A-Za-z0-9-]|[.,:]\d)", _number_range),
    _rule(rf"{_BEFORE}(?<!第)(?P<n>2)(?=[{_COUNTED}])", _with_measure),
    _rule(rf"(?<![A-Za-z0-9_.,:/])[-−](?P<n>{_NUMBER}){_AFTER}", _minus),
    _rule(rf"{_BEFORE}(?P<n>{_NUMBER}){_AFTER}", _plain),
)
