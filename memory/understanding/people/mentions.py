"""Who is spoken of: names, and relatives, colleagues and pets by what they are to the user."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory.nouns import Claim, Entity
from memory.understanding.people.relations import (
    GENDER_EN,
    GENDER_ZH,
    RELATION_EN,
    RELATION_ZH,
    canonical_relation,
    gender_of,
    is_pet,
)
from memory.understanding.tasks.request import Person
from memory.understanding.words.analysis import Analysis

if TYPE_CHECKING:
    from memory.state_model import InnerState

_MY_EN = re.compile(
    rf"\b(?P<whose>my|our|his|her)\s+(?:(?:own|older|younger|elder|big|little|best|new|old|dear|late|line|twin"
    rf"|ex)[\s-]+)*(?P<rel>{RELATION_EN})\b(?!'s\b)(?P<poss>'s)?"
    rf"(?:\s*,?\s+(?:(?P<title>mr|mrs|ms|miss|dr|doctor|professor|prof)\.?\s+)?(?P<name>[A-Za-z][\w'-]*))?",
    re.IGNORECASE,
)
_NO_NAME = frozenset("next last this tomorrow today tonight yesterday on at in for".split())
_NO_LOWER_NAME = frozenset("group circle party law life house home work job name birthday team".split())
_MY_ZH = re.compile(rf"我们?家?里?的?(?:那[个只位]|大|小|二)?(?P<rel>{RELATION_ZH})")


@dataclass(frozen=True, slots=True)
class PersonMention:
    """Somebody, at a place in the text.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last character.
        name: Their name; empty where only the relation was said.
        relation: What they are to the user, such as ``sister``; empty where only a name was said.
        owner: ``user``, or the pronoun of whoever they belong to ("his wife Laura").
    """

    start: int
    end: int
    name: str = ""
    relation: str = ""
    owner: str = "user"

    @property
    def subject(self) -> str:
        """What claims about them are filed under: the name, else the relation."""
        return self.name or self.relation

    @property
    def gender(self) -> str:
        """``f``, ``m``, or an empty string where it is not known."""
        return gender_of(self.relation)

    @property
    def is_pet(self) -> bool:
        """Whether it is an animal."""
        return is_pet(self.relation)


def people_in(analysis: Analysis) -> list[PersonMention]:
    """Finds the people and pets of the user's life in a text, in order of appearance."""
    text = analysis.text
    names = {n.start: n for n in analysis.names if n.kind == "person" and n.name.lower() not in _NO_NAME}
    out: list[PersonMention] = []
    taken: set[int] = set()
    for match in (_MY_EN if analysis.language == "en" else _MY_ZH).finditer(text):
        relation = canonical_relation(match["rel"])
        whose = match.groupdict().get("whose") or "my"
        owner = "user" if whose.lower() in ("my", "our") else whose.lower()
        after = match.start("name") if analysis.language == "en" and match["name"] else match.end()
        named = names.get(after)
        if not named and (match.groupdict().get("title") or _is_lower_name(analysis, match)):
            named = Entity(
                match["name"],
                "person",
                after,
                match.end("name"),
                match["name"].capitalize() if match["name"].islower() else match["name"],
            )
        if named:
            taken.add(named.start)
            out.append(PersonMention(match.start(), named.end, named.value or named.name, relation, owner))
        else:
            out.append(PersonMention(match.start(), match.end("rel"), "", relation, owner))
    for start, name in names.items():
        if start not in taken:
            out.append(PersonMention(start, name.end, name.value or name.name))
    return sorted(out, key=lambda mention: mention.start)


def _is_lower_name(analysis: Analysis, match: re.Match[str]) -> bool:
    """Whether the word behind "my friend" is a name that the recogniser left in lower case: a verb follows it."""
    if analysis.language != "en" or not match["name"] or not analysis.text.islower() or match["poss"]:
        return False
    at = next((n for n, w in enumerate(analysis.words) if w.start == match.start("name")), None)
    if at is None or at + 1 >= len(analysis.words) or not analysis.words[at].tag.startswith(("NN", "FW", "JJ")):
        return False
    return analysis.words[at + 1].tag in ("VBD", "VBZ", "MD") and match["name"] not in _NO_LOWER_NAME


def with_relations(people: list[PersonMention], claims: Iterable[Claim]) -> list[PersonMention]:
    """The same people, with the relation where a claim of the utterance tells it: "my dog is called Bruno"."""
    known = {
        claim.value: re.sub(r"(?:'s name|的名字)$", "", claim.attribute)
        for claim in claims
        if claim.subject == "user" and re.search(r"(?:'s name|的名字)$", claim.attribute)
    }
    return [
        replace(person, relation=known[person.name]) if not person.relation and person.name in known else person
        for person in people
    ]


def person_meant(mentions: list[PersonMention], before: int, state: InnerState) -> Person | None:
    """Whom "her" or 他 at an offset means: the last person said before it, else the subject of the conversation."""
    earlier = [m for m in mentions if m.end <= before and not m.is_pet]
    if earlier:
        last = earlier[-1]
        return Person(last.name or _spoken(last.relation), last.gender)
    if state.subject.type == "person" and state.subject.id:
        relation = canonical_relation(state.subject.description)
        name = state.subject.id
        return Person(_spoken(name) if name == relation else name, gender_of(relation))
    return None


def subject_meant(mentions: list[PersonMention], before: int, state: InnerState, gender: str) -> str:
    """What a claim about "she" or 他 is filed under; empty where nobody fits."""
    earlier = [m for m in mentions if m.end <= before and not m.is_pet and m.gender in ("", gender)]
    if earlier:
        return earlier[-1].subject
    if state.subject.type == "person" and gender_of(canonical_relation(state.subject.description)) in ("", gender):
        return state.subject.id
    return ""


def _spoken(relation: str) -> str:
    if relation in GENDER_EN:
        return f"my {relation}"
    return f"我{relation}" if relation in GENDER_ZH else relation
