"""Things to choose from in the agent's words: "A302 by the window, B101 with a projector, and C205"."""

from __future__ import annotations

import re

from memory.nouns import Entity
from memory.state_tools import MAX_OPTIONS, Option
from memory.understanding.tasks.topics import Topic
from memory.understanding.values.amounts import amounts_in
from memory.understanding.values.codes import code_type, codes_in

_SEPARATOR = re.compile(
    r"\s*(?:[,;，；、]\s*(?:and\s+also\s+|and\s+|or\s+|还有|以及|或者?|还是|和)?|\s(?:and|or)\s|还是|还有|以及|或者|(?<=\S{2})和)\s*"
)
_LEAD = re.compile(
    r"^.*?(?:\b(?:found|find|see|have|has|are(?:\s+free|\s+available|\s+left)?|available(?:\s+are)?"
    r"|options?(?:\s+are)?|there\s+is|there's|offers?|free\s+are)\b|找到了?|有(?!空|窗)|可以用的有|可选)"
    r"(?:\s*(?:two|three|four|five|\d|[一两二三四五六七八九十\d]+[个间家趟班种款]|空着|空闲|会议室|房间|可用|可以用的|places?|rooms?|options?"
    r"|a\s+table|"
    r"hotels?|restaurants?|trains?|flights?|free|available|left|有位子|选择))*\s*[:：,，]?\s*",
    re.IGNORECASE,
)
_COLON = re.compile(r"[:：](?!\d)\s*(?P<list>\S.*)$", re.DOTALL)
_NAME_EN = re.compile(
    r"(?:the\s+)?(?P<name>(?:The\s+)?[A-Z][\w'&-]*(?:\s+(?:(?:of|the|and|de|la)\s+)?[A-Z0-9][\w'&-]*){0,4})"
)
# "K7" is no code anywhere, but it is one in a list of rooms.
_SHORT_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z]\d(?![A-Za-z0-9.:])")
_CLOCK = re.compile(r"(?<![\d:])(?P<h>[01]?\d|2[0-4])[:.](?P<m>[0-5]\d)(?![\d:])")
_DESCRIBED_EN = re.compile(r"\b(?:by|with|at|on|for|in|near|next\s+to|that|which|is|has|costs?)\b.*$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:a|an|i|it|we|you|yes|no|on|at|in|\w+day|(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?:\s.*)?|there|that|this|the|sure|okay|ok)"
    r"|几|多少|什么|哪|[点号月周]|今天|明天|好的|可以|您|我|请",
    re.IGNORECASE,
)
_TIMED = ("appointment", "restaurant", "tickets", "room")
_CHOICE_TOPICS = {
    "room": "room",
    "restaurant": "restaurant",
    "hotel": "hotel",
    "flight": "airline",
    "train": "train",
    "tickets": "ticket",
    "shopping": "item",
}


def options_in(text: str, language: str, topic: Topic) -> tuple[Option, ...]:
    """Reads a list of things to choose from.

    Args:
        text: What the agent said.
        language: ``en`` or ``zh``.
        topic: What the task is about.

    Returns:
        Two or more in the order they were named; nothing where nothing is listed.
    """
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])|[。！？!?]\s*|\n", text):
        found = _in_sentence(sentence, language, topic)
        if len(found) > 1:
            return tuple(found[:MAX_OPTIONS])
    return ()


def _in_sentence(sentence: str, language: str, topic: Topic) -> list[Option]:
    codes = [c for c in codes_in(sentence) if not re.fullmatch(r"\d+", c.value)]
    if topic.name == "room":
        short = [Entity(m[0], "code", *m.span(), m[0]) for m in _SHORT_CODE.finditer(sentence)]
        codes = sorted([*codes, *(s for s in short if all(s.start != c.start for c in codes))], key=lambda c: c.start)
    if len(codes) > 1:
        out = []
        for number, code in enumerate(codes):
            end = codes[number + 1].start if number + 1 < len(codes) else len(sentence)
            said = _trimmed(sentence[code.end : end])
            out.append(_option(code_type(code.value, sentence, topic.name), code.value, said))
        return out
    kind = _CHOICE_TOPICS.get(topic.name, "")
    if not kind:
        return _times(sentence) if topic.name in _TIMED else []
    colon, lead = _COLON.search(sentence), _LEAD.match(sentence)
    listing = colon["list"] if colon else sentence[lead.end() :] if lead else sentence
    parts = _joined([part for part in _SEPARATOR.split(listing.strip(" .。?？")) if part.strip()])
    if topic.name in ("train", "flight") and len(_CLOCK.findall(listing)) + len(_clocks_zh(listing)) > 1:
        return _departures(parts, kind)
    named = [option for part in parts if (option := _named(part, kind, language))]
    priced = sum("amount" in option.details for option in named) > 1
    if len(named) != len(parts) or not (colon or lead or priced):
        return []
    return named


def _times(sentence: str) -> list[Option]:
    """Times to choose from: "a slot at 9:15 and one at 16:40"; a range is one time."""
    parts = [part for part in _SEPARATOR.split(sentence) if len(_CLOCK.findall(part)) + len(_clocks_zh(part)) == 1]
    return [] if re.search(r"\b(?:to|until|till)\b|[到至]", sentence) else _departures(parts, "time")


def _joined(parts: list[str]) -> list[str]:
    """A price or a remark after a comma belongs to the thing before it."""
    out: list[str] = []
    for part in parts:
        bare = amounts_in(part)
        if out and (
            (bare and bare[0].start == 0) or re.match(r"(?:每晚|一晚|票价|价格|(?:only|just|for|with)\b)", part)
        ):
            out[-1] = f"{out[-1]}, {part}"
        else:
            out.append(part)
    return out


def _named(part: str, kind: str, language: str) -> Option | None:
    said = part.strip()
    if language == "en":
        match = _NAME_EN.match(said)
        if match and _NO_NAME.fullmatch(match["name"]):
            return None
        return _option(kind, match["name"], said[match.end() :]) if match else None
    said = re.sub(r"^(?:一家是|还有|和|有)", "", said)
    match = re.match(r"[一-鿿A-Za-z]{2,12}?(?=[，,（(]|每|在|带|靠|有|$|\d|[一二三四五六七八九]百|一晚|，|要)", said)
    if match and _NO_NAME.search(match[0]):
        return None
    return _option(kind, match[0], said[match.end() :]) if match else None


def _departures(parts: list[str], kind: str) -> list[Option]:
    out = []
    for part in parts:
        clock = _CLOCK.search(part)
        at = f"{int(clock['h']):02d}:{clock['m']}" if clock else next(iter(_clocks_zh(part)), "")
        if at < "12:00" and re.search(r"下午|晚上|傍晚|\bp\.?m\b", part):
            at = f"{int(at[:2]) + 12}{at[2:]}"
        if at:
            out.append(_option(kind, at, part, time=at))
    return out


def _clocks_zh(text: str) -> list[str]:
    from memory.understanding.values.numbers import NUMBER_ZH, mandarin_number

    out = []
    for match in re.finditer(
        rf"(?P<h>{NUMBER_ZH})点(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<m>{NUMBER_ZH})分?)?", text
    ):
        hour = mandarin_number(match["h"])
        minute = (
            30
            if match["half"]
            else 15 * (1 if match["quarter"] == "一" else 3)
            if match["quarter"]
            else int(mandarin_number(match["m"]) or 0)
            if match["m"]
            else 0
        )
        if hour is not None and hour <= 24 and minute < 60:
            out.append(f"{int(hour):02d}:{minute:02d}")
    return out


def _option(kind: str, name: str, said: str, **details: str) -> Option:
    amounts = amounts_in(said)
    if amounts:
        details["amount"] = amounts[0].value
    return Option(type=kind, id=name, description=_trimmed(said), details=details)


def _trimmed(said: str) -> str:
    said = re.sub(r"^[\s,;，；、:：.。()（）]+|[\s,;，；、.。()（）]+$", "", said)
    return re.sub(r"(?:[,，]?\s*(?:\b(?:and|or)|和|还有|以及|或者?|还是))$", "", said).strip(" ,，、")
