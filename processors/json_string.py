"""Decodes one JSON string as it arrives, character by character."""

from __future__ import annotations

_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = "0123456789abcdefABCDEF"
_REPLACEMENT = "\ufffd"


class StringReader:
    """Decodes one string, from behind its opening quote.

    Attributes:
        is_closed: Whether the closing quote was read.
    """

    def __init__(self, closing: str) -> None:
        """Begin a string.

        Args:
            closing: The characters that close it.
        """
        self._closing = closing
        self._escape: str | None = None  # what was read behind a backslash
        self._high: int | None = None  # first half of a surrogate pair
        self.is_closed = False

    def feed(self, character: str) -> str:
        """Take a character.

        Returns:
            What the string holds more now; half a surrogate pair becomes U+FFFD.
        """
        if self._escape is not None:
            return self._escaped(character, self._escape)
        if character == "\\":
            self._escape = ""
            return ""
        if character in self._closing:
            self.is_closed = True
            return self.flush()
        return self.flush() + (_REPLACEMENT if "\ud800" <= character <= "\udfff" else character)

    def reopen(self) -> None:
        """Go on: the quote that closed the string belonged to its text."""
        self.is_closed = False

    def flush(self) -> str:
        """Give what was waiting for the second half of a surrogate pair."""
        waiting, self._high = self._high, None
        return "" if waiting is None else _REPLACEMENT

    def _escaped(self, character: str, escape: str) -> str:
        self._escape = None
        if not escape and character == "u":
            self._escape = "u"
            return ""
        if not escape:
            return self.flush() + _ESCAPES.get(character, character)
        if character not in _HEX:
            return self.flush() + self.feed(character)
        digits = escape[1:] + character
        if len(digits) == 4:
            return self._code_unit(int(digits, 16))
        self._escape = f"u{digits}"
        return ""

    def _code_unit(self, unit: int) -> str:
        if self._high is not None and 0xDC00 <= unit <= 0xDFFF:
            high, self._high = self._high, None
            return chr(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00))
        lone = self.flush()
        if 0xD800 <= unit <= 0xDBFF:
            self._high = unit
            return lone
        return lone + (_REPLACEMENT if 0xDC00 <= unit <= 0xDFFF else chr(unit))
