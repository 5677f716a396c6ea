"""Reads an utterance: entities, claims, events for the inner state, emotion. No language model, no I/O, no clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from memory.nouns import Emotion, Understanding
from memory.state_events import PreferenceStated, StateEvent
from memory.understanding.claims.attributes import StatedClaim
from memory.understanding.claims.english import claims_en
from memory.understanding.claims.mandarin import claims_zh
from memory.understanding.claims.narrative import narrative_claims
from memory.understanding.emotion import VectorKind, emotion_head, read_emotion
from memory.understanding.people.mentions import PersonMention, people_in, with_relations
from memory.understanding.reading import Reading
from memory.understanding.tasks import cues
from memory.understanding.tasks.answers import looks_back
from memory.understanding.tasks.choices import choices_in
from memory.understanding.tasks.events import task_events
from memory.understanding.tasks.preferences import preferences_in
from memory.understanding.tasks.requests import requests_in
from memory.understanding.tasks.topics import topic_named, topic_of
from memory.understanding.times.english import read_times_en
from memory.understanding.times.mandarin import read_times_zh
from memory.understanding.times.pieces import TimeMention
from memory.understanding.values.amounts import amounts_in
from memory.understanding.values.codes import codes_in
from memory.understanding.values.contacts import contacts_in
from memory.understanding.words.analysis import Analysis
from memory.understanding.words.english import EnglishReader
from memory.understanding.words.language import language_of
from memory.understanding.words.mandarin import MandarinReader

if TYPE_CHECKING:
    from memory.inner_state import InnerState

_MAX_CHARACTERS = 4_000
_WAKING_HOUR = 7
# The hour that an hour without more is close to, once the part of the day is known.
_NEAR = {"morning": 9, "noon": 12, "afternoon": 15, "evening": 19, "night": 22}
_EVENING = re.compile(r"\b(?:dinner|tonight|supper|evening)\b|晚饭|晚餐|今晚|吃饭", re.IGNORECASE)


class Understander:
    """Reads what is said in English and Mandarin; other languages only get their emotion read.

    Calls from one thread at a time. About 5 ms for an English sentence and 2 ms for a Mandarin one on one core.

    ::

        words ─► language ─► words, names, clauses (spaCy | LAC)
                        └──► codes, amounts, contacts, times against now
                                      └─► claims ─► requests, corrections, answers ─► events
    """

    def __init__(
        self,
        language: str = "en",
        embed: Callable[[str], npt.NDArray[np.float32]] | None = None,
        vectors: VectorKind = "passage",
    ) -> None:
        """Makes a reader; loads nothing yet.

        Args:
            language: ISO 639-1 code of what is usually spoken, or ``auto``.
            embed: Gives the vector of a text, (384,) float32, for the emotion; without it cue words have to do.
            vectors: What ``embed`` embeds as. Query vectors tell more, and the recall computes them anyway.
        """
        self._language = language
        self._embed = embed
        self._vectors: VectorKind = vectors
        self._english = EnglishReader()
        self._mandarin = MandarinReader()

    def warm_up(self) -> None:
        """Loads the model of the usual language, so that the first utterance is as fast as the others.

        With ``auto`` a model is loaded when its language is first spoken.
        """
        if self._language == "en":
            self._english.load()
        elif self._language == "zh":
            self._mandarin.load()
        if self._embed:
            emotion_head(self._vectors)

    def understand(self, text: str, *, now: datetime, state: InnerState, language: str | None = None) -> Understanding:
        """Reads one utterance, or as much of it as was heard so far.

        Args:
            text: The words, as recognised: any case, with or without punctuation.
            now: The session's local clock, for "tomorrow".
            state: Before the utterance; only read.
            language: ISO 639-1 code, if it is known better than from the words.

        Returns:
            For a language other than English and Mandarin: no entities, claims and events.
        """
        spoken = language_of(text, language or self._language)
        if spoken not in ("en", "zh") or not text.strip():
            return Understanding(text, spoken, emotion=self._emotion(text, asks=False))
        reading = self._read(text[:_MAX_CHARACTERS].replace("’", "'"), spoken, now, state)
        people = people_in(reading.analysis)
        read_claims = claims_en if spoken == "en" else claims_zh
        claims = read_claims(reading, people, state, now.timestamp())
        people = with_relations(people, (stated_claim.claim for stated_claim in claims))
        stated = [span for claim in claims if (span := _clause_span(reading, claim, people))]
        requests = requests_in(reading, people, state)
        claims = _outside_requests(claims, [(r.start, r.end) for r in requests], people)
        claims += narrative_claims(reading, people, stated, requests, now.timestamp())
        updates: list[StateEvent] = task_events(reading, people, stated, state)
        preferences = preferences_in(reading)
        if preferences:
            updates.append(PreferenceStated(preferences))
        asks = any(clause.is_question for clause in reading.analysis.clauses)
        return Understanding(
            text,
            spoken,
            entities=reading.entities(),
            claims=tuple(dict.fromkeys(stated_claim.claim for stated_claim in claims)),
            updates=tuple(updates),
            emotion=self._emotion(text, asks=asks or bool(requests)),
            is_question=asks,
            is_correction=_is_correction(reading, claims, updates),
        )

    def _read(self, text: str, language: str, now: datetime, state: InnerState) -> Reading:
        analysis = (self._english if language == "en" else self._mandarin).analyse(text)
        topic = topic_of(text) or topic_named(state.topic)
        evening = topic.evening or bool(_EVENING.search(text))
        times = _times(analysis, now, state, evening=evening, near=_WAKING_HOUR if topic.name == "alarm" else None)
        codes, amounts = codes_in(text), amounts_in(text)
        codes = [c for c in codes if all(c.end <= a.start or a.end <= c.start for a in amounts)]
        fixed = [(e.start, e.end) for e in [*codes, *amounts]]
        contacts = [c for c in contacts_in(text) if all(c.end <= s or e <= c.start for s, e in fixed)]
        fixed += [(c.start, c.end) for c in contacts]
        choices = choices_in(text, state.bookkeeping.options, state.subject.id)
        fixed += [(c.start, c.end) for c in choices]
        free = [t for t in times if all(t.end <= s or e <= t.start for s, e in fixed)]
        return Reading(analysis, tuple(free), tuple(codes), tuple(amounts), tuple(contacts), now, tuple(choices))

    def _emotion(self, text: str, *, asks: bool) -> Emotion:
        vector = self._embed(text) if self._embed and text.strip() else None
        return read_emotion(text, vector, self._vectors, asks=asks)


def _times(
    analysis: Analysis, now: datetime, state: InnerState, *, evening: bool, near: int | None
) -> list[TimeMention]:
    def past_at(offset: int) -> bool:
        clause = analysis.clause_at(offset)
        return clause is not None and looks_back(analysis, clause)

    read = read_times_en if analysis.language == "en" else read_times_zh
    return read(
        analysis.text,
        now,
        anchor=_date(state.facts.get("date", "")),
        evening=evening,
        near=_hour(state, analysis.text) or near or _NEAR.get(state.facts.get("part_of_day", "")),
        past_at=past_at,
    )


def _hour(state: InnerState, text: str) -> int | None:
    """The hour that a correction of the time starts from."""
    said = state.facts.get("time_range") or state.facts.get("time") or ""
    corrected = cues.corrects(text) or cues.objects(text)
    return int(said[:2]) if corrected and re.match(r"\d\d:\d\d", said) else None


def _date(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _clause_span(reading: Reading, claim: StatedClaim, people: list[PersonMention]) -> tuple[int, int] | None:
    """The clause that exists to state the claim; None for a name in passing ("call my sister Mia")."""
    if any((p.start, p.end) == (claim.start, claim.end) for p in people):
        return None
    clause = reading.analysis.clause_at(claim.start)
    return (clause.start, clause.end) if clause else None


def _outside_requests(
    claims: list[StatedClaim], requests: list[tuple[int, int]], people: list[PersonMention]
) -> list[StatedClaim]:
    """Claims that are not part of a request; a name said in one is kept."""
    named = {(p.start, p.end) for p in people}
    return [c for c in claims if (c.start, c.end) in named or not any(s <= c.start and c.end <= e for s, e in requests)]


def _is_correction(reading: Reading, claims: list[StatedClaim], updates: list[StateEvent]) -> bool:
    text = reading.text
    if cues.asks_memory(text):
        return False
    return cues.rolls_back(text) or cues.corrects(text) or (cues.objects(text) and bool(claims or updates))
