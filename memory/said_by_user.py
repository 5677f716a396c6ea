"""What of a proposed update only repeats the user's own words: all that counts when a reply was cut.

    user       "a table for four, under the name of Lee"
    proposed   {"task": "book a table", "facts": {"people": "four", "name": "Lee", "code": "T2093"}, "status": …}
    counts     {"facts": {"people": "four", "name": "Lee"}}

A task, a status, steps, results and what is still to do say what the agent means to do or promises; the user did not
hear it to the end, so it did not happen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_FIELDS = ("facts", "preference")
_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
# A value of these alone says yes to something that the agent asked or claims, whatever the key says.
_ASSENT = frozenset("yes no true false ok okay done confirmed booked sent paid 是 好 对 的 行 可 以 不".split())


def as_far_as_said(update: Mapping[str, Any], user_text: str) -> dict[str, Any]:
    """Keep the facts and preferences whose value the user said, word for word.

    Args:
        update: A model's ``state_update``, as it was decoded.
        user_text: The user's words of the turn.

    Returns:
        An update of the same shape; empty if nothing is left.
    """
    said = _spaced(user_text)
    kept: dict[str, Any] = {}
    for field in _FIELDS:
        entries = update.get(field)
        if not isinstance(entries, Mapping):
            continue
        found = {key: value for key, value in entries.items() if _is_said(value, said)}
        if found:
            kept[field] = found
    return kept


def _is_said(value: object, said: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    wanted = _spaced(str(value))
    return wanted in said and not set(wanted.split()) <= _ASSENT


def _spaced(text: str) -> str:
    """Tokens with a space around each: a part of it is a run of whole words."""
    return " ".join(["", *_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()), ""])
