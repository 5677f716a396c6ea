"""Whether a sentence of the agent claims that something risky has been done: paid, booked, sent, deleted.

"I've paid it", "your table is booked", 已经付好了, 预订成功. Not: "shall I pay it?", "I have not paid it", "once it is
paid", "the bill you paid", 还没付, 付了吗, 付款之后.
"""

from __future__ import annotations

import re

_DONE_EN = (
    r"paid|pre-?paid|ordered|re-?ordered|sent(?: (?:off|out))?|mailed|e-?mailed|texted|messaged|delivered|posted"
    r"|deleted|removed|erased|cancell?ed|booked|reserved|scheduled|bought|purchased|transferred|wired|submitted"
    r"|placed|confirmed|completed|processed|finali[sz]ed|arranged|done|executed|charged|refunded"
)
_ADVERB = r"(?:(?:just|now|already|all|successfully|gone ahead and|went ahead and|also|indeed|finally|officially)\s+)*"
_OWN_EN = (
    rf"\b(?:i|we)(?:\s+have|'ve|\s+had|\s+did|\s+just)?\s+{_ADVERB}(?:{_DONE_EN}|called|made the \w+)\b"
    r"|\b(?:i|we)\s+went ahead\b"
)
_CLAIM_EN = re.compile(
    rf"{_OWN_EN}"
    rf"|\b(?:is|are|was|were|has been|have been|'s been|'s|gets?|got)\s+{_ADVERB}(?:{_DONE_EN}|all set|through"
    r"|on its way|complete|successful|taken care of|sorted|in the books)\b"
    r"|\b(?:went|gone|goes)\s+through\b|\b(?:payment|order|transfer|booking|reservation|message|deletion)\s+(?:is\s+)?"
    r"(?:complete|successful|succeeded|sent|placed|made|done)\b"
    r"|^\W*(?:(?:okay|ok|all right|alright|sure|great|perfect|there|yes|of course)[\s,.!]+)*(?:all )?"
    rf"(?:done|{_DONE_EN})\b(?!\s+(?:by|of|at|room|table|price|on the|in the|seat|for you is))"
    r"|\b(?:consider it done|you(?:'re| are) all set|all set|it'?s all set|mission accomplished)\b",
    re.IGNORECASE,
)
_NOT_EN = re.compile(
    r"\b(?:not|n't|never|nothing|no|none|yet to|un\w+ed|once|when|whenever|if|unless|until|before|after|as soon as"
    r"|to be|will|would|should|can|could|shall|may|might|whether|without|want(?: me)? to|need to|ready to|about to"
    r"|you(?:'ve| have|'d| had)?(?: \w+)? (?:paid|ordered|sent|booked|bought|reserved|cancell?ed|made|called)"
    r"|last (?:week|month|year|time)|yesterday|ago)\b|n't\b",
    re.IGNORECASE,
)

_DONE_ZH = (
    r"支付|付款|付钱|付|缴费|缴|交|下单|订购|购买|买|预订|预定|预约|订|定|发送|发(?!货|现)|寄|转账|转|汇|删除|删|移除|取消|清空|提交"
    r"|办理|办|完成|处理|确认|打|拨打|安排|搞定"
)
_CLAIM_ZH = re.compile(
    rf"(?:已经?|都|刚刚?|这就|现已|成功)(?:成功)?(?:给|为|帮|替)?(?:您|你)?(?:成功)?(?:把[^，。！？]{{1,12}})?(?:{_DONE_ZH})(?:好|完|妥|成|掉|成功|完成|出去?|完毕)*"
    rf"|(?:{_DONE_ZH})(?:好|完|妥|成|掉|成功|出去?|完毕|定)*了(?![吗么没])"
    rf"|(?:{_DONE_ZH})(?:成功|完毕|完成|妥当)|搞定|大功告成|(?:都)?(?:好|完)了(?=[，。！!]|$)"
)
_OWN_ZH = re.compile(
    rf"(?:我|已(?:经)?)(?:都|刚刚?|就)?(?:已经?)?(?:给|为|帮|替)(?:您|你)?[^，。！？]{{0,14}}?(?:{_DONE_ZH})"
    rf"|我(?:已经?|刚刚?)(?:{_DONE_ZH})"
)
_OWN = re.compile(_OWN_EN, re.IGNORECASE)
_NOT_ZH = re.compile(
    r"没|未|不|尚|别|吗|么|要不要|是否|之?前|之?后|以后|如果|要是|一旦|等|再|才|会|将|可以|需要|想|请问|准备|打算|您(?:已经|刚才|上次|之前)|上次|昨天|确认后"
)
_HAN = re.compile(r"[㐀-鿿]")
_QUESTION = re.compile(r"[?？][\"'”’)）]*\s*$|吗[。！!]?\s*$")


def claims_done(sentence: str, *, own_only: bool = False) -> bool:
    """Whether the agent says in this sentence, or part of one, that a risky thing is done.

    Args:
        sentence: A clause up to its punctuation mark, as the agent would say it.
        own_only: Whether only what the agent says of itself counts ("I have paid it"), not what has happened
            ("it is paid"), which may be the news of something else.
    """
    said = sentence.strip().replace("’", "'")
    if not said or _QUESTION.search(said):
        return False
    if _HAN.search(said):
        return bool((_OWN_ZH if own_only else _CLAIM_ZH).search(said)) and not _NOT_ZH.search(said)
    return bool((_OWN if own_only else _CLAIM_EN).search(said)) and not _NOT_EN.search(said)


_CLAUSE = re.compile(r"[^,.;:!?\n，。；：！？、—]*(?:[,.;:!?\n，。；：！？、—]+[\"'”’)）]*\s*|$)")


def split_clauses(text: str) -> tuple[list[str], str]:
    """The clauses of a growing text that are complete, and what is left of it.

    Joining them gives the text back.
    """
    clauses: list[str] = []
    rest = text
    while rest:
        match = _CLAUSE.match(rest)
        # The mark may be the first of several, or stand in a number: the next character tells.
        if match is None or match.end() == len(rest) or not match.group().strip():
            break
        if match.group()[-1] in ".,:" and rest[match.end() : match.end() + 1].isdigit():
            end = match.end()
            longer = _CLAUSE.match(rest, end)
            if longer is None or longer.end() == len(rest):
                break
            clauses.append(rest[: longer.end()])
            rest = rest[longer.end() :]
            continue
        clauses.append(match.group())
        rest = rest[match.end() :]
    return clauses, rest
