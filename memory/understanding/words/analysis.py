"""What the readers of both languages agree on: words, names, clauses, one analysed text."""

from __future__ import annotations

from dataclasses import dataclass

from memory.nouns import Entity


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the text.

    Attributes:
        text: As it was said.
        tag: Part of speech: Penn Treebank in English, LAC's tag set in Mandarin.
        start: Offset of its first character.
        end: Offset behind its last character.
    """

    text: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of the text that says one thing.

    Attributes:
        text: Its words.
        start: Offset of its first character.
        is_question: Whether it asks.
    """

    text: str
    start: int
    is_question: bool

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text with what a language's model and rules see in it.

    Attributes:
        text: The text.
        language: ``en`` or ``zh``.
        words: In order.
        names: People, places, organisations.
        clauses: In order, without their punctuation.
    """

    text: str
    language: str
    words: tuple[Word, ...] = ()
    names: tuple[Entity, ...] = ()
    clauses: tuple[Clause, ...] = ()

    def names_of(self, kind: str, start: int = 0, end: int | None = None) -> list[Entity]:
        """The names of one kind that lie between two offsets."""
        last = len(self.text) if end is None else end
        return [name for name in self.names if name.kind == kind and start <= name.start and name.end <= last]

    def clause_at(self, offset: int) -> Clause | None:
        """The clause that covers an offset."""
        return next((clause for clause in self.clauses if clause.start <= offset < clause.end), None)


def overlaps(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Whether [start, end) shares a character with one of the spans."""
    return any(start < last and first < end for first, last in spans)


def blank(text: str, spans: list[tuple[int, int]], keep: str = " ") -> str:
    """The text with the spans replaced by blanks, so that offsets stay."""
    out = list(text)
    for start, end in spans:
        out[start:end] = keep * (end - start)
    return "".join(out)
