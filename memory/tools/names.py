"""Names of tools and parameters as words, and what they are about: ``searchFreeRooms`` → search, free, rooms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from memory.tools.spec import ToolSpec
from memory.understanding.tasks.topics import TOPICS

Kind = Literal["find", "act"]

_FIND = frozenset(
    "search find list get look lookup query check track show fetch read see count browse view status"
    " available availability forecast where what who when which".split()
)
_PAST = {
    "find": "found",
    "get": "got",
    "pay": "paid",
    "send": "sent",
    "buy": "bought",
    "read": "read",
    "make": "made",
    "set": "set",
    "see": "saw",
    "put": "put",
    "write": "wrote",
    "search": "searched",
    "track": "tracked",
    "look": "looked",
    "transfer": "transferred",
    "cancel": "cancelled",
    "submit": "submitted",
    "plan": "planned",
    "order": "ordered",
    "query": "queried",
}
_VERBS_ZH = {
    "search": "查询",
    "find": "查找",
    "list": "查询",
    "get": "查询",
    "look": "查询",
    "query": "查询",
    "check": "查询",
    "track": "查询",
    "show": "查询",
    "fetch": "查询",
    "book": "预订",
    "reserve": "预订",
    "pay": "支付",
    "order": "下单",
    "buy": "购买",
    "send": "发送",
    "delete": "删除",
    "remove": "删除",
    "cancel": "取消",
    "set": "设置",
    "create": "创建",
    "add": "添加",
    "update": "修改",
    "change": "修改",
    "transfer": "转账",
}
_NOUNS_ZH = {
    "room": "会议室",
    "weather": "天气",
    "order": "订单",
    "calendar": "日程",
    "restaurant": "餐厅",
    "hotel": "酒店",
    "flight": "航班",
    "train": "车票",
    "payment": "费用",
    "message": "消息",
    "taxi": "车",
    "reminder": "提醒",
    "alarm": "闹钟",
    "appointment": "预约",
    "tickets": "票",
    "news": "新闻",
    "navigation": "路线",
    "shopping": "商品",
    "music": "音乐",
}
_HAN = re.compile(r"[㐀-鿿]")


def words_of(name: str) -> list[str]:
    """The words of an identifier in any of the usual styles; Han text stays whole."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^0-9A-Za-z㐀-鿿]+", spaced.casefold()) if word]


def topics_of(spec: ToolSpec) -> tuple[str, ...]:
    """What a tool is about, by its name, else by its description."""
    for text in (" ".join(words_of(spec.name)), spec.description):
        # "rooms" alone is no topic of talk, but it is one of a tool.
        text = re.sub(r"\brooms?\b", "meeting room", text) if "hotel" not in text.casefold() else text
        found = tuple(topic.name for topic in TOPICS if topic.words.search(text))
        if found:
            return found
    return ()


def kind_of(spec: ToolSpec) -> Kind:
    """Whether a tool looks something up or does something."""
    if spec.risky:
        return "act"
    words = words_of(spec.name)
    return "find" if not words or _FIND & set(words) or re.search(r"查|找|看|列", spec.name) else "act"


def step_of(spec: ToolSpec, language: str) -> str:
    """The step that a finished call was, such as "searched rooms" or 查询会议室."""
    words = words_of(spec.name)
    if language == "zh":
        if _HAN.search(spec.description) and len(spec.description) <= 24:
            return spec.description.rstrip("。.")
        noun = next((_NOUNS_ZH[topic] for topic in topics_of(spec) if topic in _NOUNS_ZH), "")
        verb = next((_VERBS_ZH[word] for word in words if word in _VERBS_ZH), "")
        return f"{verb or '使用'}{noun}" if noun else " ".join(words) or spec.name
    if not words:
        return spec.name
    verb, *rest = words
    past = _PAST.get(verb) or (verb + "d" if verb.endswith("e") else verb + "ed" if verb in _VERBS_ZH else verb)
    return " ".join([past, *rest])


def phrase_of(spec: ToolSpec, language: str) -> str:
    """What a tool does, as "Shall I …" continues: "pay bill", 支付费用."""
    if language == "zh":
        return step_of(spec, "zh")
    return " ".join(words_of(spec.name)) or spec.name


def said_values(arguments: Mapping[str, Any], language: str) -> list[str]:
    """The values of arguments as they are said, short ones only."""
    said: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, bool) or value is None or isinstance(value, Mapping):
            continue
        entries = value if isinstance(value, list | tuple) else [value]
        text = ", ".join(said_value(name, entry, language) for entry in entries)
        if said and re.fullmatch(r"\d\d?:\d\d", text) and re.fullmatch(r"\d\d?:\d\d", said[-1]):
            said[-1] += f"到{text}" if language == "zh" else f" to {text}"
        elif text and len(text) <= 60:
            said.append(text)
    return said


_CURRENCIES = {
    "EUR": ("euros", "欧元"),
    "USD": ("dollars", "美元"),
    "GBP": ("pounds", "英镑"),
    "CNY": ("yuan", "元"),
    "JPY": ("yen", "日元"),
}
_MONTHS = "January February March April May June July August September October November December".split()


def said_value(name: str, value: Any, language: str) -> str:
    """One value as people say it: dates without the year, times, amounts with their currency."""
    text = f"{value:g}" if isinstance(value, float) else str(value).strip()
    if day := re.fullmatch(r"\d{4}-(\d\d)-(\d\d)", text):
        month, number = int(day[1]), int(day[2])
        if 1 <= month <= 12:
            return f"{month}月{number}日" if language == "zh" else f"{_MONTHS[month - 1]} {number}"
    if span := re.fullmatch(r"(\d\d?:\d\d)-(\d\d?:\d\d)", text):
        return f"{span[1]}到{span[2]}" if language == "zh" else f"{span[1]} to {span[2]}"
    if amount := re.fullmatch(r"(-?[\d.]+) ([A-Z]{3})", text):
        english, mandarin = _CURRENCIES.get(amount[2], (amount[2], amount[2]))
        return f"{amount[1]}{mandarin}" if language == "zh" else f"{amount[1]} {english}"
    return text
