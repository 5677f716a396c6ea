"""English requests: "find me a room", "could you pay the bill", "where is my parcel", "a table for two, please"."""

from __future__ import annotations

import re

from memory.understanding.reading import Reading
from memory.understanding.tasks.cues import asks_memory
from memory.understanding.tasks.request import Person, Request, clause_topic
from memory.understanding.tasks.topics import Topic
from memory.understanding.words.analysis import Clause

_LEAD = (
    r"(?:(?:and|so|but|then|now|also|okay|ok|well|oh|hey|hi|hello|please|anyway|actually|wait|hold on|sorry|by "
    r"the way|alright|all right|right|yes|yeah|no"
    r"|hmm+|um+|uh+|just|maybe|great|thanks|thank you|good|perfect|first|next|later|again|in that case|if "
    r"possible)[,.\s]+)*"
)
_POLITE = (
    r"(?:(?:please|kindly)\s+|(?:can|could|would|will)\s+(?:you|we|i)\s+(?:(?:please|maybe|also|just|quickly"
    r"|kindly|perhaps|then)\s+)*|i(?:'d| would)\s+(?:like|love)\s+(?:you\s+)?to\s+"
    r"|i\s+(?:want|need)\s+you\s+to\s+|(?:i|we)\s+need\s+to\s+|i\s+(?:want|wanna|would like)\s+(?:to\s+)?"
    r"|we\s+(?:want|would "
    r"like)\s+to\s+|help\s+me\s+(?:to\s+)?|let'?s\s+|let\s+us\s+|go\s+ahead\s+and\s+|would\s+you\s+mind\s+"
    r"|is\s+it\s+possible\s+to\s+"
    r"|you\s+(?:can|could)\s+|try\s+to\s+)*"
)
_VERBS = (
    r"find(?=\s+(?:me|us|out|a|an|the|my|some|another|\w+\s+(?:rooms?|flights?|hotels?|restaurants?))\b)"
    r"|search(?:\s+for)?|look\s+(?:up|for)|check(?!\s+(?:(?:it|this|that|them|these|those)\s+)?out\b)(?!\s+out\b)"
    r"|show(?=\s+(?:me|us|all|which|what)\b(?!\s+(?:when|how)))|get(?=\s+(?:me|us)\b)|book|reserve|order|buy|pay"
    r"|transfer|wire|donate|send|text|e-?mail|message|write(?=\s+(?:an?|to|down|me|my|the|(?-i:[A-Z]))\b)"
    r"|call(?!\s+me\s+(?!(?:back|later|at|on|when|tomorrow|tonight|in|again|if|an?)\b)\w)|ring|phone|cancel|delete"
    r"|remove|erase|remind(?=\s+(?:me|us)\b)|set(?=\s+(?:an?|the|my|up|me)\b)|wake(?=\s+(?:me|us)\b)"
    r"|start(?=\s+(?:an?|the|my)\s+(?:\w+\s+)?(?:timer|alarm|call|meeting|playlist|countdown)\b)|play|translate|track"
    r"|schedule|make(?=\s+(?:an?|another|the|my)\s+(?:[\w']+\s+){0,2}?(?:reservations?|appointments?|bookings?"
    r"|calls?|notes?"
    r"|lists?|payments?|transfers?|plan|copy)\b)|arrange|plan(?=\s+(?:an?|my|the|our)\b)|add"
    r"|put(?=\s+\w+\s+(?:\w+\s+)*(?:on|in|to)\s+(?:my|the)\b)|create(?=\s+(?:an?|the|my|new)\b)"
    r"|note(?=\s+(?:that|down|to)\b)|tell(?=\s+(?!me\s+my\b)\w+)"
    r"|give(?=\s+(?:me|us)\s+(?:an?(?!\s+(?:minute|second|sec|moment|break|hint)\b)|the|some|my|directions"
    r"|your)\b)|read(?=\s+(?:me|out|my|the)\b)"
    r"|turn(?=\s+(?:on|off|up|down|the)\b)|open(?=\s+(?:the|my|an?)\b)|recommend|suggest|convert|calculate|navigate"
    r"|take(?=\s+me\s+to\b)|switch\s+(?:on|off)|let(?=\s+(?!me|us|it|go)\w+\s+know\b)|top\s+up|reschedule|postpone"
    r"|change(?=\s+(?:the|my|our|that|this)\b)|move(?=\s+(?:the|my|our|that|this)\b)|fly|renew"
    r"|return(?=\s+(?:the|my|this|that)\b)|confirm(?=\s+(?:the|my|that))"
    r"|(?<=mind\s)(?:paying|booking|sending|finding|checking|calling|ordering|reminding)"
    r"|know(?=\s+(?:what|where|when|how|if|whether)\b)|see(?=\s+(?:what|where|if|the|an?|my)\b)"
)
_PERSONAL = re.compile(r"\b(?:me|us|please|for\s+me)\b", re.IGNORECASE)
_CONJOINED = re.compile(r"^(?:and|but|so|or)\s", re.IGNORECASE)
_COMMAND = re.compile(rf"^{_LEAD}{_POLITE}(?P<verb>{_VERBS})\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_WANT = re.compile(
    rf"^{_LEAD}(?:(?:i|we)(?:'d| would)?\s+(?:need|want|like)|(?:i'?m|i am|we'?re|we are)\s+looking\s+for|(?:i"
    rf"|we)\s+(?:would|'d)\s+(?:like|love))\s+"
    r"(?P<rest>(?:a|an|another|some|two|three|four|five|\d+|the|to\s+(?:fly|see|go|eat|have|travel|take|stay"
    r"|know))\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_AVAILABLE = re.compile(
    r"\b(?:is|are)\s+there\b|\bdo\s+(?:you|they|we)\s+have\b|\bhave\s+you\s+got\b|\bany\s+(?:free|available"
    r"|other|cheap|good|tables?|rooms?|flights?|trains?|tickets?|hotels?)\b|\bavailable\b"
    r"|\bfree\b|\bcan\s+(?:i|we)\s+(?:get|have|book)\b|\bwhich\b|\bhow\s+much\b",
    re.IGNORECASE,
)
_CHANGE = frozenset("reschedule postpone change move".split())
_CANCEL = frozenset("cancel delete remove erase".split())
_RISKY = frozenset(
    "pay paying transfer wire donate send sending order ordering buy delete remove erase top up text email"
    " e-mail".split()
)
_REMIND = re.compile(
    r"\b(?:reminder|remind(?:ing)?\b(?:\s+(?:me|us))?)\W*(?:(?:on|at|in|by|for|the|every|from|please|again"
    r"|also|then)\W+)*(?:(?P<how>to|about|that|of)\s+)?(?P<content>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_TRAIL = re.compile(
    r"[\s,.;!?]*(?:\b(?:on|at|in|by|for|from|of|the|please|thanks|thank you|and|then|it'?s|that'?s|with|to"
    r"|until|between|this)\b[\s,.;!?]*)+$",
    re.IGNORECASE,
)
_GIVING = "|".join(
    rf"(?<=\b{verb}\s)" for verb in "buy give send get bring tell ask show make write lend offer teach".split()
)
_OBJECT_FORMS = (
    r"(?=\s*(?:$|[,.!?;]|\b(?:about|on|at|to|that|back|up|and|if|when|for|in|tomorrow|today|tonight|again"
    r"|later|first|with|by)\b))"
)


def request_en(reading: Reading, clause: Clause, following: Clause | None, person: Person | None) -> Request | None:
    """Reads a clause as a request.

    Args:
        reading: The utterance.
        clause: The part of it to read.
        following: The next clause, which may carry on a reminder's content.
        person: Whom "her" and "him" mean.

    Returns:
        None where nothing is asked for.
    """
    if asks_memory(clause.text):
        return None
    command = _COMMAND.match(clause.text)
    want = None if command else _WANT.match(clause.text)
    topic = clause_topic(reading, clause)
    verb = re.sub(r"\s+", " ", command["verb"].lower()) if command else ""
    if command is None:
        if topic is None or not (want or _asks(clause, topic) or _is_fragment(reading, clause, topic)):
            return None
    elif verb in ("know", "see", "tell") and topic is None:
        return None
    if verb == "tell" and topic is None:
        return None
    if command and _goes_on(reading, clause):
        return None
    asked = command is None and want is None
    task = _task_name(reading, clause, following, verb, command["rest"] if command else "", topic, person, asked)
    return Request(
        clause.start,
        following.end if following and _carried(reading, clause, following, topic, verb) else clause.end,
        topic,
        task,
        verb=verb,
        risky=_is_risky(verb, topic),
        asks=asked and clause.is_question,
        changes=verb in _CHANGE,
        cancels=verb in _CANCEL,
    )


def _goes_on(reading: Reading, clause: Clause) -> bool:
    """Whether a verb after "and" goes on with a story ("we relax and find some peace"), rather than asking."""
    if not _CONJOINED.match(clause.text) or _PERSONAL.search(clause.text):
        return False
    before = reading.text[: clause.start].rstrip()
    if not before or before[-1] in ".!?":
        return False
    previous = reading.analysis.clause_at(len(before) - 1)
    return previous is None or not _COMMAND.match(previous.text)


def _is_risky(verb: str, topic: Topic | None) -> bool:
    if topic and topic.name in ("reminder", "order") and verb not in ("delete", "remove", "erase"):
        return False
    return bool(set(verb.split()) & _RISKY) or (verb in ("tell", "let", "write") and topic is not None)


def _asks(clause: Clause, topic: Topic) -> bool:
    return clause.is_question and (topic.asks or bool(_AVAILABLE.search(clause.text)))


def _is_fragment(reading: Reading, clause: Clause, topic: Topic) -> bool:
    """A topic without any verb: "a table for two tonight, please"."""
    words = [w for w in reading.analysis.words if clause.start <= w.start < clause.end]
    counted = re.match(r"(?:an?|another|one|two|three|four|five|six|\d+)\s", clause.text, re.IGNORECASE)
    wanted = (
        topic.asks
        or bool(counted and re.search(r"\b(?:for|to|at|on|tonight|tomorrow)\b", clause.text))
        or (bool(re.search(r"\b(?:please|back\s+to)\b", reading.text, re.IGNORECASE)))
    )
    return (
        wanted
        and len(words) <= 14
        and not any(w.tag.startswith(("VB", "MD")) and w.text.lower() != "please" for w in words)
    )


def _task_name(
    reading: Reading,
    clause: Clause,
    following: Clause | None,
    verb: str,
    rest: str,
    topic: Topic | None,
    person: Person | None,
    asked: bool,
) -> str:
    if topic and topic.name == "reminder" and verb not in _CANCEL:
        return _reminder(reading, clause, following, person)
    if topic and topic.name == "order" and verb not in _CANCEL:
        code = next((c.value for c in reading.codes if clause.start <= c.start < clause.end), "")
        return f"track order {code}" if code else "track the order"
    if topic and verb in _CANCEL:
        return _cut(f"{verb}{_blanked(reading, clause, rest)}", person)
    if topic and topic.task and not (topic.asks and topic.name in ("flight", "train") and asked):
        return topic.task["en"]
    if topic and topic.task:
        return f"check the {topic.name}s"
    if topic and topic.name == "payment" and verb in ("", "check", "find", "show", "know", "see", "look up"):
        return "check the bill"
    if topic and topic.name == "message" and verb:
        return _cut(f"{verb}{rest}", person)
    if not verb:
        return _cut(_blanked(reading, clause, clause.text), person) if topic is None else f"{topic.name}"
    lemma = {
        "paying": "pay",
        "booking": "book",
        "sending": "send",
        "finding": "find",
        "checking": "check",
        "calling": "call",
        "ordering": "order",
    }
    return _cut(f"{lemma.get(verb, verb)}{_blanked(reading, clause, rest)}", person)


def _carried(reading: Reading, clause: Clause, following: Clause, topic: Topic | None, verb: str) -> bool:
    """Whether the content of a reminder stands in the next clause."""
    if topic is None or topic.name != "reminder" or verb in _CANCEL:
        return False
    match = _REMIND.search(reading.untimed[clause.start : clause.end])
    empty = not _cut(match["content"] if match else "", None)
    return empty and bool(re.match(r"(?:to|about|that)\b", following.text, re.IGNORECASE))


def _blanked(reading: Reading, clause: Clause, rest: str) -> str:
    start = clause.end - len(rest)
    return reading.untimed[start : clause.end]


def _reminder(reading: Reading, clause: Clause, following: Clause | None, person: Person | None) -> str:
    said = reading.untimed[clause.start : clause.end]
    match = _REMIND.search(said)
    content, how = (match["content"], match["how"]) if match else ("", None)
    if not _cut(content, None) and following and re.match(r"(?:to|about|that)\b", following.text, re.IGNORECASE):
        carried = reading.untimed[following.start : following.end]
        how, content = carried.split(maxsplit=1) if " " in carried else ("", "")
    content = _cut(content, person)
    if not content:
        return "reminder"
    how = (how or ("to" if not re.match(r"(?:the|my|a|an)\b", content, re.IGNORECASE) else "about")).lower()
    return f"reminder {'about' if how == 'of' else how} {content}"


def _cut(phrase: str, person: Person | None) -> str:
    """A short name: without leftovers, "me" and politeness, with the person instead of "her"."""
    said = " ".join(phrase.split())
    said = re.sub(r"^(\w+) (?:me|us) (?=\w)", r"\1 ", said)
    said = re.split(
        r"[,;.!?]\s*(?:and|but|it'?s|that'?s|which|because|so)\b|\s+(?:because|so that|since)\b", said, maxsplit=1
    )[0]
    said = _TRAIL.sub("", said).strip(" ,.;!?")
    if person:
        given = rf"(?:{_GIVING})(?:{person.object_pronouns})\b(?=\s+\w)"
        said = re.sub(given, person.name, said, flags=re.IGNORECASE)
        said = re.sub(rf"\b(?:{person.object_pronouns})\b{_OBJECT_FORMS}", person.name, said, flags=re.IGNORECASE)
        said = re.sub(rf"\b(?:{person.possessive_pronouns})\b(?=\s+\w)", f"{person.name}'s", said, flags=re.IGNORECASE)
    words = said.split()
    return " ".join(words[:12])
