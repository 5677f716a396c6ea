"""What a person does with words: correct, take back, confirm, follow up, ask what was said before."""

from __future__ import annotations

import re

from memory.tools.consent import read_consent


def _cue(english: str, mandarin: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{english})|(?:{mandarin})", re.IGNORECASE)


_FILLERS = (
    r"(?:(?:and|so|but|or|oh|well|ok(?:ay)?|wait|hold on|sorry|hey|hmm+|um+|uh+|please|just|then|now|actually"
    r"|anyway|no|yes|yeah)[,.!\s]+)*"
)

_STRONG_CORRECTION = _cue(
    r"\b(?:i (?:meant|mean)|(?:make|change|move|switch|shift|push|put) (?:it|that|this|the \w+)(?: \w+){0,2}? "
    r"(?:to|for|on|at|from)\b"
    r"|(?:let'?s |please |better |rather )?make (?:it|that)|scr(?:atch|ap) that|correction|that'?s (?:wrong|not right"
    r"|not what i)|not that one"
    r"|i (?:misspoke|was wrong)|instead|rather than|reschedule|postpone|no,? (?:it'?s|not|i said|my|the"
    r"|that'?s|his|her)|let me correct)",
    r"改成|改到|改为|改在|换成|换到|换个|我是说|我的意思是|说错了|不对|搞错|弄错|应该是|更正|推迟到|提前到"
    r"|不是.{1,8}(?:是|而是)|错了",
)
_WEAK_CORRECTION = _cue(
    rf"^(?:{_FILLERS})?(?:no|wait|hold on|sorry|actually|hang on|oh no|nope|or rather)\b",
    r"^(?:哦|啊|嗯|那个)?[，,]?(?:等等|等一下|等下|不(?=[，,。！!\s]|$|对|是|不)|哎|其实|慢着|抱歉|对不起|不好意思)",
)
_ROLLBACK = _cue(
    r"\b(?:keep|take|back to|stick (?:with|to)|leave|go back to|return to|stay with|restore"
    r"|use)\b[^.?!]{0,20}\b(?:original|old|previous|earlier|first|initial|same)\b"
    r"(?![^.?!]*\b(?:room|option)\b)"
    r"|\b(?:undo|revert|roll ?back)\b|\b(?:forget|take back|ignore|cancel|undo) (?:that |the |my |this "
    r")?(?:last )?(?:change|correction|update)\b"
    r"|\b(?:as|like|what) (?:it was|we had|i had|i said) (?:before|originally|first|at first)|\b(?:leave|keep) "
    r"(?:it|that|this|everything|the \w+|my \w+) "
    r"(?:(?:as|like|the way|how) (?:it|they|that) (?:was|is|were|are)|like before|as before|unchanged|as is)"
    r"|\b(?:original|previous|earlier) (?:one|time|date|plan|room|booking|slot)\b.{0,20}\b(?:was |is )?(?:fine"
    r"|better|good|okay|ok|after all)\b|\bback to how it was",
    r"(?:还是|按|用|保持|恢复|回到|就)(?:照|按)?(?:原来|原先|之前|刚才|最初|一开始|原定|上一个"
    r"|前面)(?!.{0,6}(?:什么|几|哪))"
    r"|改回(?:去|来|原)?|撤销|恢复原|(?:保持|维持)(?:原样|不变)|照旧|跟原来一样|按原样|不改了|别改了|当我没说"
    r"|还是不(?:改|变)|(?:时间|日期|地点|人数|房间|会议室|其他|都|一切|[，,])不变|原来的(?:就)?(?:好|行|可以|吧)"
    r"|刚才(?:那个|的)(?:修改|改动)(?:不算|取消|算了)"
    r"|取消(?:刚才|上次|这次)的?(?:修改|改动)",
)
_UNDO = _cue(
    r"\b(?:take|change|put|set|switch|move|turn) (?:it|that|this|them|everything) back\b(?! (?:to|by|in|on|at|an?) )"
    r"|\bback (?:one|a) step\b|\bgo back a version\b"
    r"|^\W*(?:scratch|scrap) that\W*(?:$|[^.?!]*\b(?:was|were) (?:fine|good|better|okay|ok)\b)"
    r"|\b(?:go with|use|take) the (?:original|earlier|previous|old) (?:one|day|date|time|plan)\b",
    r"^算了[，,]?(?:不改|别改)|(?:退|回|倒)(?:回|到)?(?:去)?上一(?:步|版|个版本)|(?:换|变|调)回(?:去|来)|收回(?:刚才|那句|上一句|这个)",
)
_CANCEL = _cue(
    rf"^{_FILLERS}(?:forget (?:it|about it|that|about that|about the \w+|the whole thing)|never ?mind|cancel "
    rf"(?:it|that|this|everything)|drop it"
    r"|leave it|scr(?:ap|atch) (?:that|it|the whole thing)|call it off|don'?t (?:book|order) (?:it|anything)"
    r"|don'?t bother|stop that|no need(?: anymore)?|i don'?t (?:need|want) (?:it|that|this) any ?more"
    r"|let'?s not)\b",
    r"^(?:哦|嗯|啊|那)?[，,]?(?:算了|不用了|不要了|取消吧?|取消掉|别弄了|不需要了|不订了|不查了|先不(?:用|要"
    r"|订)了?|作罢)",
)
_HESITATES = _cue(
    r"\b(?:not (?:so |quite |really )?sure|maybe|perhaps|let me (?:think|check|see|sleep)|don'?t know|not yet|later"
    r"|think about it|hmm+|hold on|one (?:moment|second)|a (?:moment|second|minute)|need to think)\b",
    r"再想|想想|想一想|不确定|也许|可能|考虑|再说|等会|等一下|等等|晚点|我先看|不知道",
)
_FOLLOW_UP = _cue(
    r"^(?:(?:and|or|ok(?:ay)?|so|then|hmm|well|oh|now)[,\s]+)*(?:what about|how about|and for|and in|and on"
    r"|and at|same for|and (?:the|tomorrow|today|on|in|next|this|for))\b|^and\b",
    r"^(?:那|那么|还有|再|然后|嗯)?[，,]?.{1,14}(?:呢|怎么样|如何)[？?。]?$|^那.{1,10}[？?]?$",
)
_BACK_TO = _cue(
    r"\b(?:back to|return to|going back to|let'?s go back to|continue with|as for|regarding|about) (?:the|that"
    r"|my|our)\b|\bwhere were we with\b",
    r"(?:回到|说回|再说回|继续(?:说|办|订|查)?|接着(?:说|办|订)?|至于|关于)(?:刚才|之前|那个|那间|前面|一下)?",
)
_ABOUT_MEMORY = _cue(
    r"\b(?:do|did|can|could|would) you (?:still )?(?:remember|recall)\b|\bdo you (?:still )?know (?:what|who"
    r"|where|when|which|how|my|if i|whether i)\b"
    r"|\bremind me (?:again )?(?:what|who|where|which|when|how|why)\b|\b(?:was|were|is) (?:\w+ "
    r"){0,6}again\s*[?.]?$|\bagain\?$"
    r"|\bwhat did (?:i|we|you)\b|\b(?:which|what|who|where|when|how)\b[^.?!]*\b(?:did|had|have|was|were) (?:i|we)\b"
    r"|\b(?:what|where|who|which|how)\b[^.?!]*\b(?:do|am|do i|am i) i\b(?!\s+(?:get|have|need|pay|book))"
    r"|\b(?:tell me|what'?s|what is|what are|what're|who'?s|who is|when'?s|when is|how old is|where does|what "
    r"does|where do|who are|how many)\b[^.?!]*\bmy\b"
    r"|\b(?:have|did) i (?:ever )?(?:told|tell|mention(?:ed)?|say|said)\b|\bam i (?:allergic|vegetarian"
    r"|vegan)\b|\bdo i (?:like|live|work|take|eat|prefer|have an? allerg)"
    r"|\bwhat (?:time|day|room|place) (?:\w+ )?(?:was|were)\b",
    r"来着|记得|记不记得|(?<![帮给为替请])我(?:刚才|刚刚|之前|上次|昨天|以前|前面)?(?:跟你)?(?:说|讲|提|订|定"
    r"|选|点|约)(?:过|了|的)?.{0,10}(?:什么|哪|几|谁|多少|吗)"
    r"|(?:我|我们)(?:的|家|养).{1,10}(?:叫什么|是谁|是什么|是哪|多大|几岁|在哪|什么名字|是几|多少)|我(?:叫|是"
    r"|住|姓|对|喜欢|讨厌|爱|怕|在).{0,8}(?:什么|哪|谁|几)"
    r"|我(?:吃素|喜欢|住在|过敏|吃).{0,8}吗|(?:刚才|之前|刚刚|上次).{0,14}(?:几点|什么|哪|多少|谁)|叫什么(?:名字)?",
)
_ABOUT_WORLD = _cue(
    r"\b(?:parcel|package|order|delivery|shipment|calendar|schedule|agenda|appointments?|meetings?|flight"
    r"|train|bill|weather|forecast|rain|traffic|balance|account)\b",
    r"快递|包裹|物流|订单|日程|日历|安排|天气|航班|机票|账单|路况|下雨|余额",
)


def corrects(text: str) -> bool:
    """Whether the words change something said before ("no, I meant Tuesday", 改成下午)."""
    return bool(_STRONG_CORRECTION.search(text))


def objects(text: str) -> bool:
    """Whether the words begin with an objection ("wait", "no", 等等), which is a correction if a value follows."""
    return bool(_WEAK_CORRECTION.search(text.strip()))


def rolls_back(text: str) -> bool:
    """Whether the user wants the state as it was ("keep the original time", 还是原来的)."""
    return bool(_ROLLBACK.search(text) or _UNDO.search(text))


def cancels(text: str) -> bool:
    """Whether the user drops the task ("never mind", 算了)."""
    return bool(_CANCEL.search(text.strip()))


def confirms(text: str) -> bool:
    """Whether it is a clear yes and nothing else."""
    return read_consent(text).answer == "yes"


def hesitates(text: str) -> bool:
    """Whether it puts a decision off ("let me think", 再想想)."""
    return bool(_HESITATES.search(text))


def follows_up(text: str) -> bool:
    """Whether it asks the same for another value ("and the day after?", 上海呢)."""
    return bool(_FOLLOW_UP.search(text.strip()))


def goes_back(text: str) -> bool:
    """Whether it returns to something from before ("back to the room", 回到会议室)."""
    return bool(_BACK_TO.search(text))


def asks_memory(text: str) -> bool:
    """Whether it asks for something the user said before, rather than for something to be done or looked up."""
    asked = _ABOUT_MEMORY.search(text)
    if not asked:
        return False
    return bool(re.search(r"\bagain\b|来着|记得|remember|刚才|之前", text, re.IGNORECASE)) or not _ABOUT_WORLD.search(
        text
    )


def correction_spans(text: str) -> list[int]:
    """Offsets at which the speaker takes something back in mid-sentence ("Tuesday, no, I meant Wednesday")."""
    pattern = (
        r"\b(?:no|wait|i mean(?:t)?|sorry|rather|make (?:it|that)|actually|scratch that)\b|不对|不是|我是说"
        r"|等等|改[成到为]"
        r"|换[成到]|推迟到|提前到|哦不|应该是|说错"
    )
    return [match.start() for match in re.finditer(pattern, text, re.IGNORECASE)]
