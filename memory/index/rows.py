"""Which utterance stands on which row of the indexes, and what was said before and after it.

One row per utterance in the order of arrival; a row is never used twice. A removed utterance leaves an empty row
behind, and its neighbours become each other's. Neighbours are utterances of the same session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.index import cues, tokenise
from memory.nouns import Speaker, Utterance

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

_NONE = -1


@dataclass(slots=True)
class _Columns:
    """Growing arrays, one entry a row; only the first ``count`` entries mean something."""

    before: Ints
    after: Ints
    session: Ints
    turn: Ints
    alive: Bools
    agent: Bools
    question: Bools
    timed: Bools
    han: Bools


class Rows:
    """The rows of one user's indexes."""

    def __init__(self) -> None:
        self.count = 0
        self._columns = _empty(64)
        self._utterances: list[Utterance | None] = []
        self._terms: list[tuple[str, ...]] = []
        self._row_of: dict[str, int] = {}
        self._last_of: dict[str, int] = {}
        self._session_numbers: dict[str, int] = {}
        self._shifts: dict[int, Ints] = {}

    def __len__(self) -> int:
        """Number of utterances that can be found."""
        return len(self._row_of)

    def __contains__(self, utterance_id: str) -> bool:
        return utterance_id in self._row_of

    def add(self, utterance: Utterance) -> int:
        """Give an utterance its row.

        Args:
            utterance: Of the same user as all others; its id must be new.

        Returns:
            The row.
        """
        row = self.count
        if row == len(self._columns.before):
            self._columns = _grown(self._columns)
        self._shifts.clear()
        columns = self._columns
        before = self._last_of.get(utterance.session_id, _NONE)
        columns.before[row] = before
        columns.after[row] = _NONE
        if before != _NONE:
            columns.after[before] = row
        columns.session[row] = self._session_numbers.setdefault(utterance.session_id, len(self._session_numbers))
        columns.turn[row] = utterance.turn_id
        columns.alive[row] = True
        columns.agent[row] = utterance.speaker is Speaker.AGENT
        columns.question[row] = cues.seeks_information(utterance.text)
        columns.timed[row] = cues.names_time(utterance.text)
        columns.han[row] = tokenise.holds_han(utterance.text)
        self._utterances.append(utterance)
        self._terms.append(tuple(tokenise.terms(utterance.text)))
        self._row_of[utterance.id] = row
        self._last_of[utterance.session_id] = row
        self.count += 1
        return row

    def remove(self, utterance_id: str) -> int | None:
        """Empty an utterance's row; None if there is none."""
        row = self._row_of.pop(utterance_id, None)
        if row is None:
            return None
        self._shifts.clear()
        utterance = self._utterances[row]
        assert utterance is not None
        columns = self._columns
        before, after = int(columns.before[row]), int(columns.after[row])
        if before != _NONE:
            columns.after[before] = after
        if after != _NONE:
            columns.before[after] = before
        elif before != _NONE:
            self._last_of[utterance.session_id] = before
        else:
            del self._last_of[utterance.session_id]
        columns.before[row] = columns.after[row] = _NONE
        columns.alive[row] = columns.agent[row] = columns.question[row] = columns.timed[row] = columns.han[row] = False
        self._utterances[row] = None
        self._terms[row] = ()
        return row

    def utterance(self, row: int) -> Utterance:
        """The utterance on a row that is in use."""
        utterance = self._utterances[row]
        if utterance is None:
            raise KeyError(row)
        return utterance

    def row(self, utterance_id: str) -> int | None:
        """The row of an utterance, or None."""
        return self._row_of.get(utterance_id)

    def rows_of(self, utterance_ids: Sequence[str]) -> list[int]:
        """The rows of those utterances that are here."""
        return [row for row in map(self._row_of.get, utterance_ids) if row is not None]

    def terms(self, row: int) -> tuple[str, ...]:
        """The search terms of the utterance on a row."""
        return self._terms[row]

    def utterances(self) -> list[Utterance]:
        """All utterances that can be found, in order of arrival."""
        return [utterance for utterance in self._utterances if utterance is not None]

    def session_number(self, session_id: str) -> int:
        """The number that stands for a session in ``sessions``; -1 if nothing was said in it."""
        return self._session_numbers.get(session_id, _NONE)

    @property
    def before(self) -> Ints:
        """int32[count], row of what was said before in the same session, or -1."""
        return self._columns.before[: self.count]

    @property
    def after(self) -> Ints:
        """int32[count], row of what was said next in the same session, or -1."""
        return self._columns.after[: self.count]

    @property
    def sessions(self) -> Ints:
        """int32[count], number of the session."""
        return self._columns.session[: self.count]

    @property
    def turns(self) -> Ints:
        """int32[count], number of the turn in its session."""
        return self._columns.turn[: self.count]

    @property
    def alive(self) -> Bools:
        """bool[count], whether the row is in use."""
        return self._columns.alive[: self.count]

    @property
    def by_agent(self) -> Bools:
        """bool[count], whether the agent said it."""
        return self._columns.agent[: self.count]

    @property
    def questions(self) -> Bools:
        """bool[count], whether it asks for something and states nothing."""
        return self._columns.question[: self.count]

    @property
    def timed(self) -> Bools:
        """bool[count], whether it names a time."""
        return self._columns.timed[: self.count]

    @property
    def han(self) -> Bools:
        """bool[count], whether it is written with Han characters."""
        return self._columns.han[: self.count]

    def shifted(self, offset: int) -> Ints:
        """int32[count]: the row that is ``offset`` utterances later in the same session (negative: earlier), or -1."""
        known = self._shifts.get(offset)
        if known is not None:
            return known
        if offset == 0:
            rows = np.arange(self.count, dtype=np.int32)
        else:
            step = 1 if offset > 0 else -1
            link = self.after if offset > 0 else self.before
            rows = self.shifted(offset - step)
            rows = np.where(rows == _NONE, np.int32(_NONE), link[rows])
        self._shifts[offset] = rows
        return rows


def _empty(size: int) -> _Columns:
    def ints() -> Ints:
        return np.full(size, _NONE, np.int32)

    def bools() -> Bools:
        return np.zeros(size, np.bool_)

    return _Columns(ints(), ints(), ints(), ints(), bools(), bools(), bools(), bools(), bools())


def _grown(columns: _Columns) -> _Columns:
    size = 2 * len(columns.before)
    grown = _empty(size)
    for name in _Columns.__slots__:
        old = getattr(columns, name)
        getattr(grown, name)[: len(old)] = old
    return grown
