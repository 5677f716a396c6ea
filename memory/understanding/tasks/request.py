"""A request as both languages report it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.understanding.reading import Reading
from memory.understanding.tasks.topics import Topic, topic_named, topic_of
from memory.understanding.values.codes import code_type
from memory.understanding.words.analysis import Clause


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a pronoun means.

    Attributes:
        name: Name, or what they are to the user.
        gender: ``f``, ``m``, or an empty string where it is not known.
    """

    name: str
    gender: str = ""

    @property
    def object_pronouns(self) -> str:
        """Pattern of the English pronouns that can mean them as an object."""
        return {"f": "her", "m": "him"}.get(self.gender, "her|him|them")

    @property
    def possessive_pronouns(self) -> str:
        """Pattern of the English possessives that can mean them."""
        return {"f": "her", "m": "his"}.get(self.gender, "her|his|their")

    @property
    def han_pronouns(self) -> str:
        """Pattern of the Mandarin pronouns that can mean them."""
        return {"f": "她", "m": "他"}.get(self.gender, "[她他]")


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants done.

    Attributes:
        start: Offset of the clause it is made in.
        end: Offset behind that clause.
        topic: What it is about, or None.
        task: Short name for it, in the user's language.
        verb: What is to be done; empty for a question.
        risky: Whether it pays, sends, orders or deletes.
        asks: Whether it is a question rather than a command.
        changes: Whether it changes something that exists.
        cancels: Whether it ends something that exists.
    """

    start: int
    end: int
    topic: Topic | None
    task: str
    verb: str = ""
    risky: bool = False
    asks: bool = False
    changes: bool = False
    cancels: bool = False


_HANDS_MONEY = re.compile(r"\b(?:send|give|wire|transfer|pay|lend)\b|转|汇|付", re.IGNORECASE)


def clause_topic(reading: Reading, clause: Clause) -> Topic | None:
    """What a clause is about; a sum of money or the code of a room decides before the words do."""
    amounts = [a for a in reading.amounts if clause.start <= a.start < clause.end]
    if amounts and _HANDS_MONEY.search(clause.text):
        return topic_named("payment")
    topic = topic_of(clause.text)
    if topic is None or topic.name == "calendar":
        codes = [c for c in reading.codes if clause.start <= c.start < clause.end]
        if clause.is_question and codes and code_type(codes[0].value, reading.text, "") == "room":
            return topic_named("room")
    return topic
