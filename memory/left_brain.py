"""Facts about the world and how they change: supersession by (subject, attribute), pure functions over claims.

A claim is never overwritten. Its validity is closed (``until``) when a newer statement takes its place; what closes
what depends on its kind:

====== ==========================================================================================
single a new value closes the old one; the order of hearing does not matter, ``since`` does
multi  values add up; only the same value with the other polarity closes one ("I no longer play")
event  never closed
safety closed by an explicit correction only; a contradiction without one is not believed
====== ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.nouns import Claim


@dataclass(frozen=True, slots=True)
class Absorbed:
    """Claims after new ones came in.

    Attributes:
        claims: All of them, in the order they were first stated.
        changed: Those that are new or have other support or validity than before.
    """

    claims: tuple[Claim, ...]
    changed: tuple[Claim, ...]


def absorb(claims: Sequence[Claim], stated: Iterable[Claim], *, correction: bool = False) -> Absorbed:
    """Let new statements come in, one after the other.

    Args:
        claims: What was believed so far.
        stated: What was said now; ``utterances`` and ``since`` are filled in.
        correction: Whether the user takes something back in the same breath.
    """
    after = list(claims)
    for claim in stated:
        _absorb_one(after, claim, correction)
    before = dict.fromkeys(claims)
    return Absorbed(tuple(after), tuple(claim for claim in after if claim not in before))


def outdated_utterances(claims: Iterable[Claim]) -> frozenset[str]:
    """Ids of utterances that support claims which no longer hold, and none that does."""
    closed: set[str] = set()
    current: set[str] = set()
    for claim in claims:
        (current if claim.until is None else closed).update(claim.utterances)
    return frozenset(closed - current)


def _absorb_one(claims: list[Claim], new: Claim, correction: bool) -> None:
    same_key = [i for i, old in enumerate(claims) if old.until is None and _key(old) == _key(new)]
    for i in same_key:
        if _says_the_same(claims[i], new):
            claims[i] = _supported(claims[i], new)
            return
    opposed = [i for i in same_key if _replaces(new, claims[i], correction)]
    if new.kind == "safety" and not correction and any(_contradicts(new, claims[i]) for i in same_key):
        return
    newest = max((claims[i].since for i in opposed), default=new.since)
    if new.since < newest:
        # Heard late, said of an earlier time: it is history already.
        claims.append(replace(new, until=min(claims[i].since for i in opposed if claims[i].since > new.since)))
        return
    for i in opposed:
        claims[i] = replace(claims[i], until=new.since)
    claims.append(new)


def _replaces(new: Claim, old: Claim, correction: bool) -> bool:
    if old.kind == "safety" or new.kind == "safety":
        return correction
    if old.kind == "event" or new.kind == "event":
        return False
    if new.kind == "single" or old.kind == "single":
        # "I do not live in Berlin" says nothing about Lisbon.
        return new.polarity or _value(new) == _value(old)
    return _contradicts(new, old)


def _contradicts(new: Claim, old: Claim) -> bool:
    return new.polarity != old.polarity and _value(new) == _value(old)


def _says_the_same(old: Claim, new: Claim) -> bool:
    return old.polarity == new.polarity and _value(old) == _value(new) and old.kind == new.kind


def _supported(old: Claim, new: Claim) -> Claim:
    return replace(old, utterances=tuple(dict.fromkeys((*old.utterances, *new.utterances))))


def _key(claim: Claim) -> tuple[str, str]:
    return _plain(claim.subject), _plain(claim.attribute)


def _value(claim: Claim) -> str:
    return _plain(claim.value)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,!?。，！？")
