"""Surface cues that ranking needs: does it only ask, does it name a time, does it ask for the agent's words.

Regular expressions over the words, a few microseconds each. What they decide about stored utterances are priors, so a
miss costs a rank and not a memory.
"""

from __future__ import annotations

import re

_ENGLISH_QUESTION = re.compile(
    r"^(?:(?:and|so|but|wait|hold on|well|okay|ok|hey|oh|now|again|sorry|please)[,\s]+)*"
    r"(?:what|which|who|whom|whose|when|where|why|how|do|does|did|is|are|was|were|can|could|will|would|should|have|has"
    r"|am|may)(?:'s|'re|'d|n't)?\b",
    re.IGNORECASE,
)
_MANDARIN_QUESTION = re.compile(
    r"吗|什么|怎么|为什么|哪(?!怕)|谁|几(?:点|号|个|次|岁|天|月)|多少|多久|多大|是不是|有没有|能不能|会不会|来着|呢[。？?！!\s]*$"
)
_REQUEST = re.compile(
    r"\b(?:can|could|will|would) (?:you|we)\b|\b(?:can|could|may) i (?:have|get)\b|\bplease\b"
    r"|帮我|请你?帮|能不能帮|麻烦你",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"\b(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|morning|thanks?(?: you)?(?: (?:so|very) much| a lot)?"
    r"|(?:that's |that is |sounds |very |all )?(?:great|good|fine|perfect|nice|cool|awesome|lovely|wonderful|right)"
    r"|ok|okay|yes|yeah|yep|no|nope|sure|alright|please|bye|goodbye|see you|later|soon|how are you(?: doing)?|today"
    r"|i(?:'m| am) (?:fine|good|well)|uh|um|hm|hmm|oh|well|there|again|then|go ahead|never mind"
    r"|tell me (?:a|another) joke)\b"
    r"|你好|您好|早上好|早安|早|下午好|晚上好|晚安|嗨|喂|谢谢[你您]?|多谢|太好了|太棒了|好的?|行|可以|嗯|哦|对|是的?|不用"
    r"|没事|再见|拜拜|[明回]头?[天]?见|[你您]?今天|[你您]?好吗|最近怎么样|给我|讲个笑话|没关系|不客气|知道|了|吗|啊|吧|呀|啦",
    re.IGNORECASE,
)
_WORD_CHARACTER = re.compile(r"\w")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past|coming)\s+(?:night|week|weekend|month|year|spring|summer"
    r"|autumn|fall|winter|\w+day)|\w+day|january|february|march|april|june|july|august|september|october|november"
    r"|december|\d{4}|\d{1,2}(?::\d{2}|\s?[ap]\.?m\b|st\b|nd\b|rd\b|th\b)|o'clock|noon|midnight|morning|afternoon|evening"
    r"|ago|(?:in|for|since)\s+(?:\d+|a|an|one|two|three|four|five|six|ten)\s+(?:minute|hour|day|week|month|year)s?"
    r"|weeks?|months?|years?)\b"
    r"|昨[天晚]|今[天晚早年]|明[天晚早年]|前[天年]|后[天年]|去年|[上下这本][个]?(?:周|星期|礼拜|月|次)|周[一二三四五六日末天]|星期[一二三四五六日天]"
    r"|礼拜[一二三四五六日天]|[\d一二三四五六七八九十两]+(?:点|号|月|日|年|天|小时|分钟|周|个月)|早上|上午|中午|下午|晚上|凌晨|以前|最近|刚才",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(
    r"\b(?:when|what (?:time|day|date|month|year)|which (?:day|date|month|year)|how (?:long|recently)|since when)\b"
    r"|什么时候|几点|几号|几月|哪[天一]?[天年月]|何时|多久|星期几|周几|礼拜几|哪年",
    re.IGNORECASE,
)
_ASKS_AGENT = re.compile(
    r"\b(?:did|have|had|were|do) you (?:just |already |ever |once )?(?:say|said|saying|tell|told|suggest\w*"
    r"|recommend\w*|mention\w*|promise\w*|advise\w*|propose\w*|offer\w*|call|answer\w*|explain\w*|find|found)\b"
    r"|\byou (?:just |already |once )?(?:said|told|suggested|recommended|mentioned|promised|advised|proposed|offered"
    r"|answered|explained|found)\b"
    r"|\byour (?:\w+ )?(?:suggestion|recommendation|advice|answer|idea|tip|proposal|offer)s?\b"
    r"|[你您](?:刚才|刚刚|刚|上次|之前|昨天|以前|前面|当时|那天|那时|那时候|曾经|是|有没有|都|又|先前|跟我|给我|向我|对我)*"
    r"(?:说|讲|推荐|建议|提到|提过|提议|告诉|答应|回答|介绍|找到|教)(?:了|过|的|我|给|什么|哪|用|要|是)|[你您][让叫]我"
    r"|[你您]的(?:建议|推荐|回答|主意|意见|提议)",
    re.IGNORECASE,
)


def seeks_information(text: str) -> bool:
    """Whether the words ask to be told something ("what's my dog called", 我的狗叫什么名字).

    Requests ("can you book a table for Friday?", 能帮我订个位子吗) do not count: they state what is wanted.
    """
    stripped = text.strip()
    if _REQUEST.search(stripped):
        return False
    if stripped.endswith(("?", "？")):
        return True
    return bool(_ENGLISH_QUESTION.match(stripped) or _MANDARIN_QUESTION.search(stripped))


def is_small_talk(text: str) -> bool:
    """Whether the words are nothing but a greeting, thanks, an acknowledgement or a farewell."""
    return not _WORD_CHARACTER.search(_SMALL_TALK.sub("", text.replace("\u2019", "'")))


def names_time(text: str) -> bool:
    """Whether the words hold a time expression."""
    return bool(_TIME.search(text))


def asks_time(text: str) -> bool:
    """Whether the words ask for a time ("when", "how long", 几点)."""
    return bool(_ASKS_TIME.search(text))


def asks_about_agent(text: str) -> bool:
    """Whether the user asks for the agent's own words ("what did you recommend", 你刚才说的)."""
    return bool(_ASKS_AGENT.search(text))
