"""Gives the user's words, whose times may come late, to the turn that they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from processors.turn_record import TurnRecord

Word = tuple[str, float, float]


class UserWords:
    """Keeps the words that come before their turn; leaves out those of a turn that has closed meanwhile."""

    def __init__(self) -> None:
        self._early: list[Word] = []
        self._from = 0.0
        self._ended_at = 0.0

    def add(self, words: Sequence[Word], turn: TurnRecord | None) -> None:
        """Take words: (word, start, end), seconds.

        Args:
            words: In any order.
            turn: The open turn.
        """
        ours = [word for word in words if word[1] >= self._from]
        if turn is None:
            self._early += ours
        else:
            turn.user_words = sorted([*turn.user_words, *ours], key=lambda word: word[1])

    def turn_begins(self, turn: TurnRecord) -> None:
        """Give a turn what was kept for it."""
        turn.user_words, self._early = sorted(self._early, key=lambda word: word[1]), []

    def turn_ended(self, at: float) -> None:
        """The user's turn is over at ``at``; it may still go on."""
        self._ended_at = at

    def turn_closed(self) -> None:
        """The turn takes no more words."""
        self._from = self._ended_at
