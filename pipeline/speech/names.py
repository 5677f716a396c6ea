"""Finds where a text sounds like a name that is known, and puts the name there when nothing else can be meant.

The best place for every name is found by approximate matching (Sellers 1980): edit distance in which the name may
begin before and end after any word of the text. All names are matched at once, a row of the table per sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pipeline.speech.sounds import SoundingWord, Sounds, extra_cost, is_han

Array = np.ndarray[Any, np.dtype[np.float64]]

# A name may be meant by words that differ from it by this share of its sounds; by less, if all are ordinary words.
# On 400 turns of everyday English half then sound like one of 30 rare names, and 0.8 of rare names misheard do.
SIMILAR = 0.5
SIMILAR_ORDINARY = 0.3
# Words that differ by no more, and are no ordinary words, are the name misspelt: 5 false ones in 68,000 words.
MISSPELT = 0.25
MISSPELT_HAN = 0.12
# Parts of a name that are worth listening for on their own.
SHORTEST_PART = 4
# Sounds of a name; fewer are in every sentence.
FEWEST_SOUNDS = 3
MOST_NAMES = 200


@dataclass(frozen=True)
class Likeness:
    """Where a text sounds like a name.

    Attributes:
        name: The name, or a part of it.
        start: First character of the words.
        end: One past the last.
        distance: Share of the name's sounds that differ.
    """

    name: str
    start: int
    end: int
    distance: float


class NameIndex:
    """A person's names by their sound."""

    def __init__(self, names: Iterable[str], sounds: Sounds, is_ordinary: Callable[[str], bool]) -> None:
        """Learn the names.

        Args:
            names: The more important first; beyond ``MOST_NAMES`` they are left out.
            sounds: Says how they sound.
            is_ordinary: Whether a Latin word is so common that it is likely meant as it stands.
        """
        self._sounds = sounds
        self._is_ordinary = is_ordinary
        heard = ((form, [s for word in sounds.words(form) for s in word.sounds]) for form in _forms(names))
        known = [(form, line) for form, line in heard if len(line) >= FEWEST_SOUNDS][:MOST_NAMES]
        self.names: list[str] = [form for form, _ in known]
        self._lines = [line for _, line in known]

    def likenesses(self, text: str) -> list[Likeness]:
        """Where the text sounds like names that it does not hold.

        Args:
            text: What a recogniser wrote.

        Returns:
            At most one place for each name, the nearest first.
        """
        words = self._sounds.words(text)
        lowered = text.casefold()
        unwritten = [i for i, name in enumerate(self.names) if name.casefold() not in lowered]
        if not words or not unwritten:
            return []
        found = _match([self._lines[i] for i in unwritten], words, self._sounds.cost)
        places = [
            Likeness(self.names[i], words[first].start, words[last].end, distance)
            for i, (first, last, distance) in zip(unwritten, found, strict=True)
        ]
        near = [place for place in places if place.distance <= self._limit(text[place.start : place.end])]
        return sorted(near, key=lambda place: (place.distance, place.start))

    def misspelt(self, text: str, likenesses: Sequence[Likeness]) -> list[Likeness]:
        """The places where nothing but a name can be meant.

        Args:
            text: What a recogniser wrote.
            likenesses: From ``likenesses``.

        Returns:
            Places that do not overlap, in order.
        """
        chosen: list[Likeness] = []
        for place in likenesses:
            apart = all(place.end <= other.start or place.start >= other.end for other in chosen)
            if apart and self._is_misspelt(place, text[place.start : place.end]):
                chosen.append(place)
        return sorted(chosen, key=lambda place: place.start)

    def _limit(self, heard: str) -> float:
        ordinary = not is_han(heard) and all(self._is_ordinary(word) for word in heard.split())
        return SIMILAR_ORDINARY if ordinary else SIMILAR

    def _is_misspelt(self, place: Likeness, heard: str) -> bool:
        if is_han(place.name):
            return is_han(heard) and len(heard) == len(place.name) >= 3 and place.distance <= MISSPELT_HAN
        if is_han(heard) or place.distance > MISSPELT:
            return False
        return not all(self._is_ordinary(word) for word in heard.split())


def respelt(text: str, places: Sequence[Likeness]) -> str:
    """The text with the names in their places.

    Args:
        text: What a recogniser wrote.
        places: From ``NameIndex.misspelt``.
    """
    for place in reversed(places):
        text = text[: place.start] + place.name + text[place.end :]
    return text


def moved(position: int, places: Sequence[Likeness]) -> int:
    """Where a position of the old text lies in the new one.

    Args:
        position: Characters from the beginning.
        places: What was replaced.
    """
    return position + sum(len(p.name) - (p.end - p.start) for p in places if p.end <= position)


def _forms(names: Iterable[str]) -> list[str]:
    """The names and their parts, each once."""
    forms: dict[str, None] = {}
    for name in names:
        whole = " ".join(name.split())
        forms.setdefault(whole)
        parts = whole.split()
        if len(parts) > 1:
            forms.update(dict.fromkeys(p for p in parts if len(p) >= SHORTEST_PART and p[:1].isupper()))
    return [form for form in forms if form]


def _match(
    names: Sequence[Sequence[str]], words: Sequence[SoundingWord], cost: Callable[[str, str], float]
) -> list[tuple[int, int, float]]:
    """For each name the best (first word, last word, distance)."""
    text = [sound for word in words for sound in word.sounds]
    lengths = [len(word.sounds) for word in words]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    alphabet = {sound: i for i, sound in enumerate(sorted({*text, *(s for name in names for s in name)}))}
    known = list(alphabet)
    costs = np.array([[cost(a, b) for b in known] for a in known])
    extra = np.array([extra_cost(sound) for sound in known])
    line = np.array([alphabet[sound] for sound in text])
    longest = max(map(len, names))
    table = np.zeros((len(names), longest), dtype=np.int64)
    for i, name in enumerate(names):
        table[i, : len(name)] = [alphabet[sound] for sound in name]
    rows = _table(table, line, costs, extra, starts)
    found = []
    for i, name in enumerate(names):
        finals = rows[len(name)][i, ends]
        last = int(np.argmin(finals))
        first = _first_word(rows, i, table[i], line, costs, extra, (len(name), int(ends[last])))
        distance = float(finals[last]) / len(name)
        found.append((int(np.searchsorted(starts, first, side="right")) - 1, last, distance))
    return found


def _table(table: Any, line: Any, costs: Array, extra: Array, starts: Any) -> list[Array]:
    """Cost of the first i sounds of every name, ending after j sounds of the text: (names, j) for each i."""
    count, size = len(table), len(line)
    gaps = np.concatenate([[0.0], np.cumsum(extra[line])])
    row = np.full((count, size + 1), np.inf)
    row[:, starts] = 0.0
    rows = [row]
    for i in range(table.shape[1]):
        sounds = table[:, i]
        base = row + extra[sounds][:, None]
        base[:, 1:] = np.minimum(base[:, 1:], row[:, :-1] + costs[sounds][:, line])
        # A sound too many in the text: a running minimum over what it costs to come this far.
        row = np.minimum.accumulate(base - gaps, axis=1) + gaps
        rows.append(row)
    return rows


def _first_word(
    rows: list[Array], index: int, name: Any, line: Any, costs: Array, extra: Array, end: tuple[int, int]
) -> int:
    """Walk back from a cell to the position of the text where the match begins."""
    i, j = end
    while i > 0:
        here = rows[i][index, j]
        if j > 0 and np.isclose(here, rows[i - 1][index, j - 1] + costs[name[i - 1], line[j - 1]]):
            i, j = i - 1, j - 1
        elif np.isclose(here, rows[i - 1][index, j] + extra[name[i - 1]]):
            i -= 1
        else:
            j -= 1
    return j
