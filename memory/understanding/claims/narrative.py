"""What happened or is planned, with its date: "yesterday I had a steak", 我周五飞罗马."""

from __future__ import annotations

import re
from datetime import datetime

from memory.nouns import Claim
from memory.understanding.claims.attributes import StatedClaim, make_claim
from memory.understanding.people.mentions import PersonMention
from memory.understanding.reading import Reading
from memory.understanding.tasks.answers import looks_back
from memory.understanding.tasks.cues import corrects
from memory.understanding.tasks.request import Request
from memory.understanding.words.analysis import Clause

_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'll|we|we're|we've|my|our)\b|我", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:and|so|but|well|oh|actually|anyway|then|because)\b[\s,]*|[\s，,]|不过|但是|然后|对了|其实|所以)+",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:will|going\s+to|gonna|have\s+to|have\s+an?|need\s+to|i'm\s+\w+ing|later|tonight)\b|要|会|准备|打算|将|得",
    re.IGNORECASE,
)
_IMPERSONAL = re.compile(r"下雨|下雪|刮风|停电|放假|有(?:雨|雪|风)|是(?=周|星期|\d)")
_NO_VERB_YET = frozenset("TIME t a d ad c w xc f".split())
_HYPOTHETICAL = re.compile(r"\b(?:if|maybe|might|would)\b|如果|要是|可能|也许", re.IGNORECASE)


def narrative_claims(
    reading: Reading,
    people: list[PersonMention],
    stated: list[tuple[int, int]],
    requests: list[Request],
    now: float,
) -> list[StatedClaim]:
    """Reads events: clauses with a date that tell of the user or somebody they know, and ask for nothing.

    Args:
        reading: The utterance.
        people: Who is spoken of in it.
        stated: Clauses that state something lasting.
        requests: Clauses that ask for something.
        now: When it is said, seconds since the epoch.

    Returns:
        Claims of kind ``event`` whose value is the clause and whose ``since`` is when it happens; the attribute is
        ``event`` for the past, ``plan`` for the future.
    """
    out: list[StatedClaim] = []
    for clause in reading.analysis.clauses:
        span = (clause.start, clause.end)
        asked = any(r.start == clause.start for r in requests)
        if (
            asked
            or clause.is_question
            or corrects(clause.text)
            or span in stated
            or len(clause.text) < 5
            or _HYPOTHETICAL.search(clause.text)
        ):
            continue
        claim = _event(reading, clause, people, now)
        if claim:
            out.append(StatedClaim(claim, *span))
    return out


def _event(reading: Reading, clause: Clause, people: list[PersonMention], now: float) -> Claim | None:
    mention = next((t for t in reading.times if clause.start <= t.start < clause.end and _day(t.facts)), None)
    if mention is None:
        return None
    person = next((p for p in people if clause.start <= p.start < clause.end), None)
    subject = _subject(reading, clause, person)
    if not subject:
        return None
    day = _day(mention.facts)
    today = reading.today.isoformat()
    past = day < today or looks_back(reading.analysis, clause) or (day == today and not _AHEAD.search(clause.text))
    at = datetime.fromisoformat(day).replace(tzinfo=reading.now.tzinfo)
    clock = (mention.facts.get("time") or mention.facts.get("time_range") or "")[:5]
    if clock and clock != "24:00":
        at = at.replace(hour=int(clock[:2]), minute=int(clock[3:]))
    value = _LEAD.sub("", clause.text)
    return make_claim(subject, "event" if past else "plan", value, reading.language, since=at.timestamp())


def _subject(reading: Reading, clause: Clause, person: PersonMention | None) -> str:
    lead = _LEAD.match(clause.text)
    start = clause.start + (lead.end() if lead else 0)
    if person and not person.is_pet and (person.start <= start or not _FIRST_PERSON.search(clause.text)):
        return person.subject
    if _FIRST_PERSON.search(clause.text):
        return "user"
    return "user" if reading.language == "zh" and _speaks_of_self(reading, clause) else ""


def _speaks_of_self(reading: Reading, clause: Clause) -> bool:
    """Whether a clause begins with its verb, as when the speaker leaves out 我."""
    words = [w for w in reading.analysis.words if clause.start <= w.start < clause.end and w.tag not in _NO_VERB_YET]
    told = looks_back(reading.analysis, clause) or bool(_AHEAD.search(clause.text))
    return told and bool(words) and words[0].tag in ("v", "vd") and not _IMPERSONAL.search(clause.text)


def _day(facts: dict[str, str]) -> str:
    return (facts.get("date") or facts.get("date_range") or "")[:10]
