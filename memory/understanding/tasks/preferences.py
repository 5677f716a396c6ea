"""Lasting preferences for what the agent does: "I like window seats", 我喜欢靠窗的位子."""

from __future__ import annotations

import re

from memory.understanding.reading import Reading
from memory.understanding.tasks.cues import asks_memory

_NOUN_EN = (
    r"seats?|rooms?|tables?|meetings?|flights?|trains?|hotels?|restaurants?|appointments?|answers?|replies"
    r"|music|coffee|tea|drinks?|food|beds?|cars?|calls?|weather|places?|reminders?|deliver(?:y|ies)"
)
_FEEL_EN = (
    r"(?:(?:really|always|usually|generally|much|normally|definitely|would|'d)\s+)*(?:like|love|prefer|favou?r"
    r"|want|need|take|choose|have|get|book|reserve|fly|ask\s+for|sit\s+in)"
)
_MODIFIED_EN = re.compile(
    rf"\b(?:i|we)\s+(?:(?P<neg>don't|do\s+not|never|hate|can't\s+stand"
    rf"|dislike)\s+)?(?P<feel>{_FEEL_EN})?\s*(?:to\s+(?:have|sit\s+in|book|get|take)\s+)?(?:an?\s+|the\s+)?"
    rf"(?P<value>(?!lot|few|bit|new|table|room|free)[a-z-]+(?:\s+[a-z-]+)?)\s+(?P<noun>{_NOUN_EN})\b",
    re.IGNORECASE,
)
_SITTING_EN = re.compile(
    r"\bi\s+(?:(?:really|always|usually|prefer|like|love|would|'d|rather|want)\s+)+(?:to\s+)?(?:sit|sitting"
    r"|be)\s+(?:by|at|next\s+to|near|on)\s+(?:the\s+)?(?P<value>window|aisle|front|back|door)",
    re.IGNORECASE,
)
_IN_PART_EN = re.compile(
    rf"\bi\s+(?:(?:really|always|usually|generally)\s+)*(?:prefer|like|love"
    rf"|want)\s+(?:to\s+have\s+)?(?:my\s+)?(?P<noun>{_NOUN_EN})\s+(?:to\s+be\s+)?(?:in\s+the\s+|at\s+"
    rf"|that\s+are\s+|with\s+|without\s+|by\s+the\s+|on\s+the\s+)(?P<value>[a-z]+(?:\s+[a-z]+)?)",
    re.IGNORECASE,
)
_PREFER_EN = re.compile(
    r"\bi\s+(?:(?:really|always|usually|generally|much)\s+)*prefer\s+(?P<value>[a-z' "
    r"-]{2,40}?)(?=\s*(?:[,.;!?]|$|\b(?:please|so|and\s+i|but)\b))",
    re.IGNORECASE,
)
_STYLE_EN = re.compile(
    r"\b(?:(?:please\s+)?(?:keep|make)\s+(?:your|the)\s+(?P<noun>answers?|replies|responses)\s+(?P<value>short"
    r"|brief|shorter|long|detailed|simple)"
    r"|(?:please\s+)?(?:always\s+)?(?:speak|talk)\s+(?:a\s+bit\s+|more\s+)?(?P<pace>slow(?:er|ly)|fast(?:er)?"
    r"|loud(?:er)?|quiet(?:er|ly)))\b",
    re.IGNORECASE,
)
_LASTING_EN = re.compile(r"\b(?:prefer|always|usually|generally|normally|like|love|favou?r)\b", re.IGNORECASE)
_ONE_OFF_EN = re.compile(
    r"\b(?:i'd|i\s+would)\s+(?:like|love)\b|\b(?:like|want|need)\s+(?:an?|the|to)\b|\btomorrow\b|\btoday\b"
    r"|\btonight\b",
    re.IGNORECASE,
)

_NOUN_ZH = (
    r"座位|位子|位置|座|会议室|房间|房|餐厅|餐馆|饭店|酒店|航班|飞机|火车|会议|开会|回答|回复|音乐|咖啡|茶"
    r"|桌子|车|床|时间"
)
_FEEL_ZH = r"(?:更|比较|很|最|特别|非常|挺|一般|通常|总是|一直|都|平时)*(?:喜欢|偏爱|偏好|习惯|爱|倾向于?)"
_MODIFIED_ZH = re.compile(
    rf"我(?P<neg>不|不太)?(?P<feel>{_FEEL_ZH})(?:坐|住|订|选|要|用|在|喝|听"
    rf"|去)?(?P<value>[一-鿿]{{1,6}}?)的?(?P<noun>{_NOUN_ZH})"
)
_ALWAYS_ZH = re.compile(
    rf"我(?:一般|通常|总是|一直|每次|平时)都?(?:坐|住|订|选|要)(?P<value>[一-鿿]{{1,6}}?)的?(?P<noun>{_NOUN_ZH})"
)
_SITTING_ZH = re.compile(rf"我{_FEEL_ZH}坐?(?P<value>靠窗|靠过道|靠走道|靠门|前排|后排|靠边|靠墙)")
_STYLE_ZH = re.compile(r"(?:回答|说话|讲话|回复)(?:请|要|尽量|可以)*(?P<value>简短|短|简单|详细|慢|快)(?:一?点|些)")
_SINGULAR = {"replies": "reply", "deliveries": "delivery"}


def preferences_in(reading: Reading) -> dict[str, str]:
    """Finds what the user likes in general, for things an agent books, says or plays.

    Returns:
        Key -> value in the user's language, such as ``{"seat": "window"}`` or ``{"座位": "靠窗"}``; what is only
        wanted this once ("I'd like a window seat") is left out.
    """
    out: dict[str, str] = {}
    for clause in reading.analysis.clauses:
        if clause.is_question or asks_memory(clause.text):
            continue
        out.update(_english(clause.text) if reading.language == "en" else _mandarin(clause.text))
    return out


def _english(text: str) -> dict[str, str]:
    style = _STYLE_EN.search(text)
    if style:
        return {"speech": style["pace"].lower()} if style["pace"] else {"answers": style["value"].lower()}
    if _ONE_OFF_EN.search(text) and not re.search(r"\b(?:prefer|always|usually)\b", text, re.IGNORECASE):
        return {}
    sitting = _SITTING_EN.search(text)
    if sitting:
        return {"seat": sitting["value"].lower()}
    if not _LASTING_EN.search(text):
        return {}
    in_part = _IN_PART_EN.search(text)
    if in_part:
        return {_singular(in_part["noun"]): in_part["value"].lower()}
    match = _MODIFIED_EN.search(text)
    if match and match["feel"]:
        value = match["value"].lower()
        negative = (match["neg"] or "").lower()
        if not re.search(r"\b(?:to|over|than|and|or|of|with|in|at|for)$", value) and not re.match(
            r"(?:my|your|his|her|our|their|this|that|these|those|it|when|to|a|an)\b", value
        ):
            return {_singular(match["noun"]): f"not {value}" if negative else value}
    prefer = _PREFER_EN.search(text)
    if prefer and not re.match(r"(?:it|that|this|to)\b", prefer["value"], re.IGNORECASE):
        return {"prefers": prefer["value"].strip().lower()}
    return {}


def _mandarin(text: str) -> dict[str, str]:
    style = _STYLE_ZH.search(text)
    if style:
        return {"回答": style["value"]}
    match = _MODIFIED_ZH.search(text) or _ALWAYS_ZH.search(text)
    if match and match["value"] not in ("这", "那", "这个", "那个", "你", "我"):
        if re.search(r"[喝吃看听开坐去]$", match["value"]):
            return {"偏好": match["value"] + match["noun"]} if "更" in match[0] or "偏" in match[0] else {}
        noun = {"位子": "座位", "位置": "座位", "座": "座位", "房": "房间", "开会": "会议"}.get(
            match["noun"], match["noun"]
        )
        negative = match.groupdict().get("neg")
        return {noun: f"不要{match['value']}" if negative else match["value"]}
    sitting = _SITTING_ZH.search(text)
    return {"座位": sitting["value"]} if sitting else {}


def _singular(noun: str) -> str:
    word = noun.lower()
    return _SINGULAR.get(word, word.removesuffix("s"))
