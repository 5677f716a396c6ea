"""Whether the user's words are a clear yes to "Shall I do it?", a no, or neither.

Only words that say yes and nothing else count: whatever is added ("yes, but …", "可以吗", "好像可以") makes it unclear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_LEAD_EN = r"(?:(?:oh|well|ah|um+|uh+|okay|ok|so|alright|all right|right|hey|and|then)[\s,.!]+)*"
_YES_EN = (
    r"yes(?:es)?|yeah|yep|yup|yah|sure(?: thing)?|okay|ok|all right|alright|absolutely|definitely|certainly|of course"
    r"|correct|exactly|perfect|fine|agreed|that(?:'s| is) (?:right|correct|fine|okay|ok|good|perfect|it)|sounds? good"
    r"|that works|works for me|all good|looks good|why not|i agree|i confirm|go|with pleasure|affirmative"
)
_GO_EN = (
    r"go ahead(?: and (?:\w+ (?:it|that|them)|do so|pay|book|send|order|buy|delete|transfer))?|go for it"
    r"|do (?:it|that|so|both|them|them both|all(?: of (?:it|them|that))?)"
    r"|please do(?: (?:it|that|so))?"
    r"|confirm(?:ed)?(?: it| that)?|proceed|i(?:'m| am) sure|you (?:can|may)(?: (?:do it|go ahead|pay it|send it))?"
    r"|let'?s do (?:it|that)|make it so"
    r"|(?:please )?(?:pay|send|book|order|buy|delete|remove|reserve|transfer|submit|cancel|place|post|take)"
    r"(?: (?:it|that|them|this|the \w+(?: \w+)?|that \w+|my \w+(?: \w+)?|both|all))?"
)
_TAIL_EN = r"please|thanks|thank you|now|then|for me|right away|sir|that(?:'s| is) (?:all|it|everything)|by all means"
_CLEAR_EN = re.compile(
    rf"\W*{_LEAD_EN}(?:(?:please)[\s,]+)?(?:{_YES_EN}|{_GO_EN})(?:[\s,.!;-]+(?:{_YES_EN}|{_GO_EN}|{_TAIL_EN}))*\W*",
    re.IGNORECASE,
)
_EXPLICIT_EN = re.compile(rf"\b(?:{_GO_EN})\b", re.IGNORECASE)
_NO_EN = re.compile(
    rf"\W*{_LEAD_EN}(?:(?:no|nope|nah)(?:[\s,.!]+(?:no|nope|thanks|thank you|please|sorry))*"
    r"|(?:(?:no|nope|nah|wait|stop|actually|please|sorry)[\s,.!]+)*(?:(?:please )?(?:don'?t|do not)"
    r"(?: (?:do|pay|send|book|order|buy|delete|remove|reserve|transfer)(?: (?:it|that|them|this|anything"
    r"|the \w+(?: \w+)?))?)?"
    r"|cancel(?: (?:it|that|this|everything|the \w+(?: \w+)?))?|forget (?:it|that|about it|about that|the whole thing)"
    r"|never ?mind|(?:let'?s )?(?:drop|leave|skip|stop) (?:it|that|this)(?: then)?|i changed my mind|abort"
    r"|i don'?t want (?:it|that|to)(?: any ?more)?|let'?s not|rather not|i'?d rather not|better not)"
    r"(?:[\s,.!]+(?:please|thanks|thank you|sorry|then|for now|any ?more|after all))*)\W*",
    re.IGNORECASE,
)

_LEAD_ZH = r"(?:(?:嗯+|哦|噢|啊|那|那就|行|好|好的|对|是的?)[，,、\s]*)*"
_YES_ZH = (
    r"可以(?:的|了|啊|呀)?|好(?:的|啊|呀|吧|了|嘞)?|行(?:的|啊|吧|了)?|没问题|是(?:的|啊)?|对(?:的|啊|呀)?|没错|当然(?:可以|了)?|同意|嗯嗯"
    r"|OK|ok|成|要的?"
)
_GO_ZH = (
    r"(?:我)?确认(?:无误|支付|付款|下单|预订|发送|删除|一下)?(?:了|吧)?|就这样(?:吧|办)?|就这么办(?:吧)?|(?:你)?(?:去)?办吧|请继续|继续吧|"
    r"(?:那就|就|请|你|帮我|直接|马上|现在|可以)*(?:付|支付|付款|付钱|交|缴|缴费|订|预订|预定|定|下单|买|发|发送|寄|转|转账|删|删除|取消|提交|约|打)"
    r"(?:掉|了|出去|过去)?(?:吧|它|这个|那个|一下|款|这间|那间|这一?单)*"
)
_TAIL_ZH = r"吧|的|了|啊|呀|谢谢(?:你|您)?|麻烦(?:你|您)?了?|请"
_CLEAR_ZH = re.compile(
    rf"\W*{_LEAD_ZH}(?:{_YES_ZH}|{_GO_ZH})(?:[，,。！!、\s]*(?:{_YES_ZH}|{_GO_ZH}|{_TAIL_ZH}))*[，,。！!\s]*",
    re.IGNORECASE,
)
_EXPLICIT_ZH = re.compile(_GO_ZH, re.IGNORECASE)
_NO_ZH = re.compile(
    r"\W*(?:(?:嗯|哦|啊|那|不|还是|等等|等一下|先)[，,、\s]*)*(?:不(?:用|要|行|可以|了|好|付|订|买|发|删|转|是|需要|同意|必)?(?:了|吧|付|订|买|发|删|转|交)*"
    r"|别(?:付|订|买|发|删|转|交|弄|办|下单)?(?:了|它)?|取消(?:掉|吧|了|这个|它|操作|支付|付款)*|算了(?:吧)?|作罢|停(?:下|止)?"
    r"|(?:先)?不(?:付|订|买|发|删|转|交|下单|支付)了?|我改主意了|没必要|免了)"
    r"(?:[，,。！!、\s]*(?:不用了|不要了|不了|算了|取消|谢谢|吧|了|先这样|别付了|不付了|不订了|不买了|不发了|不删了))*[，,。！!\s]*"
)
_BARE_NO = re.compile(
    r"[\W]*(?:(?:no|nope|nah|thanks|thank you|please|sorry|oh|well)[\s,.!]*)+"
    r"|[\W嗯哦啊那]*(?:不(?:用|要|行|可以|了|好|是|需要)?了?|谢谢|[，,。！\s])+",
    re.IGNORECASE,
)
_HAN = re.compile(r"[㐀-鿿]")
_QUESTION = re.compile(r"[?？]\s*$|[吗么呢][。！!，,\s]*$")
_UNSURE = re.compile(
    r"\b(?:not sure|maybe|perhaps|might|think|don'?t know|dunno|not yet|hmm+|later|guess|suppose|wait|but|unless|if|or"
    r"|hold on|second|moment|minute)\b"
    r"|再想|想想|不确定|也许|可能|大概|应该|好像|考虑|再说|等[会下等一]|晚点|不知道|不过|但是|如果|要是|还是",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Consent:
    """What the words say to an open question for a yes.

    Attributes:
        answer: ``yes`` and ``no`` only where nothing else was said.
        explicit: Whether a yes or no names what is to happen or not ("go ahead", "cancel that", 付吧, 算了), so that it
            answers no other question.
    """

    answer: Literal["yes", "no", "unclear"]
    explicit: bool = False


def read_consent(text: str) -> Consent:
    """Read the user's words as the answer to "Shall I do it?"."""
    said = text.strip().replace("’", "'")
    if not said or _QUESTION.search(said):
        return Consent("unclear")
    mandarin = bool(_HAN.search(said))
    clear, explicit, refusal = (_CLEAR_ZH, _EXPLICIT_ZH, _NO_ZH) if mandarin else (_CLEAR_EN, _EXPLICIT_EN, _NO_EN)
    if refusal.fullmatch(said):
        return Consent("no", explicit=not _BARE_NO.fullmatch(said))
    if clear.fullmatch(said) and not _UNSURE.search(said):
        return Consent("yes", explicit=bool(explicit.search(said)))
    return Consent("unclear")
