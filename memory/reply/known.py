"""Answers from the inner state: what was said for the task at hand is known, whatever else memory holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from memory.understanding.tasks import cues

# What a question asks for -> the facts that answer it.
_ASKED = tuple(
    (re.compile(pattern, re.IGNORECASE), tuple(keys.split()))
    for pattern, keys in (
        (r"\bwhat time\b|\bwhen\b|\bhow long\b|几点|什么时候|什么时间|多久", "date date_range time time_range"),
        (r"\b(?:what|which) (?:day|date)\b|哪一?天|几号|星期几|周几|什么日期", "date date_range"),
        (r"\b(?:which|what) (?:\w+ )?room\b|哪一?间|哪个(?:会议)?室|几号房", "room hotel"),
        (r"\bhow many\b|几个人|几位|多少人", "people nights"),
        (
            r"\b(?:which|what) (?:city|place)\b|\bwhere\b|哪个?城市|哪里|哪儿",
            "city origin destination restaurant hotel",
        ),
        (r"\bhow much\b|\b(?:which|what) amount\b|多少钱|金额", "amount"),
        (r"\b(?:order|parcel|tracking) (?:number|code)\b|单号|订单号", "order"),
        (r"\b(?:which|what) (?:restaurant|hotel|airline)\b|哪一?家", "restaurant hotel airline"),
        (r"\bwho(?:m)?\b|谁", "person"),
        (
            r"\bwhat did (?:i|we) (?:book|choose|take|pick|say)\b|订的是|选的是",
            "room hotel restaurant date time time_range",
        ),
    )
)
_THINGS = ("room", "hotel", "restaurant", "airline", "order")
_WEEKDAYS_ZH = "一二三四五六日"


def known_answer(question: str, state: Mapping[str, object], language: str) -> str:
    """What the state knows of what is asked.

    Args:
        question: The user's words.
        state: In the contract's form.
        language: ``en`` or ``zh``.

    Returns:
        A sentence, or an empty string where it asks for something else or the state does not know it.
    """
    facts = state.get("facts")
    if not isinstance(facts, Mapping) or not facts or not cues.asks_memory(question):
        return ""
    asked = [key for pattern, keys in _ASKED if pattern.search(question) for key in keys]
    told = [key for key in dict.fromkeys(asked) if facts.get(key)]
    if not told:
        return ""
    thing = next((str(facts[key]) for key in _THINGS if facts.get(key) and key not in told), "")
    said = [_said(key, str(facts[key]), language) for key in told]
    if language == "zh":
        return "".join(filter(None, [f"{thing}，" if thing else "", *said])) + "。"
    words = ", ".join(filter(None, [thing, *said]))
    return f"{words[:1].upper()}{words[1:]}."


def told_facts(facts: Mapping[str, str], language: str) -> str:
    """Facts in a row as they are told: "A302, Wednesday, March 11, from 10:00 to 12:00"."""
    said = [_said(key, value, language) for key, value in facts.items()]
    return ", ".join(said) if language == "en" else "，".join(said)


def _said(key: str, value: str, language: str) -> str:
    english = language == "en"
    if key == "date":
        return _day(value, english=english)
    if key == "date_range":
        first, _, last = value.partition("/")
        one, other = _day(first, english=english), _day(last, english=english)
        return f"from {one} to {other}" if english else f"{one}到{other}"
    if key == "time_range":
        begin, _, end = value.partition("-")
        return f"from {begin} to {end}" if english else f"{begin}到{end}"
    if key == "time":
        return f"at {value}" if english else value
    if key == "people":
        return f"{value} people" if english else f"{value}个人"
    if key == "nights":
        return f"{value} nights" if english else f"住{value}晚"
    return value


def _day(value: str, *, english: bool) -> str:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return value
    return f"{day:%A}, {day:%B} {day.day}" if english else f"{day.month}月{day.day}日星期{_WEEKDAYS_ZH[day.weekday()]}"
