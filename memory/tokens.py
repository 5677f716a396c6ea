"""How many tokens a text is likely to take, without a tokenizer."""

from __future__ import annotations

import math
import re

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")

# English prose takes about 4 characters per token with the byte-pair vocabularies in use; the
# reserve covers names, digits and markup.
_CHARS_PER_TOKEN = 3.6


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per Han, kana or hangul character, one per 3.6 others."""
    wide = len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / _CHARS_PER_TOKEN)
