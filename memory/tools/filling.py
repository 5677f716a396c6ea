"""Arguments from facts: which fact a parameter asks for, by its name, its description and its type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.tools.names import words_of
from memory.tools.spec import ToolSpec

# Word of a parameter's name -> keys of facts it may mean, the likeliest first.
_MEANINGS: Mapping[str, tuple[str, ...]] = {
    "date": ("date", "date_range"),
    "day": ("date", "date_range"),
    "日期": ("date", "date_range"),
    "日子": ("date",),
    "start": ("time_range:start", "time"),
    "begin": ("time_range:start", "time"),
    "beginning": ("time_range:start", "time"),
    "from": ("time_range:start", "time", "origin"),
    "开始": ("time_range:start", "time"),
    "开始时间": ("time_range:start", "time"),
    "end": ("time_range:end",),
    "until": ("time_range:end",),
    "finish": ("time_range:end",),
    "结束": ("time_range:end",),
    "结束时间": ("time_range:end",),
    "time": ("time_range", "time", "part_of_day"),
    "hour": ("time", "time_range:start"),
    "when": ("time", "time_range", "date"),
    "slot": ("time_range", "time"),
    "range": ("time_range", "date_range"),
    "时间": ("time_range", "time", "part_of_day"),
    "时段": ("time_range",),
    "duration": ("duration",),
    "length": ("duration",),
    "时长": ("duration",),
    "people": ("people",),
    "persons": ("people",),
    "guests": ("people",),
    "party": ("people",),
    "attendees": ("people",),
    "participants": ("people",),
    "capacity": ("people",),
    "seats": ("people",),
    "size": ("people",),
    "人数": ("people",),
    "nights": ("nights",),
    "city": ("city", "destination"),
    "location": ("city", "destination"),
    "place": ("city", "destination"),
    "town": ("city",),
    "where": ("city", "destination"),
    "城市": ("city", "destination"),
    "地点": ("city", "destination"),
    "origin": ("origin",),
    "departure": ("origin",),
    "出发地": ("origin",),
    "destination": ("destination", "city"),
    "arrival": ("destination",),
    "目的地": ("destination", "city"),
    "amount": ("amount",),
    "sum": ("amount",),
    "price": ("amount",),
    "total": ("amount",),
    "value": ("amount",),
    "money": ("amount",),
    "金额": ("amount",),
    "currency": ("amount:currency",),
    "币种": ("amount:currency",),
    "room": ("room",),
    "房间": ("room",),
    "会议室": ("room",),
    "order": ("order",),
    "parcel": ("order",),
    "package": ("order",),
    "tracking": ("order",),
    "shipment": ("order",),
    "订单": ("order",),
    "订单号": ("order",),
    "单号": ("order",),
    "运单号": ("order",),
    "flight": ("flight",),
    "booking": ("booking",),
    "reservation": ("booking",),
    "restaurant": ("restaurant",),
    "cuisine": ("cuisine",),
    "food": ("cuisine",),
    "菜系": ("cuisine",),
    "equipment": ("equipment",),
    "features": ("equipment",),
    "feature": ("equipment",),
    "facilities": ("equipment",),
    "设备": ("equipment",),
    "person": ("person",),
    "recipient": ("person", "contact"),
    "to": ("person", "contact", "destination", "time_range:end"),
    "contact": ("contact", "person"),
    "payee": ("person",),
    "receiver": ("person",),
    "收件人": ("person", "contact"),
    "收款人": ("person",),
    "email": ("contact",),
    "phone": ("contact",),
}
# Parameters that take the task in words.
_TEXTS = frozenset(
    "task what title subject description bill service item items name purpose note text topic about summary"
    " content message product 内容 事项 标题 名称 账单 项目 商品".split()
)


@dataclass(frozen=True, slots=True)
class Filled:
    """A call as far as the facts go.

    Attributes:
        arguments: What is known.
        missing: Required parameters that nothing is known for.
        used: Keys of the facts that went into it.
    """

    arguments: dict[str, Any]
    missing: tuple[str, ...]
    used: frozenset[str]


def fill(
    spec: ToolSpec, facts: Mapping[str, str], *, task: str = "", wishes: Mapping[str, str] | None = None
) -> Filled:
    """Fill a tool's parameters.

    Args:
        spec: The tool.
        facts: Of the task: ISO dates, ``10:00-12:00``, ``84 EUR``, codes, names.
        task: The task in the user's words, for parameters that take a text.
        wishes: What the user likes in general, for features and equipment.
    """
    arguments: dict[str, Any] = {}
    used: set[str] = set()
    for name, schema in spec.properties.items():
        schema = schema if isinstance(schema, Mapping) else {}
        found = _value(name, schema, facts)
        if found is not None:
            key, value = found
            used.add(key.partition(":")[0])
            arguments[name] = value
        elif (liked := _liked(name, schema, wishes or {})) is not None:
            arguments[name] = liked
        elif name in spec.required and (text := _text(name, schema, task)):
            arguments[name] = text
    missing = tuple(name for name in spec.required if name not in arguments)
    return Filled(arguments, missing, frozenset(used))


def revise(arguments: Mapping[str, Any], before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, Any] | None:
    """Carry a change of facts over to arguments that were made from the facts before.

    Returns:
        The changed arguments; None where a changed fact is in none of them.
    """
    revised = dict(arguments)
    for key, old in before.items():
        new = after.get(key)
        if new == old:
            continue
        names = [name for name, value in revised.items() if _says(value, old)]
        if new is None or not names:
            return None
        for name in names:
            changed = _replaced(revised[name], old, new)
            if changed is None:
                return None
            revised[name] = changed
    return revised


def fact_of(name: str) -> str:
    """The key of the fact that a parameter asks for; empty where its name does not tell."""
    own, *meant = _keys(name, "")
    known = {key.partition(":")[0] for keys in _MEANINGS.values() for key in keys}
    return own if own in known else next((key.partition(":")[0] for key in meant), "")


def _value(name: str, schema: Mapping[str, Any], facts: Mapping[str, str]) -> tuple[str, Any] | None:
    for key in _keys(name, str(schema.get("description", ""))):
        value = _part(key, facts)
        if value is None:
            continue
        fitting = _typed(value, schema)
        if fitting is not None:
            return key, fitting
    return None


def _keys(name: str, description: str) -> list[str]:
    keys = [name.casefold()]
    words = words_of(name)
    # "start_date" is a date, "start_time" a beginning.
    if "date" in words or "日期" in name:
        return [*keys, *_MEANINGS["date"]]
    for word in words:
        keys += _MEANINGS.get(word, ())
    for word, meanings in _MEANINGS.items():
        if len(word) > 1 and not word.isascii() and word in name:
            keys += meanings
    if len(keys) == 1:
        for word in words_of(description)[:8]:
            keys += _MEANINGS.get(word, ()) if len(word) > 3 else ()
    return list(dict.fromkeys(keys))


def _part(key: str, facts: Mapping[str, str]) -> str | None:
    name, _, part = key.partition(":")
    value = facts.get(name)
    if value is None or not part:
        return value
    if part == "currency":
        match = re.fullmatch(r".*\b([A-Z]{3})", value)
        return match[1] if match else None
    begin, dash, end = value.partition("-")
    return (begin if part == "start" else end if dash else None) or None


def _typed(value: str, schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    choices = schema.get("enum")
    if isinstance(choices, list):
        return next((c for c in choices if isinstance(c, str) and _alike(c, value)), None)
    if kind in ("integer", "number"):
        match = re.search(r"-?\d+(?:\.\d+)?", value)
        if match is None:
            return None
        number = float(match[0])
        return int(number) if number.is_integer() else (number if kind == "number" else None)
    if kind == "array":
        items = schema.get("items")
        entry = _typed(value, items) if isinstance(items, Mapping) else value
        return None if entry is None else [entry]
    return None if kind in ("boolean", "object") else value


# What a choice of a tool is called in Mandarin.
_IN_MANDARIN = {
    "projector": "投影",
    "whiteboard": "白板",
    "video": "视频",
    "screen": "屏幕",
    "window": "窗",
    "quiet": "安静",
}


def _alike(choice: str, value: str) -> bool:
    one, other = choice.casefold().replace("_", " "), value.casefold()
    if (mandarin := _IN_MANDARIN.get(one)) is not None and mandarin in other:
        return True
    return one == other or one in other or (len(other) > 3 and other in one)


def _liked(name: str, schema: Mapping[str, Any], wishes: Mapping[str, str]) -> Any:
    """A preference that a parameter for features can take, by the words of its choices."""
    items = schema.get("items") if schema.get("type") == "array" else schema
    choices = items.get("enum") if isinstance(items, Mapping) else None
    if not isinstance(choices, list) or "equipment" not in _keys(name, ""):
        return None
    said = " ".join(wishes.values()).casefold()
    liked = [choice for choice in choices if isinstance(choice, str) and _alike(choice, said)] if said else []
    if not liked:
        return None
    return liked if schema.get("type") == "array" else liked[0]


def _text(name: str, schema: Mapping[str, Any], task: str) -> str:
    kind = schema.get("type", "string")
    fits = kind == "string" and "enum" not in schema and bool(_TEXTS & set(words_of(name)))
    return task if fits else ""


def _says(value: Any, fact: str) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        match = re.search(r"-?\d+(?:\.\d+)?", fact)
        return match is not None and float(match[0]) == float(value)
    if isinstance(value, list | tuple):
        return any(_says(entry, fact) for entry in value)
    return (
        isinstance(value, str) and bool(value) and (value == fact or value in re.split(r"[-/ ]", fact) or fact in value)
    )


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, int | float):
        return _typed(new, {"type": "number"})
    if isinstance(value, list | tuple):
        return [_replaced(entry, old, new) if _says(entry, old) else entry for entry in value]
    if value == old:
        return new
    if old in value:
        return value.replace(old, new)
    # A part of a fact: the beginning or end of a range, the number of an amount.
    for separator in ("-", " "):
        before, after = old.split(separator), new.split(separator)
        if len(before) == len(after) and value in before:
            return after[before.index(value)]
    return None
