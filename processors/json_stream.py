"""Reads JSON that is still being written, one character at a time, and does not mind if it is not quite JSON.

Valid JSON is read as it is meant. Beyond that: single or curly quotes, keys without quotes, a missing or
surplus comma, a quote inside a text, raw line breaks, broken escapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from processors.json_string import StringReader

# Opening quote -> what closes it.
QUOTES = {'"': '"', "'": "'", "“": "”“", "”": "”“"}
COLONS = ":：="
_COMMAS = ",;，"
_KEY = re.compile(r"[\"'“”]?\w{0,40}[\"'“”]?\s*")
# Characters that may be looked at before a decision.
_LOOK_AHEAD = 80
# A longer key, or a longer text without quotes, is read no further.
_MAX_KEY = 200
_MAX_BARE = 4000


def key_begins(text: str) -> bool | None:
    """Whether a text begins with a key and its colon; None if the next characters decide."""
    found = _KEY.match(text)
    assert found is not None
    after = text[found.end() :]
    if after:
        return after[0] in COLONS and bool(found.group().strip())
    return None if len(text) < _LOOK_AHEAD else False


def object_begins(text: str) -> bool | None:
    """Whether a text that begins with a brace, or with the fence of a code block, begins an object.

    Returns:
        None if the next characters decide.
    """
    if len(text) > _LOOK_AHEAD:
        return False
    rest = text.lstrip("`")
    ticks = len(text) - len(rest)
    if ticks:
        if rest and ticks < 3:
            return False
        rest = re.sub(r"\A\w{0,12}\s*", "", rest)
    if not rest:
        return None
    if rest[0] != "{":
        return False
    inside = rest[1:].lstrip()
    if not inside:
        return None
    return inside[0] in QUOTES or inside[0] == "}" or key_begins(inside)


class ObjectReader:
    """Reads one object from behind its opening brace, and streams the string that stands under one key.

    Attributes:
        is_found: Whether the streamed string has begun.
        is_written: Whether its closing quote was read.
        is_ended: Whether the object was closed.
        texts: What stands under the other keys, as text: strings as far as they were read, and bare words.
    """

    def __init__(self, streamed_key: str) -> None:
        """Begin an object.

        Args:
            streamed_key: The key.
        """
        self._streamed_key = streamed_key
        self._state: Callable[[str], str] = self._before_key
        self._string = StringReader("")
        self._key = ""
        self._streams = False
        self._text: list[str] = []  # of a string that is not streamed
        self._bare = ""  # of a value without quotes
        self._tail = ""  # a quote or comma that may end a value, and what follows
        self._depth = 0
        self._nested_quote = False
        self._nested_escape = False
        self.is_found = False
        self.is_written = False
        self.is_ended = False
        self.texts: dict[str, str] = {}

    def feed(self, character: str) -> str:
        """Take a character.

        Returns:
            What is known more of the streamed string.
        """
        return self._state(character)

    def finish(self) -> str:
        """End where the text ends.

        Returns:
            The rest of the streamed string.
        """
        if self._state in (self._in_bare, self._behind_comma):
            self._keep(self._bare)
        if self._state not in (self._in_string, self._behind_quote):
            return ""
        rest = self._gain(self._string.flush())
        self._keep_text()
        return rest

    # Between and in keys

    def _before_key(self, character: str) -> str:
        if character == "}":
            self.is_ended = True
        elif character in QUOTES:
            self._key = ""
            self._string = StringReader(QUOTES[character])
            self._state = self._in_key
        elif character.isalnum() or character == "_":
            self._key = character
            self._state = self._in_bare_key
        return ""

    def _in_key(self, character: str) -> str:
        self._key = (self._key + self._string.feed(character))[:_MAX_KEY]
        if self._string.is_closed:
            self._state = self._before_colon
        return ""

    def _in_bare_key(self, character: str) -> str:
        if character.isspace() or character in COLONS + "}":
            self._state = self._before_colon
            return self.feed(character)
        self._key = (self._key + character)[:_MAX_KEY]
        return ""

    def _before_colon(self, character: str) -> str:
        if character in COLONS:
            self._state = self._before_value
        elif character == "}" or character in _COMMAS:
            self.texts.setdefault("", self._key)  # a text where a key should be
            return self._end_value(character)
        return ""

    # In values

    def _before_value(self, character: str) -> str:
        if character.isspace():
            return ""
        if character == "}" or character in _COMMAS:
            return self._end_value(character)
        if character in QUOTES:
            self._string = StringReader(QUOTES[character])
            self._text = []
            self._streams = self._key == self._streamed_key and not self.is_found
            self.is_found = self.is_found or self._streams
            self._state = self._in_string
        elif character in "{[":
            self._depth = 1
            self._state = self._in_nested
        else:
            self._bare = character
            self._state = self._in_bare
        return ""

    def _in_string(self, character: str) -> str:
        gained = self._gain(self._string.feed(character))
        if self._string.is_closed:
            self._tail = character
            self.is_written = self.is_written or self._streams
            self._state = self._behind_quote
        return gained

    def _behind_quote(self, character: str) -> str:
        """Does the quote close the string, or is it one that should have been escaped?"""
        self._tail += character
        closes = _value_ends(self._tail[1:])
        if closes is None:
            return ""
        quote, following = self._tail[0], self._tail[1:]
        self._tail = ""
        if closes:
            self._keep_text()
            self._state, gained = self._before_key, ""
        else:
            self._string.reopen()
            self._state, gained = self._in_string, self._gain(quote)
        return gained + "".join([self.feed(waiting) for waiting in following])

    def _in_bare(self, character: str) -> str:
        if character in "}]\n":
            self._keep(self._bare)
            return self._end_value(character)
        if character in _COMMAS:
            self._tail = character
            self._state = self._behind_comma
        else:
            self._bare = (self._bare + character)[:_MAX_BARE]
        return ""

    def _behind_comma(self, character: str) -> str:
        """Does the comma end the value, or is it one of a text without quotes?"""
        self._tail += character
        closes = _value_ends(self._tail)
        if closes is None:
            return ""
        comma, following = self._tail[0], self._tail[1:]
        self._tail = ""
        if closes:
            self._keep(self._bare)
            self._state = self._before_key
        else:
            self._bare += comma
            self._state = self._in_bare
        return "".join([self.feed(waiting) for waiting in following])

    def _in_nested(self, character: str) -> str:
        if self._nested_escape:
            self._nested_escape = False
        elif self._nested_quote:
            self._nested_escape = character == "\\"
            self._nested_quote = character != '"'
        elif character == '"':
            self._nested_quote = True
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
            if self._depth == 0:
                self._state = self._before_key
        return ""

    def _end_value(self, character: str) -> str:
        self._state = self._before_key
        return self.feed(character)

    def _keep_text(self) -> None:
        if not self._streams:
            self._keep("".join(self._text))

    def _keep(self, text: str) -> None:
        self.texts.setdefault(self._key, text.strip())

    def _gain(self, text: str) -> str:
        if self._streams:
            return text
        self._text.append(text)
        return ""


def _value_ends(following: str) -> bool | None:
    """Whether what follows shows that a value has ended; None if the next characters decide."""
    rest = following.lstrip()
    undecided = None if len(following) < _LOOK_AHEAD else True
    if not rest:
        return undecided
    if rest[0] in "}]`":
        return True
    if rest[0] in QUOTES:  # a comma is missing, if this is a key
        return key_begins(rest)
    if rest[0] not in _COMMAS:
        return False
    behind = rest[1:].lstrip()
    if not behind:
        return undecided
    return behind[0] in QUOTES or behind[0] in "}]" or key_begins(behind)
