"""The text of one reply: what the model has written of it, and what of that was heard."""

from __future__ import annotations

from collections.abc import Callable

from processors.spoken_words import ends_in_question, first_words, join_words, rest_of_reply

# So many words of a reply may be on their way to the loudspeaker before the first of them counts as heard.
WORDS_UNDER_WAY = 4


class ReplyText:
    """Grows at both ends while the reply is written and heard.

    Attributes:
        heard: The words that were played.
        is_written: Whether the model has written all that is spoken, although its answer may go on.
        is_estimated: Whether the voice gave no times of its words, so that ``heard`` follows from durations.
    """

    def __init__(self, spoken_form: Callable[[str], str]) -> None:
        """Begin with an empty reply.

        Args:
            spoken_form: Turns the model's text into the text that is spoken (no markdown).
        """
        self._spoken_form = spoken_form
        self._written = ""
        self._played: list[tuple[float, str]] = []
        self.heard = ""
        self.is_written = False
        self.is_estimated = False

    @property
    def has_words(self) -> bool:
        """Whether anything was written."""
        return bool(self._written.strip())

    @property
    def spoken(self) -> str:
        """All that was written, as it is spoken."""
        return self._spoken_form(self._written)

    @property
    def unheard(self) -> str:
        """What was written and not heard yet."""
        return rest_of_reply(self.spoken, self.heard)

    @property
    def around_now(self) -> str:
        """What was heard, with the words that come next: all that a microphone may pick up."""
        return f"{self.heard} {first_words(self.unheard, WORDS_UNDER_WAY)}"

    @property
    def asks(self) -> bool:
        """Whether a question was just asked, or its last words are said."""
        unheard = self.unheard
        nearly_asked = ends_in_question(unheard) and first_words(unheard, WORDS_UNDER_WAY) == unheard
        return ends_in_question(self.heard) or nearly_asked

    def write(self, text: str) -> None:
        """The model writes more of it."""
        self._written += text

    def write_apart(self, text: str) -> None:
        """The model goes on after a break, with a word of its own."""
        before = self._written.rstrip()
        self._written = before + join_words([before, text])[len(before) :]

    def in_the_air(self, since: float, late: float, until: float) -> tuple[str, str]:
        """What a microphone may pick up: words that were played, and those under way.

        Args:
            since: Words that had ended before are left out, seconds.
            late: Words that had ended before are given apart.
            until: Words that had not begun by then are left out.

        Returns:
            Words that ended before ``late``, and the others.
        """
        past = latest = ""
        begun = 0.0
        for end, written in self._played:
            if since <= end < late:
                past += written
            elif end >= late and begun <= until:
                latest += written
            begun = end
        under_way = first_words(self.unheard, WORDS_UNDER_WAY) if begun <= until else ""
        return past.strip(), f"{latest} {under_way}".strip()

    def hear(self, at: float, word: str, written: str | None, *, is_exact: bool) -> None:
        """A word was played to its end.

        Args:
            at: When, seconds.
            word: The word.
            written: The word with the space that stands before it, where that is known.
            is_exact: Whether the voice knows when it says the word.
        """
        spaced = join_words([self.heard, word])[len(self.heard) :] if written is None else written
        self.heard = (self.heard + spaced).lstrip()
        self._played.append((at, spaced))
        self.is_estimated = self.is_estimated or not is_exact
