"""Keeps a reasoning model's thoughts from being spoken: drops ``<think>…</think>`` from streamed text."""

from __future__ import annotations

_OPEN = "<think>"
_CLOSE = "</think>"


class ThoughtFilter:
    """Filters one answer as it arrives, in pieces of any size."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, text: str) -> str:
        """Take a piece.

        Args:
            text: The next piece of the answer.

        Returns:
            What may be spoken of what has arrived so far; white space in front of the answer is dropped.
        """
        self._held += text
        spoken = ""
        while self._held:
            tag = _CLOSE if self._thinking else _OPEN
            at = self._held.find(tag)
            if at < 0:
                keep = _tag_begins(self._held, tag)
                if not self._thinking:
                    spoken += self._held[: len(self._held) - keep]
                self._held = self._held[len(self._held) - keep :]
                break
            if not self._thinking:
                spoken += self._held[:at]
            self._held = self._held[at + len(tag) :]
            self._thinking = not self._thinking
        return self._from_first_word(spoken)

    def end(self) -> str:
        """The answer is over: what was held back because it might have become a tag."""
        rest = "" if self._thinking else self._held
        self._held = ""
        return self._from_first_word(rest)

    def _from_first_word(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def _tag_begins(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the beginning of the tag."""
    for size in range(min(len(tag) - 1, len(text)), 0, -1):
        if tag.startswith(text[-size:]):
            return size
    return 0
