"""Whether an answer of a small model may be spoken: it must rest on the evidence word for word."""

from __future__ import annotations

import re

from memory.reply.evidence import content_words
from memory.reply.plan import ReplyPlan

MAX_WORDS = 32
_NEGATION = re.compile(r"\b(?:not|no|never|nothing|nobody|none|without|cannot|neither)\b|n['’]t\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]m|i['’]ve|my|mine|me|we|our|us)\b", re.IGNORECASE)
_ASKED = re.compile(r"\basked me\b", re.IGNORECASE)
_CHOICE = re.compile(r"\bor\b", re.IGNORECASE)


def accept(plan: ReplyPlan, answer: str) -> str | None:
    """Check an answer that the model gave to ``plan.question``.

    Args:
        plan: With question and evidence.
        answer: What the model wrote.

    Returns:
        The answer, tidied, when

        * each of its content words is in the evidence or the question,
        * it tells something of the evidence that the question did not hold already,
        * it says no where the evidence says no, and only there,
        * it speaks of the user, not of itself, in at most ``MAX_WORDS`` words,

        else None.
    """
    text = " ".join(answer.split()).strip("\"' ")
    if not text or len(text.split()) > MAX_WORDS:
        return None
    said, known, asked = _words(text), _words(plan.evidence), _words(plan.question)
    if said - known - asked:
        return None
    if not (said & known) - (set() if _CHOICE.search(plan.question) else asked):
        return None
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(plan.evidence)):
        return None
    if _FIRST_PERSON.search(_ASKED.sub("", text)) and not _FIRST_PERSON.search(_ASKED.sub("", plan.evidence)):
        return None
    return text if text[-1] in ".!?" else f"{text}."


def _words(text: str) -> frozenset[str]:
    return content_words(text.replace("-", " "))
