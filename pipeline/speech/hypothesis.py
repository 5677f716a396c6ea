"""LocalAgreement-2: the part of a growing hypothesis that will not change any more.

Two consecutive hypotheses over growing audio agree on a prefix; that prefix is stable (Macháček et al. 2023,
"Turning Whisper into Real-Time Transcription System"). The last word is always held back: the audio may end
in the middle of it, and its punctuation depends on what follows. ::

    hypothesis 1   I like win
    hypothesis 2   I like windows      -> stable "I like", unstable "windows"
    hypothesis 3   I like window seats -> stable "I like", unstable "window seats"
    hypothesis 4   I like window seats -> stable "I like window", unstable "seats"
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.speech.units import is_han, split_units, unit_key

# Units at the end of a hypothesis that are never stable. A Chinese word is about two characters.
HELD_BACK_WORDS = 1
HELD_BACK_CHARACTERS = 2


class HypothesisBuffer:
    """Takes hypotheses over the same, growing audio; gives the stable prefix and the rest."""

    def __init__(self) -> None:
        self._stable: list[str] = []
        self._unstable: list[str] = []

    @property
    def stable(self) -> str:
        """Words that will not change, as first agreed on."""
        return "".join(self._stable)

    @property
    def unstable(self) -> str:
        """What the latest hypothesis adds to them."""
        return "".join(self._unstable)

    @property
    def stable_units(self) -> list[str]:
        """The stable prefix in units."""
        return list(self._stable)

    def insert(self, hypothesis: str) -> None:
        """Take in the next hypothesis.

        Args:
            hypothesis: The whole text of the audio so far, leading space included.
        """
        units = split_units(hypothesis)
        rest = units[continuation(self._stable, units) :]
        agreed = _common_prefix(self._unstable, rest)
        commit = max(0, min(agreed, len(rest) - _held_back(rest)))
        self._stable += rest[:commit]
        self._unstable = rest[commit:]

    def accept(self, count: int) -> None:
        """Make the first units of the unstable part stable without waiting for agreement.

        Args:
            count: How many.
        """
        self._stable += self._unstable[:count]
        self._unstable = self._unstable[count:]

    def release(self, count: int) -> str:
        """Let go of the first stable units, whose audio is cut off.

        Args:
            count: How many.

        Returns:
            Their text.
        """
        released = "".join(self._stable[:count])
        self._stable = self._stable[count:]
        return released


def continuation(stable: Sequence[str], units: Sequence[str]) -> int:
    """Where a hypothesis goes on after the stable prefix, though it may word that prefix differently.

    Args:
        stable: Stable units.
        units: Units of a new hypothesis.

    Returns:
        The length of the hypothesis' prefix that is nearest to ``stable`` in edit distance;
        of equally near ones that of the most similar length.
    """
    ours = [unit_key(unit) for unit in stable]
    theirs = [unit_key(unit) for unit in units]
    if theirs[: len(ours)] == ours:
        return len(ours)
    row = list(range(len(theirs) + 1))
    for i, mine in enumerate(ours, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(theirs, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (mine != other))
    return min(range(len(row)), key=lambda k: (row[k], abs(k - len(ours))))


def _common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    count = 0
    for a, b in zip(first, second, strict=False):
        if unit_key(a) != unit_key(b):
            break
        count += 1
    return count


def _held_back(units: Sequence[str]) -> int:
    return HELD_BACK_CHARACTERS if units and is_han(units[-1]) else HELD_BACK_WORDS
