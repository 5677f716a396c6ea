"""Claims: which attributes there are, how they are called in each language, and how a value replaces another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.nouns import Claim, ClaimClass
from memory.understanding.people.relations import canonical_relation, is_single
from memory.understanding.reading import Reading


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim and where it was stated.

    Attributes:
        claim: What was stated.
        start: Offset of the first character of the statement.
        end: Offset behind its last character.
    """

    claim: Claim
    start: int
    end: int


_ATTRIBUTES: dict[str, tuple[str, ClaimClass]] = {
    "name": ("名字", "single"),
    "nickname": ("昵称", "single"),
    "residence": ("居住地", "single"),
    "hometown": ("家乡", "single"),
    "job": ("职业", "single"),
    "employer": ("工作单位", "single"),
    "school": ("学校", "single"),
    "studies": ("专业", "single"),
    "age": ("年龄", "single"),
    "birthday": ("生日", "single"),
    "diet": ("饮食", "single"),
    "avoids": ("忌口", "multi"),
    "allergy": ("过敏", "safety"),
    "intolerance": ("不耐受", "safety"),
    "medication": ("用药", "safety"),
    "condition": ("疾病", "safety"),
    "likes": ("喜欢", "multi"),
    "habit": ("习惯", "multi"),
    "hobby": ("爱好", "multi"),
    "pet": ("宠物", "multi"),
    "children": ("孩子", "multi"),
    "siblings": ("兄弟姐妹", "multi"),
    "marital status": ("婚姻状况", "single"),
    "languages": ("语言", "multi"),
    "phone": ("电话", "single"),
    "email": ("邮箱", "single"),
    "address": ("地址", "single"),
    "car": ("车", "single"),
    "plan": ("计划", "event"),
    "event": ("经历", "event"),
}
_ENGLISH_OF = {mandarin: english for english, (mandarin, _) in _ATTRIBUTES.items()}


def attribute_key(attribute: str) -> str:
    """The same key for an attribute in whatever language it was stated: 饮食 -> ``diet``.

    Names of relatives and pets, and favourites, stay in the language they were said in.
    """
    return _ENGLISH_OF.get(attribute, attribute)


def make_claim(
    subject: str,
    attribute: str,
    value: str,
    language: str,
    *,
    polarity: bool = True,
    since: float = 0.0,
    until: float | None = None,
) -> Claim:
    """Builds a claim whose attribute is named in the language of the utterance.

    Args:
        subject: ``user``, or a name, or a relation.
        attribute: A key of the table, in English.
        value: As said.
        language: ``en`` or ``zh``.
        polarity: False where it was denied.
        since: When it began to hold, seconds since the epoch.
        until: When it stopped to hold.
    """
    mandarin, kind = _ATTRIBUTES[attribute]
    return Claim(subject, mandarin if language == "zh" else attribute, value, polarity, kind, since, until)


def name_claim(relation: str, name: str, language: str, *, owner: str = "user", since: float = 0.0) -> Claim:
    """The name of somebody's relative or pet: (user, ``dog's name``, Bruno) or (user, 狗的名字, 布鲁诺)."""
    noun = canonical_relation(relation)
    attribute = f"{noun}的名字" if language == "zh" else f"{noun}'s name"
    return Claim(owner, attribute, name, True, "single" if is_single(noun) else "multi", since)


def favourite_claim(subject: str, thing: str, value: str, language: str, since: float) -> Claim:
    """A favourite of some kind, of which there is one."""
    attribute = f"最喜欢的{thing}" if language == "zh" else f"favourite {thing}"
    return Claim(subject, attribute, value, True, "single", since)


def since_in(reading: Reading, start: int, end: int, now: float) -> float:
    """When something began to hold: the past date said between two offsets or in the same clause, else ``now``."""
    clause = reading.analysis.clause_at(start)
    first, last = (clause.start, max(clause.end, end)) if clause else (start, end)
    for mention in reading.times:
        day = (mention.facts.get("date") or mention.facts.get("date_range") or "")[:10]
        if first <= mention.start < last and day and day < reading.today.isoformat():
            return datetime.fromisoformat(day).replace(tzinfo=reading.now.tzinfo).timestamp()
    return now
