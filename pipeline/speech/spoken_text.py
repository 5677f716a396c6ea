"""What of a written reply is spoken: no markdown, no links, no emoji.

The text that comes out defines the words of a reply: what was heard is a prefix of them. It may arrive in
pieces; a construct that is not complete yet waits, and where the pieces are cut changes nothing.
"""

from __future__ import annotations

import re
import unicodedata

from pipeline.speech.words import split_words

_WAIT = -1  # the next characters decide
_NEVER = -2

_LONGEST_TEXT = 300
_LONGEST_ADDRESS = 2000

_MARKER = re.compile(r"(?:#{1,6}|[-*+•–]|(?P<number>\d{1,3})[.)])[ \t]+(?=\S)(?:\[[ xX]\][ \t]+)?|>[ \t]*")
_MARKER_BEGUN = re.compile(r"(?:#{1,6}|[-*+•–]|\d{1,3}[.)]?)?[ \t]*\Z|[-*+•–][ \t]+\[[ xX]?\]?[ \t]*\Z")
_RULE = re.compile(r"(?:[-*_=][ \t]*){3,}(?=\n|\Z)|[|:\-][|:\- \t]*-[|:\- \t]*\|[|:\- \t]*(?=\n|\Z)")
_RULE_BEGUN = re.compile(r"(?:[-*_= \t]+|[|:\- \t]+)\Z")
_FOOTNOTE = re.compile(r"\^?\d{1,3}")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")
_TAG_BEGUN = re.compile(r"<(?:/?(?:[A-Za-z][^<>\n]{0,300})?)?\Z")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"\u3000-\u9fff\uff00-\uffef]*", re.IGNORECASE)
_ADDRESS_TAIL = re.compile(r"[.,;:!?)\]}'*_~]+\Z")
_ADDRESS_PREFIXES = ("http://", "https://", "www.")
_EMOTICON = re.compile(r"[:;]-?[()](?![\w(])")
_EMOTICON_BEGUN = re.compile(r"[:;]-?[()]?\Z")
_KEPT_SYMBOLS = "°℃℉№"
_ARROWS = re.compile(r"[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f]")


class SpokenText:
    """Takes the written text in pieces, gives back what is spoken of it."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._raw = ""  # not decided yet
        self._previous = ""  # the character before it
        self._line_start = True
        self._fence = ""  # what closes the code block we are in
        self._begun = False  # whether anything was given out
        self._gap = ""  # white space that waits for a character behind it

    def feed(self, text: str) -> str:
        """Take the next piece.

        Args:
            text: As it arrives; any length.

        Returns:
            What can be spoken now.
        """
        self._raw += text
        return self._drain(final=False)

    def flush(self) -> str:
        """End the text; the object is as new afterwards.

        Returns:
            The rest of what is spoken.
        """
        rest = self._drain(final=True)
        self._begin()
        return rest

    def _drain(self, *, final: bool) -> str:
        spoken = ""
        while self._raw:
            taken, text = self._step(final)
            if taken == _WAIT:
                break
            self._previous = self._raw[taken - 1]
            self._raw = self._raw[taken:]
            for character in text:
                spoken += self._spaced(character)
        return spoken

    def _spaced(self, character: str) -> str:
        """Collapse white space; it is given out with the character behind it."""
        if character.isspace():
            if self._begun and self._gap != "\n":
                self._gap = "\n" if character == "\n" else " "
            return ""
        gap, self._gap, self._begun = self._gap, "", True
        return gap + character

    def _step(self, final: bool) -> tuple[int, str]:
        """Decide about the beginning of what waits: how much of it is taken, and what is said for it."""
        if self._fence:
            return self._in_fence(final)
        if self._line_start:
            decided = self._at_line_start(final)
            if decided is not None:
                return decided
        first = self._raw[0]
        if first == "\n":
            self._line_start = True
            return 1, "\n"
        if first in "`~":
            return self._ticks(final)
        if first in "*_":
            return self._emphasis(final)
        if first in "![":
            return self._link(final)
        if first == "<":
            return self._tag(final)
        if first == "\\":
            return self._escape(final)
        if first in ":;" and (not self._previous or self._previous.isspace()):
            return self._emoticon(final)
        if first in "hHwW" and not (self._previous.isascii() and self._previous.isalnum()):
            return self._address(final)
        return 1, _spoken_character(first)

    def _at_line_start(self, final: bool) -> tuple[int, str] | None:
        """Headings, bullets, numbers of a list, quotes, rules; None if the line just begins."""
        if self._raw[0] in " \t":
            return 1, " "
        if not final and (_MARKER_BEGUN.match(self._raw) or _RULE_BEGUN.match(self._raw)):
            return _WAIT, ""
        rule = _RULE.match(self._raw)
        if rule:
            self._line_start = False
            return rule.end(), ""
        marker = _MARKER.match(self._raw)
        # "10. That is all." may answer a question; a list begins with 1.
        if marker and (self._begun or marker["number"] in (None, "1")):
            return marker.end(), ""
        self._line_start = False
        return None

    def _in_fence(self, final: bool) -> tuple[int, str]:
        end = self._raw.find(self._fence)
        if end < 0:
            return (len(self._raw), "") if final else (_WAIT, "")
        taken = end + len(self._fence)
        self._fence = ""
        return taken, "\n"

    def _ticks(self, final: bool) -> tuple[int, str]:
        """Backticks and tildes: three open a block of code, fewer are dropped."""
        tick = self._raw[0]
        run = len(self._raw) - len(self._raw.lstrip(tick))
        if run < 3 and run == len(self._raw) and not final:
            return _WAIT, ""
        if run >= 3:
            self._fence = tick * 3
            return 3, "\n"
        return run, ""

    def _emphasis(self, final: bool) -> tuple[int, str]:
        mark = self._raw[0]
        run = len(self._raw) - len(self._raw.lstrip(mark))
        if run == len(self._raw) and not final:
            return _WAIT, ""
        before, after = self._previous, self._raw[run : run + 1]
        between_words = before.isalnum() and after.isalnum()
        if mark == "_":
            return run, " " if between_words else ""
        numbers = before.isdigit() and after.isdigit()
        apart = before.isspace() and after.isspace()
        return run, "*" if run == 1 and (numbers or apart) else ""

    def _link(self, final: bool) -> tuple[int, str]:
        """Links and images keep their text, footnote numbers go, other brackets keep what they hold."""
        if self._raw == "!" and not final:
            return _WAIT, ""
        if self._raw[0] == "!" and self._raw[1:2] != "[":
            return 1, "!"
        opened = self._raw.index("[")
        closed = _closing(self._raw, opened, "[]", _LONGEST_TEXT)
        if closed == _WAIT and not final:
            return _WAIT, ""
        if closed in (_WAIT, _NEVER):
            return 1, "!" if opened else ""
        if closed + 1 == len(self._raw) and not final:
            return _WAIT, ""
        inside = self._raw[opened + 1 : closed]
        text = "" if _FOOTNOTE.fullmatch(inside) else spoken_text(inside)
        brackets = {"(": "()", "[": "[]"}.get(self._raw[closed + 1 : closed + 2])
        target = _closing(self._raw, closed + 1, brackets, _LONGEST_ADDRESS) if brackets else _NEVER
        if target == _WAIT and not final:
            return _WAIT, ""
        return (closed if target in (_WAIT, _NEVER) else target) + 1, text

    def _tag(self, final: bool) -> tuple[int, str]:
        if not final and _TAG_BEGUN.match(self._raw):
            return _WAIT, ""
        tag = _TAG.match(self._raw)
        if tag is None:
            return 1, "<"
        return tag.end(), " " if tag.group().lower().startswith(("<br", "<p", "</p", "<li", "</li")) else ""

    def _escape(self, final: bool) -> tuple[int, str]:
        if len(self._raw) == 1:
            return (1, "") if final else (_WAIT, "")
        following = self._raw[1]
        return (1, "") if following.isalnum() or following.isspace() else (2, following)

    def _emoticon(self, final: bool) -> tuple[int, str]:
        if not final and _EMOTICON_BEGUN.match(self._raw):
            return _WAIT, ""
        emoticon = _EMOTICON.match(self._raw)
        return (emoticon.end(), "") if emoticon else (1, self._raw[0])

    def _address(self, final: bool) -> tuple[int, str]:
        """A web address is left out, the punctuation behind it stays."""
        if not final and _begins(self._raw.lower(), _ADDRESS_PREFIXES):
            return _WAIT, ""
        address = _ADDRESS.match(self._raw)
        if address is None:
            return 1, self._raw[0]
        if address.end() == len(self._raw) and not final:
            return _WAIT, ""
        tail = _ADDRESS_TAIL.search(address.group())
        return (tail.start() if tail else address.end()), ""


def spoken_text(text: str) -> str:
    """Give what of a whole written text is spoken.

    Args:
        text: A reply as the model wrote it.

    Returns:
        Plain text; single spaces, a newline where a line ended, no white space at its ends.
    """
    stream = SpokenText()
    return stream.feed(text) + stream.flush()


def reply_words(text: str) -> list[str]:
    """The words of a written reply, as they would be heard.

    Args:
        text: A reply as the model wrote it.
    """
    return [word.text for word in split_words(spoken_text(text))]


def _closing(text: str, opened: int, brackets: str, longest: int) -> int:
    """Where the bracket at ``opened`` closes, on the same line; ``_WAIT`` if not yet, ``_NEVER`` if not at all."""
    depth = 0
    for position in range(opened, min(len(text), opened + longest)):
        character = text[position]
        if character == "\n":
            return _NEVER
        depth += (character == brackets[0]) - (character == brackets[1])
        if depth == 0:
            return position
    return _NEVER if len(text) >= opened + longest else _WAIT


def _begins(text: str, wholes: tuple[str, ...]) -> bool:
    """Whether the text is the beginning of one of the wholes, but not the whole."""
    return any(len(text) < len(whole) and whole.startswith(text) for whole in wholes)


def _spoken_character(character: str) -> str:
    if character.isspace() or character == "|" or _ARROWS.match(character):
        return " "
    category = unicodedata.category(character)
    if category in ("So", "Sk", "Cf", "Cc", "Cs", "Co", "Cn", "Me") and character not in _KEPT_SYMBOLS:
        return ""
    return "" if character in "\ufe0e\ufe0f" else character
