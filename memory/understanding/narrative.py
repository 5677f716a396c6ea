"""What happened or is planned, with its date: "yesterday I had a steak", 我周五飞罗马."""

from __future__ import annotations

import re
from datetime import datetime

from memory.nouns import Claim
from memory.understanding.analysis import Clause
from memory.understanding.answers import looks_back
from memory.understanding.claims import StatedClaim, make_claim
from memory.understanding.people import PersonMention
from memory.understanding.reading import Reading
from memory.understanding.request import Request

_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'll|we|we're|we've|my|our)\b|我", re.IGNORECASE)
_LEAD = re.compile(r"^(?:(?:and|so|but|well|oh|actually|anyway|then|because)\b[\s,]*|[\s，,]|不过|但是|然后|对了|其实|所以)+", re.IGNORECASE)
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
        Claims of kind ``event`` whose value is the clause and whose ``since`` is when it happens; ``event`` for the past,
        ``plan`` for the future.
    """
    out: list[StatedClaim] = []
    for clause in reading.analysis.clauses:
        span = (clause.start, clause.end)
        asked = any(r.start == clause.start for r in requests)
        if asked or clause.is_question or span in stated or len(clause.text) < 5 or _HYPOTHETICAL.search(clause.text):
            continue
        claim = _event(reading, clause, people, now)
        if claim:
            out.append(StatedClaim(claim, *span))
    return out


def _event(reading: Reading, clause: Clause, people: list[PersonMention], now: float) -> Claim | None:
    mention = next(
        (t for t in reading.times if clause.start <= t.start < clause.end and _day(t.facts)), None
    )
    if mention is None:
        return None
    person = next((p for p in people if clause.start <= p.start < clause.end), None)
    starts_with_person = person is not None and not _LEAD.sub("", clause.text).lower().startswith(("i ", "i'", "we ", "我"))
    if person and (starts_with_person or not _FIRST_PERSON.search(clause.text)) and not person.is_pet:
        subject = person.subject
    elif _FIRST_PERSON.search(clause.text):
        subject = "user"
    else:
        return None
    day = _day(mention.facts)
    past = day < reading.today.isoformat() or looks_back(reading.analysis, clause)
    at = datetime.fromisoformat(day).replace(tzinfo=reading.now.tzinfo)
    clock = (mention.facts.get("time") or mention.facts.get("time_range") or "")[:5]
    if clock and clock != "24:00":
        at = at.replace(hour=int(clock[:2]), minute=int(clock[3:]))
    value = _LEAD.sub("", clause.text)
    return make_claim(subject, "event" if past else "plan", value, reading.language, since=at.timestamp())


def _day(facts: dict[str, str]) -> str:
    return (facts.get("date") or facts.get("date_range") or "")[:10]
