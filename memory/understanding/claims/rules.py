"""A statement as a rule: a pattern with named groups, and the attribute it states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memory.understanding.claims.attributes import StatedClaim, make_claim


def as_said(value: str) -> list[str]:
    """The value as one item."""
    return [value]


@dataclass(frozen=True, slots=True)
class Rule:
    """How one attribute is stated.

    The pattern's groups: ``value``; ``who``, without it the speaker; ``same`` where the subject was said before;
    ``neg``, where present the statement is denied; ``ended``, where present it no longer holds.

    Attributes:
        attribute: Key of the table in ``claims``.
        pattern: What it looks like.
        values: Turns what ``value`` matched into the values stated; none if it is no value after all.
        denies: Whether the words themselves deny ("hates").
    """

    attribute: str
    pattern: re.Pattern[str]
    values: Callable[[str], list[str]] = as_said
    denies: bool = False


def stated_by(
    rules: Iterable[Rule],
    text: str,
    language: str,
    subject_of: Callable[[re.Match[str]], str],
    since_of: Callable[[re.Match[str]], float],
    offset: int = 0,
) -> Iterator[StatedClaim]:
    """Applies rules to a text.

    Args:
        rules: To be tried, each wherever it matches.
        text: What was said.
        language: ``en`` or ``zh``.
        subject_of: Names whom a match is about; empty where nobody fits.
        since_of: When a match began to hold, seconds since the epoch.
        offset: Of the text in the utterance.
    """
    for rule in rules:
        for match in rule.pattern.finditer(text):
            groups = match.groupdict()
            subject = subject_of(match)
            for value in rule.values(match["value"]) if subject else ():
                since = since_of(match)
                stated = make_claim(
                    subject,
                    rule.attribute,
                    value,
                    language,
                    polarity=not (rule.denies or groups.get("neg")),
                    since=since,
                    until=since if groups.get("ended") else None,
                )
                yield StatedClaim(stated, match.start() + offset, match.end() + offset)
