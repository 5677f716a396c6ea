"""What a question of the agent asks for, as one short name, and the facts that answer it.

The names are what ``pending`` holds: "date", "number of people", "projector"; 日期, 人数, 投影设备. Names that a model
wrote into ``pending`` itself are read by the same table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that is asked for.

    Attributes:
        name: What it is called, in the language of the question.
        keys: Facts of which any one answers it; empty where only a yes, a no or the thing itself does.
        is_offer: Whether yes or no answers it.
    """

    name: str
    keys: tuple[str, ...] = ()
    is_offer: bool = False


_DAY = ("date", "date_range", "repeats")
_CLOCK = ("time", "time_range")
_TIME = (*_CLOCK, "part_of_day")


def _rule(
    english: str, mandarin: str, en: str, zh: str, *keys: str
) -> tuple[re.Pattern[str], str, str, tuple[str, ...]]:
    pattern = rf"\b(?:{english})\b|(?:{mandarin})" if mandarin else rf"\b(?:{english})\b"
    return re.compile(pattern, re.IGNORECASE), en, zh, keys


# The first that fits names the thing; later rules are wider.
_RULES = (
    _rule(
        r"guests|people|(?:how\s+many|number\s+of)\s+(?:people|persons?|guests|adults|seats|tickets|places"
        r"|attendees|participants"
        r"|of\s+you|passengers|travell?ers)|people\s+count|party\s+size|headcount|how\s+many\s+(?:will|are"
        r"|would)\b[^?]*"
        r"|(?:for\s+)?how\s+many",
        r"几个人|几位|多少人|多少位|人数|几张|几个人?参加|几人",
        "number of people",
        "人数",
        "people",
    ),
    _rule(
        r"how\s+many\s+nights|nights|how\s+long\s+(?:will|would|do)\s+you\s+(?:stay|be\s+staying)",
        r"几晚|住几天|多少晚",
        "number of nights",
        "几晚",
        "nights",
        "date_range",
    ),
    _rule(r"how\s+long|duration", r"多久|多长时间|时长", "duration", "时长", "duration", "time_range"),
    _rule(
        r"what\s+day\s+and\s+(?:what\s+)?time|date\s+and\s+time|when\s+exactly",
        r"哪天几点|日期和时间|几号几点",
        "date and time",
        "日期和时间",
        *_DAY,
        *_TIME,
    ),
    _rule(
        r"(?:what|which)\s+(?:part\s+of\s+the\s+day|time\s+of\s+day)|morning(?:,?\s*\w*)?\s*or\s*(?:the\s+)?"
        r"(?:afternoon|evening)|time\s+of\s+day",
        r"上午还是下午|早上还是晚上|中午还是晚上|下午还是晚上",
        "time of day",
        "上午还是下午",
        *_TIME,
    ),
    _rule(
        r"(?:what|which|at\s+what)\s+(?:exact\s+)?time|from\s+when|until\s+when|what\s+hours?|time|time\s+slot"
        r"|start\s+time",
        r"几点|什么时间|哪个时间|时间段?|钟点",
        "time",
        "时间",
        *_CLOCK,
    ),
    _rule(
        r"(?:what|which)\s+(?:day|date)|what\s+days|day|date|check-?in\s+date",
        r"哪一?天|几号|什么日期|哪个?日期|日期|星期几|周几|什么日子",
        "date",
        "日期",
        *_DAY,
    ),
    _rule(
        r"where\s+(?:\w+\s+){0,4}from|from\s+where|from\s+which\s+\w+|origin|departure\s+(?:city|airport)"
        r"|where\s+(?:do|will|would)\s+you\s+(?:start|leave|depart)\b[^?]*",
        r"从哪|哪里出发|哪儿出发|出发地|始发|哪个城市出发",
        "origin",
        "出发地",
        "origin",
    ),
    _rule(
        r"where\s+(?:\w+\s+){0,4}to|to\s+where|to\s+which\s+\w+|destination|where\s+(?:would|do|are|will)\s+you\s+"
        r"(?:like\s+to\s+|want\s+to\s+)?(?:go|fly|travel)(?:ing)?",
        r"去哪|到哪|飞哪|目的地",
        "destination",
        "目的地",
        "destination",
    ),
    _rule(r"when", r"什么时候|何时|啥时候", "date and time", "日期和时间", *_DAY, *_TIME),
    _rule(
        r"(?:which|what)\s+(?:city|town|place|area|location)|city|location|where",
        r"哪个?城市|什么城市|城市|什么地方|哪里|哪儿|地点",
        "city",
        "城市",
        "city",
        "destination",
        "place",
    ),
    _rule(r"how\s+much|(?:what|which)\s+amount|amount", r"多少钱|金额|多少元", "amount", "金额", "amount"),
    _rule(
        r"(?:what|which)\s+(?:kind|type|sort|style)\s+of\s+(?:food|cuisine|restaurant|place)|cuisine",
        r"什么菜系?|哪种菜|菜系|口味",
        "cuisine",
        "菜系",
        "cuisine",
    ),
    _rule(
        r"(?:order|tracking|parcel|booking)\s+(?:number|code|id)|number\s+of\s+(?:the|your)\s+(?:order|parcel)",
        r"订单号|快递单号|单号|运单号",
        "order number",
        "单号",
        "order",
        "booking",
    ),
    _rule(
        r"(?:phone|telephone|mobile)\s+number|e-?mail(?:\s+address)?",
        r"电话号码|手机号码?|联系方式|邮箱",
        "phone number",
        "联系方式",
        "contact",
    ),
    _rule(
        r"(?:what|which)\s+(?:is\s+your\s+|\w+\s+)?name|your\s+name|name",
        r"姓名|叫什么|贵姓|名字",
        "name",
        "姓名",
        "person",
        "name",
    ),
    _rule(r"who(?:m)?|to\s+whom|with\s+whom", r"给谁|跟谁|和谁|哪位|谁", "person", "对象", "person"),
)
_QUESTION_WORD = re.compile(
    r"\b(?:what|which|who|whom|where|when|how)\b|什么|哪|谁|几|多少|多久|何时|还是|贵姓", re.IGNORECASE
)
_WHICH_EN = re.compile(
    r"\b(?:which|what)\s+(?P<noun>(?!one\b|of\b|is\b|are\b|would\b|do\b|can\b|will\b|else\b|should\b"
    r"|about\b|did\b|was\b|if\b)[a-z-]+(?:\s+(?:type|kind|size|class|number|system))?)",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(r"\bwhich\s+(?:one|of\s+(?:them|these|those))\b|哪一?[个间家趟班款种辆]", re.IGNORECASE)
_WHICH_ZH = re.compile(r"(?:哪一?[个位种款]?|什么)(?P<noun>(?!时候|地方|时间)[一-鿿]{2,6}?)(?:[？?，,]|$|呢|吗)")
_EITHER_EN = re.compile(
    r"^(?:(?:and|so|or|okay|alright|sure|would\s+you\s+(?:like|prefer)|do\s+you\s+(?:want|prefer|need|like)"
    r"|is\s+it|is\s+that"
    r"|should\s+it\s+be|will\s+that\s+be)[,\s]+)*(?P<one>(?:an?\s+"
    r"|the\s+)?[a-z-]+(?:\s+[a-z-]+)?)\s+or\s+(?P<two>(?:an?\s+"
    r"|the\s+)?[a-z-]+(?:\s+[a-z-]+)?)\s*\??$",
    re.IGNORECASE,
)
_EITHER_ZH = re.compile(r"(?:您|你)?(?:想?要|想|选|是|坐)?(?P<one>[一-鿿]{1,5}?)还是(?P<two>[一-鿿]{1,5})")
_OFFER_EN = re.compile(
    r"\b(?:(?:do|will|would|did)\s+you\s+(?:also\s+|still\s+|perhaps\s+|maybe\s+)?(?:need|want|like|require|prefer)"
    r"(?:\s+to\s+(?:have|add|include|use))?|(?:shall|should)\s+i\s+(?:add|include)|(?:is"
    r"|are)\s+(?=[^?]*\b(?:needed|required|necessary)\b)"
    r"|do\s+we\s+need|with)\s+(?P<thing>[^?,.;]+)",
    re.IGNORECASE,
)
_OFFER_ZH = re.compile(
    r"(?:还|也|是否|您|你|需不|要不|再|另外)*(?:需要|要|想要|加|带|配|准备|是否需要)(?:一[个台份]|个)?(?P<thing>[一-鿿A-Za-z]{1,10}?)(?:吗|么|[？?]|$)"
    r"|(?P<moved>[一-鿿]{2,8})(?:需要|要不要|需不需要)(?:吗|么)?[？?]?$"
)
_TRAIL_EN = re.compile(
    r"\s+(?:as\s+well|too|also|included|for\s+(?:it|that|the\s+\w+|you)|with\s+(?:it|that)|needed|required|necessary"
    r"|there|then|again|at\s+all)\b.*$",
    re.IGNORECASE,
)
_ARTICLE_EN = re.compile(r"^(?:an?|any|some|the|your|a\s+few)\s+", re.IGNORECASE)
_NOTHING_EN = re.compile(
    r"^(?:me|to|it|that|this|anything|something|more|help|else|i|you|us|know|one\b|him|her|them|any\s+(?:other"
    r"|more)|further)",
    re.IGNORECASE,
)
_NOTHING_ZH = re.compile(r"^(?:我|帮|别的|其他|什么|其它|再|知道|的|我们|吗|现在|取消|改|预?订|支付|付|确认|继续|提醒)")
_POLITE = re.compile(
    r"\b(?:anything\s+(?:else|more)|something\s+else|how\s+are\s+you|what\s+(?:else\s+)?can\s+i\s+do"
    r"|how\s+(?:can|may)\s+i\s+help|what\s+else|do\s+you\s+know|did\s+you\s+know"
    r"|how\s+about\s+that|how\s+does\s+that\s+sound)\b|还有(?:别的|其他|什么)|还需要(?:什么|别的|我)|有什么可以|怎么样[？?]?$|你好吗",
    re.IGNORECASE,
)


def asked_for(name: str) -> Asked:
    """What an item of ``pending`` asks for, whoever wrote it."""
    if name.lower() in PEOPLE_NOUNS:
        return Asked(name, ("person",))
    if name in _CHOICES:
        return Asked(name, (_CHOICES[name],))
    for pattern, _, _, keys in _RULES:
        if pattern.fullmatch(name.strip()) or (len(name) > 3 and pattern.search(name)):
            return Asked(name, keys)
    return Asked(name, is_offer=True)


def things_asked(question: str, language: str, topic: str) -> list[Asked]:
    """What one question of the agent asks for.

    Args:
        question: One sentence that asks.
        language: ``en`` or ``zh``.
        topic: What the task is about: what "which one" asks for.

    Returns:
        In the order of asking; nothing for a question that only is polite.
    """
    if _POLITE.search(question):
        return []
    found: list[Asked] = []
    for part in re.split(
        r"[,，、;；]\s*(?:and\s+|or\s+)?|\s+and\s+(?=(?:for|at|on|from|to|in|with|what|which|how|when|where"
        r"|who)\b)|(?<=[点天号位里])和",
        question,
    ):
        thing = _one(part.strip(" ?？。."), language, topic)
        if thing and all(thing.name != other.name for other in found):
            found.append(thing)
    return found


def _one(part: str, language: str, topic: str) -> Asked | None:
    if not part:
        return None
    english = language == "en"
    if _WHICH_ONE.search(part):
        name = topic if english else _CHOICES_ZH.get(topic, "选哪个")
        return Asked(name or "choice", (_CHOICES.get(name, "choice"),))
    if _QUESTION_WORD.search(part) or re.search(r"\bor\b", part):
        which = (_WHICH_EN if english else _WHICH_ZH).search(part)
        if which and which["noun"].lower() in PEOPLE_NOUNS:
            return Asked(which["noun"], ("person",))
        for pattern, en, zh, keys in _RULES:
            match = pattern.search(part)
            if match and (_QUESTION_WORD.search(match[0]) or re.search(r"\bor\b|还是|from when", match[0])):
                return Asked(en if english else zh, keys)
        if which:
            noun = which["noun"].strip()
            return Asked(noun, asked_for(noun).keys)
        either = (_EITHER_EN if english else _EITHER_ZH).search(part)
        if either:
            return Asked(f"{either['one']} or {either['two']}" if english else f"{either['one']}还是{either['two']}")
        return None
    return _offered(part, english)


PEOPLE_NOUNS = frozenset(
    "doctor dentist therapist person hairdresser colleague contact recipient 医生 牙医 大夫 老师 同事 联系人".split()
)
_CHOICES_ZH = {
    "room": "会议室",
    "restaurant": "餐厅",
    "hotel": "酒店",
    "flight": "航班",
    "train": "车次",
    "appointment": "时间",
}
_CHOICE_KEYS = {"flight": "airline", "train": "time", "appointment": "time"}
# Name of a choice -> the fact that takes it.
_CHOICES = {
    name: _CHOICE_KEYS.get(topic, topic) for topic, han in _CHOICES_ZH.items() for name in (topic, han) if han != "时间"
} | {"appointment": "time"}


def _offered(part: str, english: bool) -> Asked | None:
    if english:
        match = _OFFER_EN.search(part)
        thing = _ARTICLE_EN.sub("", _TRAIL_EN.sub("", match["thing"]).strip()) if match else ""
        if not thing or _NOTHING_EN.match(thing) or len(thing.split()) > 5:
            return None
        return Asked(thing, is_offer=True)
    match = _OFFER_ZH.search(part)
    thing = re.sub(r"^(?:包?含|带|加|一份|一个|点)", "", ((match["thing"] or match["moved"]) if match else "").strip())
    return Asked(thing, is_offer=True) if thing and not _NOTHING_ZH.match(thing) else None
