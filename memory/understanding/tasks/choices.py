"""Which of the things that were listed is meant: "the second one", "the cheaper one", 那间靠窗的."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.state_tools import Option

_ORDINALS = {
    word: place
    for place, words in enumerate(("first 1st former", "second 2nd latter", "third 3rd", "fourth 4th", "fifth 5th"))
    for word in words.split()
} | {"last": -1}
_NUMBERS = {word: n for n, word in enumerate("one two three four five".split())} | {str(n + 1): n for n in range(9)}
_HAN = {char: n for n, char in enumerate("一二三四五六七八九")} | {"两": 1} | {str(n + 1): n for n in range(9)}
_THING = (
    r"(?:one|option|choice|room|restaurant|place|hotel|flight|train|table|item|connection|offer|suggestion|bus"
    r"|seat)s?"
)
_UNIT = "[个间家趟班种款辆份张位条台]"
_ORDINAL_EN = re.compile(
    rf"(?<!on )(?<!by )(?<!until )(?<!till )(?<!for "
    rf")\bthe\s+(?:very\s+)?(?P<nth>{'|'.join(_ORDINALS)})\b(?:\s+{_THING}\b)?(?!\s+(?:of\s+(?!them|these"
    rf"|those)|day|week|time|week|month|change|name|thing))"
    rf"|\b(?:number|option|choice)\s+(?P<n>one|two|three|four|five|[1-9])\b",
    re.IGNORECASE,
)
_ORDINAL_ZH = re.compile(
    rf"第(?P<nth>[一二两三四五六七八九1-9]){_UNIT}|(?P<last>最后(?:那)?一?{_UNIT}|后(?:面)?(?:那|一){_UNIT}|后者)"
    rf"|(?P<first>前(?:面)?(?:那|一){_UNIT}|前者|头一{_UNIT})"
)
_BY_VALUE = (
    # what is compared, whether the highest is meant, English, Mandarin
    (
        "amount",
        False,
        r"cheap(?:er|est)|less\s+expensive|least\s+expensive|lower[- ]priced",
        r"(?:最|更|比较)?(?:便宜|实惠)(?:一?点|些)?的",
    ),
    ("amount", True, r"(?:more|most)\s+expensive|pric(?:ier|iest)|dearer", r"(?:最|更|比较)?贵(?:一?点|些)?的"),
    ("time", False, r"earli(?:er|est)|sooner", r"(?:最|更)?早(?:一?点|些)?的"),
    ("time", True, r"lat(?:er|est)", r"(?:最|更)?晚(?:一?点|些)?的"),
    ("capacity", True, r"bigg(?:er|est)|larg(?:er|est)", r"(?:最|更)?大(?:一?点|些)?的"),
    ("capacity", False, r"small(?:er|est)", r"(?:最|更)?小(?:一?点|些)?的"),
)
_OTHER = re.compile(rf"\bthe\s+other(?:\s+{_THING})?\b(?!\s+\w+day)|另外?(?:那)?一?{_UNIT}", re.IGNORECASE)
_DESCRIBED_EN = re.compile(
    rf"\b(?:the|that)\s+(?P<before>(?:[a-z-]+\s+){{1,2}})(?:one|room|seat|table|place)\b"
    rf"|\b(?:the|that)\s+{_THING}\s+(?:(?:that\s+(?:has|is|had|was)|which\s+(?:has|is)|by|with|at|near"
    rf"|next\s+to|in|on|facing|having|beside)\s+)+(?:the\s+|an?\s+)?(?P<after>[a-z-]+(?:\s+[a-z-]+)?)",
    re.IGNORECASE,
)
_DESCRIBED_ZH = re.compile(
    rf"那{_UNIT}(?:有|带|靠|在|配)?(?P<after>[一-鿿]{{1,6}}?)的|(?:有|带|靠|在"
    rf"|配)?(?P<before>[一-鿿]{{1,6}}?)的(?:那)?(?:一?{_UNIT}|会议室|房间)?(?=$|[，。,.吧呢啊离多是]|[一-鿿])"
)
# What tools call a trait, and what people do, in both languages.
_TRAITS = (
    ("window", "靠窗", "窗"),
    ("projector", "投影"),
    ("whiteboard", "白板"),
    ("screen", "屏幕"),
    ("video", "视频"),
    ("quiet", "安静"),
    ("big", "large", "大"),
    ("small", "小"),
    ("cheap", "便宜"),
    ("direct", "nonstop", "直达", "直飞"),
    ("breakfast", "早餐"),
    ("garden", "花园"),
    ("terrace", "露台"),
    ("balcony", "阳台"),
    ("sea", "海景"),
)
_IDLE = frozenset(
    "the a an one that this same other next last first second third whole right wrong old new my your our "
    "original previous current meeting conference room morning"
    " afternoon evening only best with and has for near next by at please thanks then now".split()
)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option and where it was meant.

    Attributes:
        option: What is meant.
        start: Offset of the first character that means it.
        end: Offset behind the last one.
    """

    option: Option
    start: int
    end: int

    @property
    def fact(self) -> tuple[str, str]:
        """The fact that taking it states; a departure is told by its time."""
        return (
            ("time", self.option.details["time"])
            if self.option.type in ("train", "time") and "time" in self.option.details
            else (self.option.type, self.option.id)
        )


def choices_in(text: str, options: Sequence[Option], current: str = "") -> list[Choice]:
    """Finds the references to what was listed.

    Args:
        text: What the user said.
        options: What was listed last, in order.
        current: The id of what is spoken of now, for "the other one".

    Returns:
        In order of appearance; nothing where a reference fits none or several.
    """
    if not options:
        return []
    found: list[Choice] = []

    def add(option: Option | None, start: int, end: int) -> None:
        if option and option.type and all(end <= other.start or other.end <= start for other in found):
            found.append(Choice(option, start, end))

    for option in options:
        for match in _named(option.id, text):
            add(option, *match.span())
    for match in _ORDINAL_EN.finditer(text):
        said = (match["nth"] or "").lower()
        place = _ORDINALS[said] if said else _NUMBERS[match["n"].lower()]
        if said not in ("former", "latter") or len(options) == 2:
            add(_at(options, place), *match.span())
    for match in _ORDINAL_ZH.finditer(text):
        place = _HAN[match["nth"]] if match["nth"] else -1 if match["last"] else 0
        add(_at(options, place), *match.span())
    for key, highest, english, mandarin in _BY_VALUE:
        pattern = re.compile(
            rf"\bthe\s+(?:{english})\b(?:\s+{_THING})?|(?:{mandarin})(?:那)?(?:一?{_UNIT})?", re.IGNORECASE
        )
        for match in pattern.finditer(text):
            add(_extreme(options, key, highest=highest), *match.span())
    for match in _OTHER.finditer(text):
        rest = [option for option in options if option.id != current]
        add(rest[0] if len(options) == 2 and len(rest) == 1 else None, *match.span())
    for pattern in (_DESCRIBED_EN, _DESCRIBED_ZH):
        for match in pattern.finditer(text):
            add(_described(options, match["before"] or match["after"] or ""), *match.span())
    return sorted(found, key=lambda choice: choice.start)


def _named(name: str, text: str) -> list[re.Match[str]]:
    """Where an option's own name is said; codes are read elsewhere."""
    if len(name) < 2 or re.fullmatch(r"[A-Z]{0,5}\d{2,14}|\d\d:\d\d", name):
        return []
    start = r"(?<![A-Za-z0-9])" if name[0].isascii() else ""
    end = r"(?![A-Za-z0-9])" if name[-1].isascii() and name[-1].isalnum() else ""
    return list(re.finditer(rf"{start}{re.escape(name)}{end}", text, re.IGNORECASE))


def _at(options: Sequence[Option], place: int) -> Option | None:
    return options[place] if place < len(options) else None


def _extreme(options: Sequence[Option], key: str, *, highest: bool) -> Option | None:
    values = [(value, option) for option in options if (value := _value(option, key)) is not None]
    if len(values) < 2 or len(values) < len(options) - 1:
        return None
    best = (max if highest else min)(value for value, _ in values)
    fitting = [option for value, option in values if value == best]
    return fitting[0] if len(fitting) == 1 else None


_KEYS = {
    "amount": re.compile(r"amount|price|cost|fare|rate|eur|usd|cny|价", re.IGNORECASE),
    "time": re.compile(r"time|depart|start|leave|begin|时间|出发", re.IGNORECASE),
    "capacity": re.compile(r"capacity|seats|size|people|places|容量|人数", re.IGNORECASE),
}


def _value(option: Option, key: str) -> float | None:
    for name, said in option.details.items():
        if not _KEYS[key].search(name):
            continue
        clock = re.search(r"(\d{1,2}):(\d\d)", said)
        if key == "time" and clock:
            return int(clock[1]) * 60 + int(clock[2])
        number = re.search(r"\d+(?:\.\d+)?", said.replace(",", ""))
        if key != "time" and number:
            return float(number[0])
    return None


def _described(options: Sequence[Option], said: str) -> Option | None:
    fitting = [option for option in options if _fits(said, _all(option))]
    return fitting[0] if len(fitting) == 1 else None


def _fits(said: str, told: str) -> bool:
    words = _traits(said)
    if words:
        return words <= _traits(told)
    han = re.sub(r"^[有带靠在配那这]+|[的那这个间家]+$", "", "".join(re.findall(r"[一-鿿]", said)))
    return bool(han) and han in told


def _all(option: Option) -> str:
    """What is told of an option, and the traits that a tool says it has."""
    yes = [name for name, value in option.details.items() if value == "true"]
    return " ".join([option.description, *yes])


def _traits(said: str) -> set[str]:
    """What sets a thing apart, in words that both languages share where they can."""
    low = said.lower()
    found = {trait[0] for trait in _TRAITS if any(form in low for form in trait)}
    words = [word.rstrip("s") for word in re.findall(r"[a-z]{3,}", low) if word not in _IDLE]
    return found | {word for word in words if not any(word.startswith(trait[0]) for trait in _TRAITS)}
