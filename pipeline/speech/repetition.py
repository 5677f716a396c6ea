"""Notices a small model that has begun to go round in circles."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\w'’]+")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]")


class RepetitionGuard:
    """Reads an answer as it is written.

    An answer goes in circles when three words in a row have come three times, or a sentence has come twice.
    """

    def __init__(self) -> None:
        self._text = ""

    def feed(self, text: str) -> bool:
        """Take the next piece of the answer; True when it should be stopped."""
        self._text += text
        words = [word.lower() for word in _WORD.findall(self._text)]
        triples = [tuple(words[at : at + 3]) for at in range(len(words) - 2)]
        if triples and triples.count(triples[-1]) >= 3:
            return True
        sentences = [" ".join(part.lower().split()) for part in _SENTENCE.findall(self._text)]
        return len(sentences) != len(set(sentences))
