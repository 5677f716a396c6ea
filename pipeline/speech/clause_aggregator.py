"""Pipecat's view of the clause splitter: written text in, clauses to speak out."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pipecat.utils.text.base_text_aggregator import Aggregation, BaseTextAggregator, TextType

from pipeline.speech.clauses import ClauseSplitter
from pipeline.speech.spoken_text import SpokenText
from pipeline.speech.words import has_words, is_han


class ClauseAggregator(BaseTextAggregator):
    """Strips what is not spoken, then cuts clauses; the first one goes out early.

    A clause begins with a space if white space separates it from the one before, so that joining the
    clauses gives the spoken text.
    """

    def __init__(self, first_clause_chars: int = 20) -> None:
        """Make an aggregator for one reply after another.

        Args:
            first_clause_chars: See ``ClauseSplitter``.
        """
        super().__init__(aggregation_type=TextType.SENTENCE)
        self._first_clause_chars = first_clause_chars
        self._begin()

    def _begin(self) -> None:
        self._spoken = SpokenText()
        self._splitter = ClauseSplitter(self._first_clause_chars)
        self._waiting = ""
        self._space = ""

    @property
    def text(self) -> Aggregation:
        """What has come since the last clause, as it was written."""
        return Aggregation(self._waiting, TextType.SENTENCE)

    async def aggregate(self, text: str) -> AsyncIterator[Aggregation]:
        """Take the next piece of the reply.

        Args:
            text: As the model wrote it.

        Yields:
            The clauses that are complete now.
        """
        self._waiting += text
        for clause in self._splitter.feed(self._spoken.feed(text)):
            self._waiting = ""
            yield self._aggregation(clause)

    async def flush(self) -> Aggregation | None:
        """End the reply.

        Returns:
            What had not been given out; None if nothing of it can be spoken.
        """
        rest = "".join([*self._splitter.feed(self._spoken.flush()), self._splitter.flush()])
        aggregation = self._aggregation(rest) if has_words(rest) else None
        self._begin()
        return aggregation

    async def handle_interruption(self) -> None:
        """Forget the reply."""
        self._begin()

    async def reset(self) -> None:
        """Forget the reply."""
        self._begin()

    def _aggregation(self, clause: str) -> Aggregation:
        text = " ".join(clause.split())
        lead = " " if (self._space or clause[0].isspace()) and not is_han(text[0]) else ""
        self._space = " " if clause[-1].isspace() else ""
        return Aggregation(lead + text, TextType.SENTENCE)
