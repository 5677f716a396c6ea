"""Is a clause an answer for the task at hand, or a story with a date in it?"""

from __future__ import annotations

import re

from memory.understanding.reading import Reading
from memory.understanding.tasks.slots import Slot
from memory.understanding.words.analysis import Analysis, Clause, Word, blank

_EMPTY_EN = frozenset(
    "a an the i we it it'?s its i'd i'll let'?s let us me my our is are be will would could can should may "
    "need want like prefer rather please for at on in from to until till by about around with and or"
    " so then just only maybe probably better best fine good great ok okay yes yeah no not works work do does "
    "make take have how what if possible possibly that this there of us say say's well um uh oh"
    " hmm wait sorry actually also too one perhaps preferably sometime anytime either".split()
)
_EMPTY_ZH = re.compile(
    r"那|就|吧|的|了|呢|啊|呀|嘛|我|们|要|想|好|行|可以|在|是|从|到|嗯|哦|还|也|都|请|给|对|没|问题|大概|左右"
    r"|比较|最|改|换|成|和|跟|一共|总共|一下|订|选|用|去|不|您"
    r"|你|这|个|间|位|会"
)
_STORY_EN = re.compile(
    r"\bi\s+(?:have|had|got|was|am|went|saw|did|met|feel|felt|think|love|hate|live|work|used)\b|\b(?:my|his"
    r"|her|their)\s+\w+\s+(?:is|was|has|had)\b",
    re.IGNORECASE,
)
_PAST_EN = re.compile(
    r"\b(?:yesterday|ago|last\s+(?:night|week|month|year|\w+day|time)|was|were|did|had|went|used\s+to)\b", re.IGNORECASE
)
_PAST_ZH = re.compile(
    r"昨[天晚日]|前天|上[个周]|上星期|去年|以前|曾经|刚刚"
    r"|(?![对算好为除罢不通超])[一-鿿](?:了|过)(?=[一-鿿\d，,。]|$)(?!吧)"
)
_FUTURE_ZH = re.compile(r"改|换|明|后天|下[个周午]|吧|吗|帮|请")


_SAME_FORMS = frozenset("set put let read cut shut bet split".split())
_TAKES_BACK = ("meant", "said", "wanted")


def answers_open_task(reading: Reading, clause: Clause, slots: list[Slot]) -> bool:
    """Whether hardly anything but the values is said, as in an answer ("for four people, please", 下午三点吧)."""
    said = blank(reading.text, [(slot.start, slot.end) for slot in slots])[clause.start : clause.end]
    if reading.language == "en":
        if _STORY_EN.search(clause.text) or re.match(
            r"\W*(?:what|which|who|where|when|why|how)\b", clause.text, re.IGNORECASE
        ):
            return False
        words = [word.lower() for word in re.findall(r"[A-Za-z']+", said)]
        return len([word for word in words if word not in _EMPTY_EN]) <= 2
    rest = re.sub(r"[\s\W]+", "", _EMPTY_ZH.sub("", said))
    return len(rest) <= 4 and not re.search(r"什么|哪|谁|怎么|多少", clause.text)


def _orders(verb: str, before: list[Word]) -> bool:
    """Whether a verb whose past looks like its imperative begins the clause: "set a reminder"."""
    return verb.lower() in _SAME_FORMS and all(
        w.tag in ("UH", "RB", "CC", "IN") or w.text.lower() == "please" for w in before
    )


def looks_back(analysis: Analysis, clause: Clause) -> bool:
    """Whether a clause tells of the past."""
    if analysis.language == "en":
        if _PAST_EN.search(clause.text):
            return True
        words = [w for w in analysis.words if clause.start <= w.start < clause.end]
        told = [w for n, w in enumerate(words) if w.tag == "VBD" and not _orders(w.text, words[:n])]
        return any(w.text.lower() not in _TAKES_BACK for w in told) and not clause.is_question
    return bool(_PAST_ZH.search(clause.text)) and not _FUTURE_ZH.search(clause.text)
