"""What of a reply reached the user's ears."""

from __future__ import annotations

_FIRST_CJK = 0x2E80


def split_heard(reply: str, heard: str) -> tuple[str, str] | None:
    """Divide a reply behind the words that were heard.

    Spaces, punctuation and capitals do not count: what was heard is put together from single words.

    Args:
        reply: The whole reply.
        heard: The words that were heard.

    Returns:
        The heard and the unheard part of ``reply``, or None if ``heard`` is not its beginning, or ends inside a word.
    """
    sounds = [sound for character in heard if character.isalnum() for sound in character.casefold()]
    position = end = 0
    while position < len(sounds):
        while end < len(reply) and not reply[end].isalnum():
            end += 1
        if end == len(reply):
            return None
        folded = list(reply[end].casefold())
        if sounds[position : position + len(folded)] != folded:
            return None
        position += len(folded)
        end += 1
    if not sounds:
        return "", reply
    if _is_inside_word(reply, end):
        return None
    while end < len(reply) and not reply[end].isalnum() and not reply[end].isspace():
        end += 1
    return reply[:end], reply[end:]


def _is_inside_word(line: str, position: int) -> bool:
    """Whether letters of one word stand on both sides; scripts without spaces have no inside."""
    around = line[position - 1 : position + 1]
    return len(around) == 2 and all(letter.isalnum() and ord(letter) < _FIRST_CJK for letter in around)
