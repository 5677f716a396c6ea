"""Everything the readers found in one utterance, before it is turned into claims and events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from memory.nouns import Entity
from memory.understanding.tasks.choices import Choice
from memory.understanding.times.pieces import TimeMention
from memory.understanding.words.analysis import Analysis, blank


@dataclass(frozen=True, slots=True)
class Reading:
    """One utterance, read.

    Attributes:
        analysis: Words, names and clauses.
        times: Resolved times.
        codes: Entities of kind ``code``.
        amounts: Entities of kind ``amount``.
        contacts: Entities of kind ``contact``.
        now: The session's local clock.
        choices: References to what was listed before, such as "the second one".
    """

    analysis: Analysis
    times: tuple[TimeMention, ...]
    codes: tuple[Entity, ...]
    amounts: tuple[Entity, ...]
    contacts: tuple[Entity, ...]
    now: datetime
    choices: tuple[Choice, ...] = ()

    @property
    def text(self) -> str:
        """What was said."""
        return self.analysis.text

    @property
    def today(self) -> date:
        """The session's date."""
        return self.now.date()

    @property
    def language(self) -> str:
        """``en`` or ``zh``."""
        return self.analysis.language

    @property
    def untimed(self) -> str:
        """The text with times and amounts blanked out; offsets stay."""
        return blank(self.text, [(t.start, t.end) for t in self.times] + [(a.start, a.end) for a in self.amounts])

    def entities(self) -> tuple[Entity, ...]:
        """Everything with a name, in order, without overlaps; what has a form of its own wins over names."""
        times = [Entity(self.text[t.start : t.end], "time", t.start, t.end, t.value) for t in self.times]
        kept: list[Entity] = []
        for group in (list(self.codes), list(self.amounts), list(self.contacts), times, list(self.analysis.names)):
            for entity in group:
                if all(entity.end <= other.start or other.end <= entity.start for other in kept):
                    kept.append(entity)
        return tuple(sorted(kept, key=lambda entity: entity.start))
