"""Mandarin statements about people: 我的狗叫布鲁诺, 我对坚果过敏, 我妹妹住在汉堡."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memory.nouns import Claim
from memory.understanding.claims.attributes import StatedClaim, favourite_claim, make_claim, name_claim, since_in
from memory.understanding.claims.rules import stated_by
from memory.understanding.claims.statements_mandarin import CALLED, CONTACT, FAVOURITE, RULES, clean
from memory.understanding.people.mentions import PersonMention, subject_meant
from memory.understanding.people.relations import PETS_ZH, canonical_relation
from memory.understanding.reading import Reading
from memory.understanding.words.analysis import Clause

if TYPE_CHECKING:
    from memory.state_model import InnerState

_FILLERS = re.compile(
    r"^(?:[\s，,]|嗯+|哦|啊|那个|就是|其实|不过|但是?|可是|而且|所以|因为|对了|话说|另外|然后|还有|顺便说一下"
    r"|你知道吗|跟你说|现在(?=[我他她])|告诉你|你好|(?:请|你?能"
    r"|你?可以)*(?:帮我)?记(?:住|一下|着))*"
)
_ME = re.compile(r"^(?:我们?|咱们?|本人)(?!的?经理|家附近)")
_PRONOUN = re.compile(r"^(?:他|她|它|TA)(?!们)")
_DOUBT = re.compile(r"如果|要是|假如|可能|也许|大概会|好像|万一|听说|据说|想象")
_REPORTED = re.compile(r"^(?!我)[一-鿿]{1,5}(?<![会能])(?:说|觉得|认为|以为|告诉我)")
_PET_WORD = re.compile(rf"(?:{'|'.join(sorted(PETS_ZH | {'狗狗', '猫咪', '小狗', '小猫'}, key=len, reverse=True))})$")
_PET_NAMED = re.compile(
    r"(?:有|养了?|领养了?)(?:着)?(?:[一两二三]?[只条个匹])?(?:名字)?(?:叫"
    r"|名叫)(?P<value>[一-鿿A-Za-z]{1,8}?)的(?P<rel>(?:小|大)?(?:狗狗?"
    r"|猫咪?|兔子|仓鼠|鹦鹉|乌龟|金鱼|马|儿子|女儿|妹妹|弟弟|哥哥|姐姐|朋友|同事))"
)
_AVOIDED_FOR_ALLERGY = re.compile(
    r"我(?:完全|绝对)?(?:不能|不可以|不敢|没法)[吃喝碰](?P<value>[一-鿿]{1,8}?)"
    r"(?=[，,。\s]*(?:因为|由于)?我?(?:会|吃了会|吃了就|就会|严重|对它)*过敏)"
)
_NAME_IN_ROW = re.compile(r"^[一-鿿·]{1,6}|^[A-Za-z][A-Za-z .'-]{0,24}")


def claims_zh(reading: Reading, people: list[PersonMention], state: InnerState, now: float) -> list[StatedClaim]:
    """Reads the claims a Mandarin utterance states.

    A clause without a subject is about whom the clause before it was about: 我妹妹住在汉堡，是护士.

    Args:
        reading: The utterance.
        people: Who is spoken of in it.
        state: For 他 and 她.
        now: When it is said, seconds since the epoch.

    Returns:
        In the order they were found; questions, guesses and hearsay are left out.
    """
    out = [
        StatedClaim(name_claim(p.relation, p.name, "zh", since=now), p.start, p.end)
        for p in people
        if p.name and p.relation
    ]
    subject, relation = "user", ""
    for clause in reading.analysis.clauses:
        lead = _FILLERS.match(clause.text)
        start = clause.start + (lead.end() if lead else 0)
        reported = _REPORTED.match(reading.text[start : clause.end])
        start += reported.end() if reported else 0
        subject, relation, after = _subject(reading, start, clause.end, people, state, subject, relation)
        if clause.is_question or _DOUBT.search(clause.text):
            continue
        found = list(_clause_claims(reading, clause, after, subject, relation, now))
        if reported:
            found = [stated for stated in found if stated.claim.kind == "safety"]
        for stated in found:
            pet = _PET_WORD.search(stated.claim.value) if stated.claim.attribute == "宠物" else None
            if pet:
                subject, relation = canonical_relation(pet[0]), canonical_relation(pet[0])
        out += found
    return out + _avoided_for_allergy(reading, now)


def _avoided_for_allergy(reading: Reading, now: float) -> list[StatedClaim]:
    """What is not eaten because of an allergy, over two clauses: 我不能吃贝类，我过敏."""
    found = _AVOIDED_FOR_ALLERGY.finditer(reading.text)
    return [
        StatedClaim(make_claim("user", "allergy", match["value"], "zh", since=now), match.start("value"), match.end())
        for match in found
    ]


def _subject(
    reading: Reading, start: int, end: int, people: list[PersonMention], state: InnerState, before: str, relation: str
) -> tuple[str, str, int]:
    """Who a clause is about, what they are to the user, and where the predicate begins."""
    person = next((p for p in people if p.start == start and p.end <= end), None)
    if person:
        return person.subject, person.relation, person.end
    said = reading.text[start:end]
    pronoun = _PRONOUN.match(said)
    if pronoun:
        gender = {"他": "m", "她": "f"}.get(pronoun[0], "")
        pet = relation if relation in PETS_ZH else ""
        meant = subject_meant(people, start, state, gender)
        if pronoun[0] == "它" or (pet and not meant):
            return pet or before, pet, start + pronoun.end()
        known = next((p.relation for p in reversed(people) if p.end <= start and p.subject == meant and p.relation), "")
        return meant, known or (state.subject.description if meant == state.subject.id else ""), start + pronoun.end()
    me = _ME.match(said)
    if me:
        return "user", "", start + me.end()
    return before, relation, start


def _clause_claims(
    reading: Reading, clause: Clause, after: int, subject: str, relation: str, now: float
) -> Iterator[StatedClaim]:
    if not subject:
        return
    rest = reading.text[after : clause.end]

    def stated(claim: Claim) -> StatedClaim:
        return StatedClaim(claim, clause.start, clause.end)

    since = since_in(reading, clause.start, clause.end, now)
    called = CALLED.match(rest)
    name = _name_at(reading, after + called.start("value"), clause.end) if called else ""
    if name and subject == "user":
        yield stated(make_claim("user", "name", name, "zh", since=now))
    elif name:
        yield stated(name_claim(relation or subject, name, "zh", since=now))
    elif subject == "user" and (known := _own_name(reading, rest, after)):
        yield stated(make_claim("user", "name", known, "zh", since=now))
    pet = _PET_NAMED.search(rest)
    if pet:
        yield stated(name_claim(re.sub(r"^[小大]", "", pet["rel"]), pet["value"], "zh", since=now))
    favourite = FAVOURITE.match(rest)
    if favourite:
        yield stated(favourite_claim(subject, favourite["thing"], clean(favourite["value"]), "zh", now))
        return
    contact = CONTACT.match(rest)
    if contact:
        yield from _contact(reading, contact, after, clause, subject, now)
        return
    yield from (
        StatedClaim(found.claim, clause.start, clause.end)
        for found in stated_by(RULES, rest, "zh", lambda match: subject, lambda match: since, after)
    )


def _name_at(reading: Reading, offset: int, end: int) -> str:
    """The name at an offset: as LAC sees it, else a short run of characters."""
    entity = next((n for n in reading.analysis.names if n.start == offset), None)
    if entity:
        return entity.name
    run = _NAME_IN_ROW.match(reading.text[offset:end])
    return clean(run[0]) if run and not re.match(r"什么|啥|我|你|他|她|它|不|做|得|的|了|人|醒|车|外卖", run[0]) else ""


def _own_name(reading: Reading, rest: str, after: int) -> str:
    """我是张伟, where LAC sees a person's name up to the end of the clause."""
    if not rest.startswith("是"):
        return ""
    entity = next((n for n in reading.analysis.names if n.start == after + 1 and n.kind == "person"), None)
    return entity.name if entity and entity.end >= after + len(rest) else ""


def _contact(
    reading: Reading, match: re.Match[str], after: int, clause: Clause, subject: str, now: float
) -> Iterator[StatedClaim]:
    kind = "email" if match["what"] in ("邮箱", "邮件") else "address" if "址" in match["what"] else "phone"
    start, end = after + match.start("value"), clause.end
    value = next((c.value for c in reading.contacts if start <= c.start <= end), "")
    value = value or (clean(match["value"]) if kind == "address" else "")
    if value:
        yield StatedClaim(make_claim(subject, kind, value, "zh", since=now), clause.start, clause.end)
