"""What of a reply reached the user's ears."""

from __future__ import annotations


def split_heard(reply: str, heard: str) -> tuple[str, str] | None:
    """Divide a reply behind the words that were heard.

    Spaces, punctuation and capitals do not count: what was heard is put together from single words.

    Args:
        reply: The whole reply.
        heard: The words that were heard.

    Returns:
        The heard and the unheard part of ``reply``, or None if ``heard`` is not its beginning.
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
    while end < len(reply) and not reply[end].isalnum() and not reply[end].isspace():
        end += 1
    return reply[:end], reply[end:]
