"""Words to compare: lower case without punctuation; a Han character is a token of its own."""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:['’][^\W_{_HAN}]+)*")
_IS_HAN = re.compile(f"[{_HAN}]")


def tokens(text: str) -> list[str]:
    """Split a text into tokens.

    Args:
        text: Anything.

    Returns:
        In order; "It's 10, 好的" gives it's, 10, 好, 的.
    """
    return [found.replace("’", "'") for found in _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())]


def is_han(token: str) -> bool:
    """Whether a token is a Han character."""
    return bool(_IS_HAN.match(token))
