"""English statements about people: "my dog is called Bruno", "I'm allergic to nuts", "my sister lives in Hamburg"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memory.understanding.claims.attributes import StatedClaim, favourite_claim, make_claim, name_claim, since_in
from memory.understanding.claims.grammar_english import MY_RELATIVE, clean, name_values, proper
from memory.understanding.claims.rules import stated_by
from memory.understanding.claims.statements_english import RULES
from memory.understanding.people.mentions import PersonMention, subject_meant
from memory.understanding.people.relations import RELATION_EN, canonical_relation
from memory.understanding.reading import Reading

if TYPE_CHECKING:
    from memory.state_model import InnerState

_NAME = r"(?P<value>(?!not\b)[A-Za-z][\w'-]*(?:\s+(?-i:[A-Z])[\w'-]*){0,2})"
_WHOSE = rf"(?P<whose>{MY_RELATIVE}'s|my|our|his|her|their|(?-i:[A-Z])[\w-]+'s)"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_CALLED = _pattern(
    rf"\b{_WHOSE}\s+(?:(?:own|older|younger|elder|big|little|best|new|old|twin)[\s-]+)*(?P<rel>{RELATION_EN}"
    rf"|car|bike|boat|robot|plant)"
    rf"(?:'s\s+name\s+is|\s+is\s+(?:called|named)|'s\s+(?:called|named)|\s+goes\s+by|\s+answers\s+to)\s+{_NAME}"
)
_NAME_OF = _pattern(rf"\bthe\s+name\s+of\s+(?P<whose>my|our)\s+(?P<rel>{RELATION_EN})\s+is\s+{_NAME}")
_HAVE_CALLED = _pattern(
    rf"\b(?P<whose>i|we)(?:'ve|\s+have|\s+own|\s+adopted|\s+got|\s+just)+\s+(?:an?|one"
    rf"|our)\s+(?:\w+\s+){{0,2}}?(?P<rel>{RELATION_EN})\s*,?\s+"
    rf"(?:(?:who\s+is\s+|who'?s\s+|which\s+is\s+|that\s+is\s+|that'?s\s+|and\s+(?:he|she|it)(?:'s"
    rf"|\s+is)\s+)?(?:called|named)|(?:and\s+)?(?:his|her|its)\s+name\s+is)\s+{_NAME}"
)
_PRONOUN_NAME = _pattern(rf"\b(?P<poss>his|her|its|their)\s+name(?:'s|\s+is)\s+{_NAME}")
_BIRTHDAY = _pattern(rf"\b{_WHOSE}\s+birthday(?:'s|\s+is|\s+falls)\s+(?:on\s+)?(?P<value>[^.;!?,\n]+)")
_FAVOURITE = _pattern(
    rf"\b{_WHOSE}\s+(?:all[\s-]time\s+)?favou?rite\s+(?P<thing>[a-z]+(?:\s+[a-z]+)?)(?:\s+is|'s"
    rf"|\s+are)\s+(?P<value>[^.;!?,\n]+?)(?=\s*(?:[.;!?,\n]|$|\s(?:and|but|because)\s))"
)
_CONTACT = _pattern(
    r"\bmy\s+(?:new\s+|work\s+|home\s+|mobile\s+|private\s+)?(?P<what>phone\s+number|number|phone|mobile"
    r"|cell(?:phone)?|e-?mail(?:\s+address)?|address)(?:'s|\s+is)\s+(?P<value>[^;!?\n]+)"
)
_SUBJECT = _pattern(
    rf"(?:^|(?<=[.!?,\n])|(?<=\band)|(?<=\bbut)|(?<=\bso))\s*(?P<who>i|we|he|she"
    rf"|{MY_RELATIVE}(?:\s+(?-i:[A-Z])[\w-]*)?|(?-i:[A-Z])[\w-]+)(?=\s|'|$)"
)
_HYPOTHETICAL = _pattern(r"\b(?:if|imagine|suppose|wish|pretend|would\s+be|might|maybe|could\s+be|as\s+if)\b[^.;!?]*$")
_CONDITION = re.compile(r"\W*(?:and\s+|but\s+)?(?:if|imagine|suppose)\b", re.IGNORECASE)
_REPORTED = _pattern(r"\b(?:said|says|thinks?|told\s+(?:me|him|her)|claims?|believes?|asked)\s+(?:that\s+)?$")
_ONE_OFF = re.compile(r"(?:i|we)(?:'d|\s+would)\b", re.IGNORECASE)


def claims_en(reading: Reading, people: list[PersonMention], state: InnerState, now: float) -> list[StatedClaim]:
    """Reads the claims an English utterance states.

    Args:
        reading: The utterance.
        people: Who is spoken of in it.
        state: For "she" and "he".
        now: When it is said, seconds since the epoch.

    Returns:
        In the order they were found; questions, wishes and what others are said to think are left out.
    """
    return [stated for stated in _all_claims(reading, people, state, now) if _is_meant(reading, stated)]


def _is_meant(reading: Reading, stated: StatedClaim) -> bool:
    clause = reading.analysis.clause_at(stated.start)
    if clause is None or clause.is_question:
        return False
    before = reading.text[clause.start : stated.start]
    if _HYPOTHETICAL.search(before) or _CONDITION.match(clause.text):
        return False
    return stated.claim.kind == "safety" or not _REPORTED.search(before)


def _all_claims(reading: Reading, people: list[PersonMention], state: InnerState, now: float) -> Iterator[StatedClaim]:
    text = _with_breaks(reading)

    def subject_of(match: re.Match[str]) -> str:
        groups = match.groupdict()
        if groups.get("same") is not None:
            return _subject_before(text, match.start(), people, state)
        said = groups.get("who")
        if said is None:
            return "user"
        return "" if _ONE_OFF.match(match[0]) else _subject(said, match.start("who"), people, state)

    def since_of(match: re.Match[str]) -> float:
        return since_in(reading, match.start(), match.end(), now)

    def owner_of(match: re.Match[str]) -> str:
        return _owner(match["whose"], match.start("whose"), people, state)

    for person in people:
        owner = _owner(person.owner, person.start, people, state) if person.owner != "user" else "user"
        if person.name and person.relation and owner:
            made = name_claim(person.relation, person.name, "en", owner=owner, since=now)
            yield StatedClaim(made, person.start, person.end)
    yield from _names(text, people, state, owner_of, now)
    yield from stated_by(RULES, text, "en", subject_of, since_of)
    for match in _BIRTHDAY.finditer(text):
        if owner := owner_of(match):
            made = make_claim(owner, "birthday", clean(match["value"]), "en", since=now)
            yield StatedClaim(made, match.start(), match.end())
    for match in _FAVOURITE.finditer(text):
        if owner := owner_of(match):
            favourite = favourite_claim(owner, match["thing"].lower(), clean(match["value"]), "en", now)
            yield StatedClaim(favourite, match.start(), match.end())
    for match in _CONTACT.finditer(text):
        what = match["what"].lower()
        kind = "email" if "mail" in what else "address" if what == "address" else "phone"
        value = next((c.value for c in reading.contacts if match.start() <= c.start < match.end()), "")
        if kind == "address":
            value = value or clean(re.split(r"[.]\s", match["value"])[0])
        if value:
            yield StatedClaim(make_claim("user", kind, value, "en", since=now), match.start(), match.end())


def _with_breaks(reading: Reading) -> str:
    """The text with a line break where a clause ends without punctuation; offsets stay."""
    text = list(reading.text)
    for clause in reading.analysis.clauses[1:]:
        before = reading.text[: clause.start].rstrip()
        joined = re.match(r"(?:and|but|so|because|or|then|also)\b", clause.text, re.IGNORECASE)
        if before and before[-1] not in ",;:.!?\n" and not joined:
            text[clause.start - 1] = "\n"
    return "".join(text)


def _names(
    text: str,
    people: list[PersonMention],
    state: InnerState,
    owner_of: Callable[[re.Match[str]], str],
    now: float,
) -> Iterator[StatedClaim]:
    for pattern in (_CALLED, _NAME_OF, _HAVE_CALLED):
        for match in pattern.finditer(text):
            for name in name_values(match["value"]) if (owner := owner_of(match)) else ():
                yield StatedClaim(
                    name_claim(match["rel"], name, "en", owner=owner, since=now), match.start(), match.end()
                )
    for match in _PRONOUN_NAME.finditer(text):
        relation = _relation_before(match, people, state)
        for name in name_values(match["value"]) if relation else ():
            yield StatedClaim(name_claim(relation, name, "en", since=now), match.start(), match.end())


def _subject(said: str, offset: int, people: list[PersonMention], state: InnerState) -> str:
    """Whom a statement is about: ``user``, a name, a relation, or nobody who is known."""
    word = " ".join(said.lower().split())
    if word in ("i", "we"):
        return "user"
    if word in ("he", "she", "they"):
        return subject_meant(people, offset, state, {"he": "m", "she": "f"}.get(word, ""))
    found = next((p for p in people if p.start < offset + len(said) and offset < p.end), None)
    if found:
        return found.subject
    bare = canonical_relation(word)
    return bare if bare != word else ""


def _subject_before(text: str, offset: int, people: list[PersonMention], state: InnerState) -> str:
    """The subject of a sentence, for its later verbs: "she lives in Hamburg and works as a nurse"."""
    sentence = max(text.rfind(mark, 0, offset) for mark in ".!?\n") + 1
    subject = ""
    for match in _SUBJECT.finditer(text, sentence, offset):
        subject = _subject(match["who"], match.start("who"), people, state) or subject
    return subject


def _owner(said: str, offset: int, people: list[PersonMention], state: InnerState) -> str:
    word = said.lower()
    if word in ("my", "our", "i", "we"):
        return "user"
    if word in ("his", "her", "their"):
        return subject_meant(people, offset, state, {"his": "m", "her": "f"}.get(word, ""))
    bare = re.sub(r"'s$", "", said)
    relation = re.search(rf"\b(?:{RELATION_EN})$", bare, re.IGNORECASE)
    if relation and re.match(r"(?:my|our|his|her)\s", bare, re.IGNORECASE):
        return canonical_relation(relation[0])
    return _subject(bare, offset, people, state) or proper(bare)


def _relation_before(match: re.Match[str], people: list[PersonMention], state: InnerState) -> str:
    possessive = match["poss"].lower()
    for person in reversed([p for p in people if p.end <= match.start() and p.relation]):
        if person.is_pet or possessive in ("their", {"f": "her", "m": "his"}.get(person.gender, possessive)):
            return person.relation
    if state.subject.type in ("person", "pet"):
        return state.subject.description or state.subject.id
    return ""
