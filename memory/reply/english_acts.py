"""What an English sentence wants: a question, a task, a correction, a statement, or small talk."""

from __future__ import annotations

import re
from enum import StrEnum

from memory.reply.evidence import is_question, is_request
from memory.reply.words import words


class Act(StrEnum):
    """What a sentence is meant to do."""

    QUESTION = "question"
    TASK = "task"
    CORRECTION = "correction"
    STATEMENT = "statement"
    GREETING = "greeting"
    WELLBEING = "wellbeing"
    THANKS = "thanks"
    GOODBYE = "goodbye"
    CONTINUE = "continue"
    REPEAT = "repeat"
    HOLD = "hold"
    CANCEL = "cancel"
    ACKNOWLEDGEMENT = "acknowledgement"


_FILLER = re.compile(
    r"^(?:(?:um+|uh+|hmm+|er|anyway|well|so|and|oh|ah|okay|ok|hey|hi|hello|please|also|then"
    r"|now|by the way|all right|alright|yes|yeah)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_SMALL_TALK: tuple[tuple[Act, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern))
    for act, pattern in (
        (
            Act.GREETING,
            r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)"
            r"(?: (?:there|again|everybody|hello|hi|good \w+))*",
        ),
        (Act.WELLBEING, r"(?:.* )?how (?:are you|is it going|do you do|have you been)(?: .{0,20})?"),
        (Act.THANKS, r"(?:okay |ok |great |perfect |no )?(?:thanks|thank you|cheers)(?: .{0,40})?"),
        (Act.GOODBYE, r"(?:okay |ok )?(?:good ?bye|bye|see you|good night|talk to you)(?: .{0,30})?"),
        (
            Act.CONTINUE,
            r"(?:please |okay |ok |yes )*(?:go on|continue|carry on|keep going|what were you saying|you were saying"
            r"|finish (?:that|your sentence))(?: please)?",
        ),
        (
            Act.REPEAT,
            r"(?:sorry |please |can you |could you |what )*(?:pardon(?: me)?|say (?:that|it) again"
            r"|repeat (?:that|it|please)|come again|what did you (?:just )?say)(?: please)?",
        ),
        (
            Act.HOLD,
            r"(?:no )?(?:wait|stop|hold on|one moment|just a moment|wait a (?:moment|minute|second)"
            r"|enough|quiet)(?: (?:please|stop|wait))*",
        ),
        (
            Act.CANCEL,
            r"(?:no |oh |okay )?(?:never ?mind|forget it|forget about it|leave it"
            r"|cancel (?:that|it)|drop it)(?: .{0,20})?",
        ),
        (
            Act.ACKNOWLEDGEMENT,
            r"(?:(?:yes|yeah|yep|no|nope|okay|ok|sure|right|all right|alright|fine|good|great|perfect"
            r"|exactly|mhm|hm+|aha|cool|i see|that is all|thats all)\s?)+",
        ),
    )
)
_CORRECTION = re.compile(
    r"\bmake (?:it|that)\b|\bchange (?:it|that)\b|\bi (?:meant|mean)\b|\binstead\b|\brather than\b"
    r"|\bmove (?:it|that) to\b"
    r"|^(?:(?:wait|no|sorry|actually|hold on|oh|not)\b[\s,.]*){2,}",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(r"^(?:wait|no|sorry|actually|hold on|oh)\b[\s,.]*", re.IGNORECASE)
_VERBS = "|".join(
    sorted(
        words(
            """find book reserve order buy get fetch schedule set call ring send mail email write make play turn switch
            cancel delete remove pay check look search arrange plan add note put move change open close start stop show
            give bring invite ask rent hire print translate remind wake let help tell read count calculate forget"""
        )
    )
)
_IMPERATIVE = re.compile(rf"(?:{_VERBS})\b(?! me (?:about|what|who|which|how|where|when)\b)", re.IGNORECASE)
_WISH = re.compile(
    rf"i(?: would|'d|’d)? (?:want|need|like) (?:you )?to (?:{_VERBS}|see|speak|talk|know)\b"
    r"|i(?: would|'d|’d) like (?:a|an|the|some|two|three|four|to)\b"
    r"|i need (?:a|an|some|the|two|three|four|\d+)\b|i am looking for\b|i'm looking for\b",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:please|(?:can|could|will|would) you(?: please| also)*"
    r"|i(?: would|'d|’d)? (?:want|need|like) you to|let us|let's)\s+",
    re.IGNORECASE,
)


def strip_fillers(line: str) -> str:
    """The sentence without "um", "well", "okay" and the like in front."""
    return _FILLER.sub("", line.strip()) or line.strip()


def classify(line: str) -> Act:
    """What one English sentence is meant to do."""
    plain = re.sub(r"[^\w\s]", "", line.lower().replace("'", "").replace("’", "")).strip()
    plain = " ".join(plain.split())
    for act, pattern in _SMALL_TALK:
        if pattern.fullmatch(plain):
            return act
    core = strip_fillers(line)
    if _CORRECTION.search(core) and not is_question(core):
        return Act.CORRECTION
    if is_request(line) or _IMPERATIVE.match(_TAKES_BACK.sub("", strip_polite(core))) or _WISH.match(core):
        return Act.QUESTION if _asks_to_tell(core) else Act.TASK
    return Act.QUESTION if is_question(line) or is_question(core) else Act.STATEMENT


def strip_polite(line: str) -> str:
    """The sentence without "please", "could you" and the like in front."""
    return _POLITE.sub("", line)


def _asks_to_tell(line: str) -> bool:
    return bool(
        re.match(
            r"(?:please )?(?:tell me|let me know|i (?:want|need|would like|'d like) to know)\b", line, re.IGNORECASE
        )
    )
