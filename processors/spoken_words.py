"""Words as they are spoken and counted: joining them, and splitting a reply at what was heard."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN_OR_PUNCTUATION = re.compile(rf"[{_HAN}\u3000-\u303f\uff00-\uffef]")
_UNIT = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")
_QUESTION = re.compile(r"(?:[?？]|[吗嗎呢][。.!！]?)[\s\"'”’)）」』]*$")
_TRAILING_OFF = re.compile(r"\s*(?:\.{2,}|…+|[-–—]+)$")
_FULL_STOP = re.compile(r"[a-z]{2}\.$")
_GOES_ON = re.compile(r"[a-z]")
_SPACES = re.compile(r"\s+")


def join_words(words: list[str]) -> str:
    """Join words with a space, except next to a Han character or full-width punctuation.

    Args:
        words: In the order they were spoken.

    Returns:
        The text as it would be written.
    """
    text = ""
    for word in words:
        if not word:
            continue
        if text and not (_HAN_OR_PUNCTUATION.match(text[-1]) or _HAN_OR_PUNCTUATION.match(word[0])):
            text += " "
        text += word
    return text


def join_speech(parts: Sequence[str]) -> str:
    """Join transcripts of one turn that pauses divide.

    A recogniser ends every stretch of speech as if it were a sentence: dots before a pause go, and so does a full
    stop behind which the sentence goes on in lower case.

    Args:
        parts: In the order they were spoken.
    """
    text = ""
    for part in map(str.strip, parts):
        if text and part:
            text = _TRAILING_OFF.sub("", text) or text
            if _GOES_ON.match(part) and _FULL_STOP.search(text):
                text = text[:-1]
        text = join_words([text, part])
    return text


def rest_of_reply(reply: str, heard: str) -> str:
    """Give what of ``reply`` comes after ``heard``, which is a prefix of it up to white space.

    Args:
        reply: The whole reply.
        heard: Its beginning, as it reached the user.

    Returns:
        The rest, without leading space; empty if ``heard`` covers it. If ``heard`` is not a
        prefix, the whole reply counts as unheard except for as many characters as were heard.
    """
    wanted = len(_SPACES.sub("", heard))
    seen = 0
    for index, character in enumerate(reply):
        if seen >= wanted and not character.isspace():
            return reply[index:]
        if not character.isspace():
            seen += 1
    return ""


def first_words(text: str, count: int) -> str:
    """Give the beginning of a text.

    Args:
        text: Any.
        count: Words; two Han characters, with what is written between them, count as one.
    """
    left = 2 * count
    for unit in _UNIT.finditer(text):
        left -= 1 if len(unit.group()) == 1 and _HAN_OR_PUNCTUATION.match(unit.group()) else 2
        if left < 0:
            return text[: unit.start()].rstrip()
    return text


def ends_in_question(text: str) -> bool:
    """Whether the last thing in a text is a question."""
    return _QUESTION.search(text) is not None
