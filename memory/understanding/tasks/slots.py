"""Values for a task, picked out of an utterance: date, room, city, people, amount."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.understanding.people.relations import RELATION_EN, RELATION_ZH
from memory.understanding.reading import Reading
from memory.understanding.tasks.cues import correction_spans
from memory.understanding.tasks.topics import TIME_FACTS, Topic
from memory.understanding.values.codes import code_type
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number
from memory.understanding.words.analysis import overlaps

_PEOPLE_EN = re.compile(
    rf"\b(?:(?P<a>{NUMBER_EN})\s+(?:people|persons?|guests?|adults?|participants?|attendees|colleagues|tickets|seats)"
    rf"|(?:table|room|party|group|tickets?|space|dinner|lunch|reservation)\s+(?:for"
    rf"|of)\s+(?P<b>{NUMBER_EN})(?!\s*(?:hours?|minutes?|nights?|days?|weeks?|o'clock|[ap]\.?m))"
    rf"|(?:there\s+(?:will\s+be|are)|we(?:'re|\s+are"
    rf"|'ll\s+be))\s+(?P<c>{NUMBER_EN})(?:\s+of\s+us)?(?!\s*(?:minutes?|hours?|years?|days?))"
    rf"|^(?:(?:and|just|only|no|make it|it's|for)\s+)*(?P<d>{NUMBER_EN})\s+of\s+us)",
    re.IGNORECASE,
)
_PEOPLE_ZH = re.compile(rf"(?P<a>{NUMBER_ZH})(?:个人|个大人|个?成人|人(?!民)|位(?!置|子|数))")
_TICKETS_ZH = re.compile(rf"(?P<a>{NUMBER_ZH})张(?!桌|床|卡|纸)")
_TITLED = re.compile(
    r"\b(?:dr|mr|mrs|ms|doctor|professor|prof)\.?\s+(?P<name>(?!appointment)[A-Za-z][\w'-]+)", re.IGNORECASE
)
_NIGHTS_EN = re.compile(rf"\b(?P<n>{NUMBER_EN})\s+nights?\b", re.IGNORECASE)
_NIGHTS_ZH = re.compile(rf"(?P<n>{NUMBER_ZH})(?:个?晚上?|夜)(?![上点])")
_CUISINE_EN = re.compile(
    r"\b(italian|chinese|japanese|indian|thai|french|mexican|greek|turkish|vietnamese|korean|spanish"
    r"|vegetarian|vegan|sushi|pizza|steak|seafood)\b",
    re.IGNORECASE,
)
_CUISINE_ZH = re.compile(
    r"(?:意大利|法国|日本|泰国|印度|韩国|墨西哥|西班牙|四川|广东|湖南|新疆|东北|越南|土耳其)(?=餐|菜|料理|饭店"
    r"|馆)|川菜|粤菜|湘菜|火锅|日料|西餐|意大利菜|法餐|泰国菜|韩餐|烧烤"
    r"|素食|海鲜|披萨|寿司"
)
EQUIPMENT = re.compile(
    r"\b(projector|whiteboard|video\s+(?:conferencing|system)|screen|flip\s*chart)\b"
    r"|(投影(?:仪|设备)?|白板|视频(?:会议|设备)|大屏幕|屏幕)",
    re.IGNORECASE,
)
"""Pattern of what a room can have."""
_PLACE_EN = r"(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+){0,2}|[a-z][a-z'-]{2,}"
_FROM_TO_EN = re.compile(
    rf"\b(?:from\s+(?P<origin>{_PLACE_EN})\s+)?\bto\s+(?P<destination>{_PLACE_EN})|\bfrom\s+(?P<only>{_PLACE_EN})",
    re.IGNORECASE,
)
_FROM_TO_ZH = re.compile(
    r"(?:从|由|自)(?P<from>[一-鿿]{2,6}?)(?:出发|走|起飞)?[，,\s]*(?:到|飞往?|去|至)(?P<to>[一-鿿]{2,6})"
    r"|(?:从|由)(?P<start>[一-鿿]{2,6})"
    r"|(?P<origin>(?:(?![从由自])[一-鿿]){2,6}?)(?:出发)?(?:到|飞往?|去|至)(?P<destination>[一-鿿]{2,6})|(?:去|到|飞往?"
    r"|回)(?P<only>[一-鿿]{2,6})"
)
NEGATED = re.compile(
    r"\b(?:not|isn't|rather than|instead of)\s+(?:on |at |in |for |from )?$|(?:不是|不要|而不是)$", re.IGNORECASE
)
_RULED_OUT = re.compile(
    r"\s*(?:is|are|would\s+be|'s)?\s*(?:bad|not\s+(?:good|possible|an\s+option)|impossible|full|out|no\s+good"
    r"|too\s+(?:late|early|soon))\b"
    r"|\s*(?:doesn't|does\s+not|won't|will\s+not|don't|can't|isn't)\s+(?:work|suit|fit|do|good|possible)"
    r"|\s*(?:我|都|也)?(?:不行|不方便|没空|没时间|不可以|不合适|来不及|有事|太[早晚])",
    re.IGNORECASE,
)
_ABOUT_PLACE = re.compile(
    r"\b(?:(?:what|how)\s+about(?:\s+in)?|and\s+in"
    r"|same\s+for|make\s+it|i\s+meant?|rather)\s+(?:to\s+)?(?P<place>[a-z][a-z'-]+(?:\s+[a-z'-]+)?)\s*[?.]?\s*$",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(r"(?:那么?|还有)?(?P<place>[一-鿿]{2,6}?)(?:呢|怎么样|如何)")
_NO_PLACE = re.compile(
    r"(?:(?:the|a|an|my|your|that|this|it|there|here|me|you|him|her|us|them|people|later|earlier|now)\b.*)",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(r"\bin\s+(?P<place>[a-z][a-z'-]{1,}(?:\s+[a-z'-]+)?)")
_TWO_WORDS = frozenset(
    "new san los las hong tel cape st saint port kuala buenos sao salt fort el santa la le santo addis abu ho mexico"
    " kansas baton quebec panama guatemala".split()
) - {"mexico", "quebec", "panama", "guatemala", "kansas"}
_NOT_NAMED = re.compile(
    r"(?:general|total|case|time|advance|english|chinese|german|french|mandarin|person|town|town\s.*|order|fact|front"
    r"|euros?|dollars?|cash|full|particular|between|case|summer|winter|spring|autumn|january|february|march|april|may"
    r"|june|july|august|september|october|november|december|half|bed|private|public|two|three|four|five|ten"
    r"|about|around)",
)
_FINISH = re.compile(
    r"\b(?:finish|end|ending|until|till|be\s+(?:done|over|out)|stop)\b[^.?!]{0,12}$|(?:结束|到|用到)$", re.IGNORECASE
)
_GOES = frozenset("go get be take book see visit travel leave come return catch do make".split())
_TO_TRAVEL = re.compile(r"\b(?:trains?|flights?|tickets?|fly|bus)\s+to\s+$")
_KITCHEN = re.compile(r"\s*(?:餐厅|餐馆|菜|料理|饭店|饭馆|风味|restaurant|food|place|cuisine)", re.IGNORECASE)
_CITY_LEAD = re.compile(r"\b(?:in|for|about|at|near)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """A value for a task and where it was said."""

    key: str
    value: str
    start: int
    end: int


def slots_in(reading: Reading, start: int, end: int, topic: Topic, *, loose: bool = False) -> list[Slot]:
    """Finds the values a topic takes between two offsets.

    Args:
        reading: The utterance.
        start: Offset to begin at.
        end: Offset to stop at.
        topic: What the task is about.
        loose: Whether a name alone may be the value that was asked for ("what about Hamburg").

    Returns:
        In order of appearance; negated values ("not Tuesday") are left out.
    """
    found: list[Slot] = []
    for mention in reading.times:
        if start <= mention.start < end:
            found += [Slot(key, value, mention.start, mention.end) for key, value in mention.facts.items()]
    for amount in reading.amounts:
        if start <= amount.start < end and "amount" in topic.facts:
            found.append(Slot("amount", amount.value, amount.start, amount.end))
    for code in reading.codes:
        if start <= code.start < end:
            kind = code_type(code.value, reading.text, topic.name)
            found.append(Slot("order" if kind == "order" else kind, code.value, code.start, code.end))
    for choice in reading.choices:
        key, value = choice.fact
        if start <= choice.start < end and (key in topic.facts or key in TIME_FACTS):
            found.append(Slot(key, value, choice.start, choice.end))
    if "people" in topic.facts:
        found += _people(reading, start, end, topic)
    if "nights" in topic.facts:
        found += _nights(reading, start, end)
    spoken_of = [(choice.start, choice.end) for choice in reading.choices]
    found += [s for s in _places(reading, start, end, topic, loose=loose) if not overlaps(s.start, s.end, spoken_of)]
    if "person" in topic.facts:
        found += _persons(reading, start, end)
    if "cuisine" in topic.facts:
        found += _matches(_CUISINE_EN if reading.language == "en" else _CUISINE_ZH, "cuisine", reading.text, start, end)
    if "equipment" in topic.facts:
        found += _matches(EQUIPMENT, "equipment", reading.text, start, end)
    found = _with_finish(sorted(found, key=lambda slot: slot.start), reading.text)
    kept = [slot for slot in found if not NEGATED.search(reading.text[max(0, slot.start - 24) : slot.start])]
    return [slot for slot in kept if not (is_time(slot) and _RULED_OUT.match(reading.text, slot.end))]


def _with_finish(slots: list[Slot], text: str) -> list[Slot]:
    """A beginning and an end that are said apart are a range: "start at ten and finish at noon"."""
    out: list[Slot] = []
    for slot in slots:
        first = next((s for s in reversed(out) if s.key == "time"), None)
        finishes = slot.key == "time" and first and _FINISH.search(text[first.end : slot.start])
        if finishes and first and first.value < slot.value:
            out[out.index(first)] = Slot("time_range", f"{first.value}-{slot.value}", first.start, slot.end)
        else:
            out.append(slot)
    return out


def facts_from(slots: list[Slot], text: str) -> dict[str, str]:
    """One value per key: the first one said, or the last one after the speaker took something back."""
    corrections = correction_spans(text)
    facts: dict[str, str] = {}
    ends: dict[str, int] = {}
    for slot in slots:
        taken_back = slot.key in facts and any(ends[slot.key] <= at < slot.start for at in corrections)
        if slot.key not in facts or taken_back:
            facts[slot.key] = slot.value
            ends[slot.key] = slot.end
    return _without_rivals(_with_end(facts))


def replaced_keys(facts: dict[str, str]) -> tuple[str, ...]:
    """Keys that cannot hold beside these facts: another way to say the time of day, or the day."""
    gone: list[str] = []
    for group in (("time", "time_range", "part_of_day"), ("date", "date_range", "repeats")):
        if any(key in facts for key in group):
            gone += [key for key in group if key not in facts]
    return tuple(gone)


def is_time(slot: Slot) -> bool:
    """Whether the slot is about time."""
    return slot.key in TIME_FACTS


def _with_end(facts: dict[str, str]) -> dict[str, str]:
    """A time and a duration said apart make a range: "at three … for an hour"."""
    length = re.fullmatch(r"(\d+) min", facts.get("duration", ""))
    if "time" not in facts or not length:
        return facts
    end = int(facts["time"][:2]) * 60 + int(facts["time"][3:]) + int(length[1])
    if end > 24 * 60:
        return facts
    rest = {key: value for key, value in facts.items() if key not in ("time", "duration")}
    return {**rest, "time_range": f"{facts['time']}-{end // 60:02d}:{end % 60:02d}"}


def _without_rivals(facts: dict[str, str]) -> dict[str, str]:
    if "time_range" in facts:
        facts.pop("time", None)
    if "time" in facts or "time_range" in facts:
        facts.pop("part_of_day", None)
    if "date" in facts:
        facts.pop("date_range", None)
    return facts


def _matches(pattern: re.Pattern[str], key: str, text: str, start: int, end: int) -> list[Slot]:
    return [Slot(key, match[0].lower(), match.start(), match.end()) for match in pattern.finditer(text, start, end)][:1]


def _people(reading: Reading, start: int, end: int, topic: Topic) -> list[Slot]:
    english = reading.language == "en"
    out = []
    found = list((_PEOPLE_EN if english else _PEOPLE_ZH).finditer(reading.text, start, end))
    if not found and not english and topic.name in ("flight", "train", "tickets"):
        found = list(_TICKETS_ZH.finditer(reading.text, start, end))
    for match in found:
        said = next(group for group in match.groups() if group)
        first = match.start()
        while english and english_number(said) is None and " " in said:  # "seven four people" ends a time
            first += len(said) - len(said.split(maxsplit=1)[1])
            said = said.split(maxsplit=1)[1]
        number = english_number(said) if english else mandarin_number(said)
        taken = any(t.start < match.end() and first < t.end for t in reading.times)
        if number and 0 < number < 1_000 and not taken:
            out.append(Slot("people", str(int(number)), first, match.end()))
    return out


def _nights(reading: Reading, start: int, end: int) -> list[Slot]:
    english = reading.language == "en"
    match = (_NIGHTS_EN if english else _NIGHTS_ZH).search(reading.text, start, end)
    number = (english_number(match["n"]) if english else mandarin_number(match["n"])) if match else None
    return [Slot("nights", str(int(number)), *match.span())] if match and number else []


def _persons(reading: Reading, start: int, end: int) -> list[Slot]:
    names = reading.analysis.names_of("person", start, end)
    times = [(t.start, t.end) for t in reading.times]
    named = [Slot("person", n.value or n.name, n.start, n.end) for n in names if not overlaps(n.start, n.end, times)]
    if named:
        return named
    titled = _TITLED.search(reading.text, start, end)
    if titled:
        said = titled[0]
        return [Slot("person", said.title() if said.islower() else said, *titled.span())]
    pattern = (
        rf"\b(?:my|our)\s+(?P<who>{RELATION_EN})\b(?!'s)|\b(?P<alone>mom|mum|dad|grandma|grandpa)\b"
        if reading.language == "en"
        else rf"(?:我(?:们|的|家)?的?)?(?P<who>{RELATION_ZH})(?!费)"
    )
    match = re.compile(pattern, re.IGNORECASE).search(reading.text, start, end)
    if not match:
        return []
    said = match["who"] or match.groupdict().get("alone") or ""
    return [Slot("person", said, match.start(), match.end())]


def _places(reading: Reading, start: int, end: int, topic: Topic, *, loose: bool) -> list[Slot]:
    names = [n for n in reading.analysis.names if start <= n.start < end]
    places = [n for n in names if n.kind == "place" and not _KITCHEN.match(reading.text, n.end)]
    if "destination" in topic.facts:
        found = _journey(reading, start, end, {n.name.lower(): n.value or n.name for n in names}, loose=loose)
        return found or (_place_asked_for(reading, start, end, topic) if loose and reading.language == "en" else [])
    if "city" not in topic.facts:
        return []
    if reading.language == "en" and not any(n.end - n.start > 4 for n in places) and reading.text.islower():
        spoken = _lower_case_place(reading, start, end)
        if spoken:
            return [spoken]
    if not places:
        places = [n for n in names if loose or _CITY_LEAD.search(reading.text[max(0, n.start - 8) : n.start])]
        if loose and not places and reading.language == "en":
            return _place_asked_for(reading, start, end, topic)
        if "person" in topic.facts:
            places = [n for n in places if n.kind != "person"]
    asked = _ASKED_ZH.fullmatch(reading.text[start:end].rstrip("。？?！ ")) if loose and len(places) == 1 else None
    if (
        asked
        and places[0].start == start + asked.start("place")
        and not any(start <= t.start < end for t in reading.times)
    ):
        return [Slot("city", asked["place"], places[0].start, places[0].start + len(asked["place"]))]
    return [Slot("city", n.value or n.name, n.start, n.end) for n in places]


def _may_be_place(reading: Reading, start: int, said: str) -> bool:
    """Whether a word that is written without a capital can be a place somebody travels to."""
    tag = next((w.tag for w in reading.analysis.words if w.start == start), "")
    if tag == "VB" and (said in _GOES or not _TO_TRAVEL.search(reading.text[:start])):
        return False
    return tag.startswith(("NN", "FW", "JJ", "VB")) and not _NO_PLACE.fullmatch(said) and not _NOT_NAMED.fullmatch(said)


def _lower_case_place(reading: Reading, start: int, end: int) -> Slot | None:
    """The place behind "in", where the recogniser writes no capitals: "the weather in new york"."""
    for match in _IN_PLACE.finditer(reading.untimed, start, end):
        said = match["place"]
        first = said.split()[0]
        said = said if first in _TWO_WORDS else first
        if not _NO_PLACE.fullmatch(said) and not _NOT_NAMED.fullmatch(said):
            return Slot("city", said.title(), match.start("place"), match.start("place") + len(said))
    return None


def _place_asked_for(reading: Reading, start: int, end: int, topic: Topic) -> list[Slot]:
    """The place in "what about vienna", where the recogniser left it in lower case."""
    match = _ABOUT_PLACE.search(reading.untimed, start, end)
    if match is None:
        return []
    key = "city" if "city" in topic.facts else "destination"
    tag = next((w.tag for w in reading.analysis.words if w.start == match.start("place")), "")
    fits = (tag.startswith(("NN", "FW")) or tag in ("JJ", "VB")) and not _NO_PLACE.fullmatch(match["place"])
    return [Slot(key, match["place"].title(), match.start("place"), match.end("place"))] if fits else []


def _journey(reading: Reading, start: int, end: int, names: dict[str, str], *, loose: bool) -> list[Slot]:
    text = reading.untimed
    out: dict[str, Slot] = {}
    for match in (_FROM_TO_EN if reading.language == "en" else _FROM_TO_ZH).finditer(text, start, end):
        for group, said in match.groupdict().items():
            if not said:
                continue
            place = next((names[name] for name in names if said.lower().startswith(name) or name == said.lower()), "")
            if not place and reading.language == "en" and said[0].isupper():
                place = said
            if not place and reading.text.islower() and _may_be_place(reading, match.start(group), said):
                place = said.title()
            origin = group in ("origin", "from", "start") or (group == "only" and reading.language == "en")
            key = "origin" if origin else "destination"
            if place and key not in out:
                out[key] = Slot(key, place, match.start(group), match.start(group) + len(place))
    if not out and names:
        first = next(n for n in reading.analysis.names if start <= n.start < end)
        if first.kind == "place" or loose:
            out["destination"] = Slot("destination", first.value or first.name, first.start, first.end)
    return list(out.values())
