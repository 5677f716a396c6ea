"""Cuts a reply that is still being written into pieces to speak: the first one early, then sentences.

A decision needs at most the next character that is no space, so how the text arrives in pieces does not
change where it is cut, and joining the clauses gives the text back::

    "Of course, that is easy, I will look. Then we talk."
     └─ first: a clause of 20 ─┘└─ a sentence ┘└─ the rest ┘
"""

from __future__ import annotations

import re

from pipeline.speech.words import has_words, is_han

# Titles stand before a name: their full stop never ends a sentence.
TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "gen", "rev", "sen", "rep", "hon", "capt", "lt"})
_NEVER_LAST = TITLES | {"e.g", "i.e", "vs", "cf", "approx", "fig", "eq", "al", "viz", "dept", "est", "ca"}

HAN_WEIGHT = 3

_HAN_ENDS = "。！？"
_CLOSERS = "”’」』）》】\"')]"
_HAN_SENTENCE_END = re.compile(f"[{_HAN_ENDS}][{_HAN_ENDS}!?…{re.escape(_CLOSERS)}]*\\Z")
_SENTENCE_END = re.compile(rf"(?P<mark>[.!?…]+)[{re.escape(_CLOSERS)}]*(?P<gap>\s*)\Z")
_LAST_TOKEN = re.compile(r"\S*\Z")
_LETTERS = re.compile(r"[A-Z](?:\.[A-Z])*")  # an initial, or U.S.A
_CLAUSE_MARKS_AT_ONCE = "，；：、—"
_CLAUSE_MARKS = ",;:–"  # not between digits: 1,000 10:30 5–7


class ClauseSplitter:
    """Cuts a text into clauses as it arrives."""

    def __init__(self, first_clause_chars: int = 20, longest: int = 80) -> None:
        """Set the lengths; a Han character counts three.

        Args:
            first_clause_chars: The first piece may end at a comma from this length on, and so may the pieces of
                a long sentence.
            longest: A sentence longer than this is cut at a comma.
        """
        self._shortest = first_clause_chars
        self._longest = longest
        self._first = True
        self._clear()

    def _clear(self) -> None:
        self._text = ""
        self._weight = 0
        self._clause_end = 0

    def feed(self, text: str) -> list[str]:
        """Take the next piece of the reply.

        Args:
            text: As it arrives; any length.

        Returns:
            The clauses that are complete now.
        """
        clauses: list[str] = []
        waiting = list(reversed(text))
        while waiting:
            character = waiting.pop()
            end = self._boundary(character)
            self._text += character
            self._weight += HAN_WEIGHT if is_han(character) else 1
            if end and has_words(self._text[:end]):
                clauses.append(self._text[:end])
                waiting.extend(reversed(self._text[end:]))
                self._first = False
                self._clear()
        return clauses

    def flush(self) -> str:
        """End the reply; the splitter is as new afterwards.

        Returns:
            What had not been cut off yet; empty if nothing.
        """
        rest = self._text
        self._first = True
        self._clear()
        return rest

    def _boundary(self, character: str) -> int:
        """Where a clause ends, now that ``character`` follows the text; 0 if nowhere."""
        length = len(self._text)
        if character == "\n":
            return length + 1
        end = self._sentence_end(character)
        if end:
            return end
        clause_end = self._clause_end_before(character)
        if clause_end and self._weight >= self._shortest and has_words(self._text[:clause_end]):
            self._clause_end = clause_end
        if self._clause_end and (self._first or self._weight > self._longest):
            return self._clause_end
        if self._weight > 3 * self._longest and (character.isspace() or is_han(character)):
            return length
        return 0

    def _sentence_end(self, following: str) -> int:
        """Where a sentence ends, if it does before ``following``."""
        han_end = _HAN_SENTENCE_END.search(self._text)
        if han_end and following not in _HAN_ENDS + "!?…" + _CLOSERS:
            return len(self._text)
        if following.isspace():
            return 0
        found = _SENTENCE_END.search(self._text)
        if not found or following.islower():
            return 0
        if not found["gap"] and not (is_han(following) and found["mark"][-1] in "!?…"):
            return 0
        if found["mark"] == "." and _is_abbreviation(self._text[: found.start()], following):
            return 0
        return found.start("gap")

    def _clause_end_before(self, following: str) -> int:
        """Where a clause ends, if a comma or its like shows it before or at ``following``."""
        if following in _CLAUSE_MARKS_AT_ONCE:
            return len(self._text) + 1
        if following in _CLAUSE_MARKS and not self._text[-1:].isdigit():
            return len(self._text) + 1
        if self._text and self._text[-1] in _CLAUSE_MARKS and not following.isdigit():
            return len(self._text)
        return 0


def _is_abbreviation(before: str, following: str) -> bool:
    """Whether a full stop behind this text belongs to an abbreviation or an initial."""
    token = _LAST_TOKEN.search(before)
    word = token.group().lstrip("(\"'“‘[") if token else ""
    if word.lower() in _NEVER_LAST or (word.lower() == "no" and following.isdigit()):
        return True
    return word != "I" and bool(_LETTERS.fullmatch(word))
