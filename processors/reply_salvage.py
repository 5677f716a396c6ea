"""Finds something to say in an answer that does not have the format that was asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

# Keys under which models put what they say, likeliest first.
_ALIASES = (
    "reply",
    "response",
    "answer",
    "text",
    "message",
    "content",
    "say",
    "speech",
    "spoken",
    "output",
    "utterance",
    "assistant",
    "agent",
    "回复",
    "回答",
    "答复",
)
# Keys whose values are about the state: never said.
_SILENT = frozenset(
    "state_update update state task topic status result facts pending steps preference subject history_summary".split()
)
_NOT_SAID = frozenset(("null", "none", "true", "false", "undefined", "nan", ""))
_MAX_DEPTH = 4


def has_words(text: str) -> bool:
    """Whether anything in the text can be said: a letter or a digit."""
    return any(character.isalnum() for character in text)


def salvage(raw: str, texts: Mapping[str, str], prose: str) -> str:
    """Find what may be said of an answer that holds an object.

    Args:
        raw: The answer.
        texts: What was read under the keys of its objects.
        prose: What stands outside of them.

    Returns:
        Without white space around it; empty if there is nothing.
    """
    # What announces the JSON is not said.
    beside = "" if "json" in prose.casefold() else prose
    choices = (_decoded(raw), _under_alias(texts), beside, _longest(texts))
    return _first(map(str.strip, choices))


def say_plainly(answer: str) -> str:
    """What is said of an answer without any object: the text itself, the words of a list or of a string in JSON."""
    try:
        return _words(json.loads(answer, strict=False), _MAX_DEPTH)
    except (ValueError, RecursionError):
        return answer


def _decoded(raw: str) -> str:
    """The reply in the first object of the text, however deep."""
    value: object = None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(raw, max(raw.find("{"), 0))
    except (ValueError, RecursionError):
        return ""
    return _reply_in(value, _MAX_DEPTH)


def _reply_in(value: object, depth: int) -> str:
    if isinstance(value, list):
        return _words(value, depth)
    if not isinstance(value, dict) or depth == 0:
        return ""
    entries = {_key(key): entry for key, entry in value.items()}
    by_alias = (_words(entries[alias], depth - 1) for alias in _ALIASES if alias in entries)
    nested = (
        _reply_in(entry, depth - 1)
        for key, entry in entries.items()
        if isinstance(entry, dict | list) and key not in _SILENT
    )
    return _first(by_alias) or _first(nested)


def _words(value: object, depth: int) -> str:
    """A value as it can be said."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(filter(has_words, (_words(entry, depth - 1) for entry in value))) if depth > 0 else ""
    if isinstance(value, dict):
        return _reply_in(value, depth)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return str(value) if is_number else ""


def _under_alias(texts: Mapping[str, str]) -> str:
    said = {_key(key): text for key, text in texts.items() if _key(text) not in _NOT_SAID}
    return _first(said[alias] for alias in _ALIASES if alias in said)


def _longest(texts: Mapping[str, str]) -> str:
    said = (text for key, text in texts.items() if _key(key) not in _SILENT and _key(text) not in _NOT_SAID)
    return max(said, key=len, default="")


def _first(texts: Iterator[str]) -> str:
    return next(filter(has_words, texts), "")


def _key(text: str) -> str:
    return text.strip().casefold()
