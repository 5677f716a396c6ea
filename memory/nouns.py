"""The nouns of memory: small immutable records, shared by every room of the house.

Times are seconds since the epoch (``float``, UTC); a caller passes them in, nothing here reads a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from memory.state_events import StateEvent


class Speaker(StrEnum):
    """Who said an utterance."""

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said, verbatim. The ground truth: append-only.

    Attributes:
        id: Identifier, unique within the user.
        user_id: Whose memory it belongs to.
        session_id: The conversation it was said in.
        turn_id: Number of the turn in that session, from 1.
        speaker: Who said it.
        text: The words, in the language they were said in. For the agent: what was *heard*.
        said_at: When it began, seconds since the epoch.
        language: ISO 639-1 code, such as ``en`` or ``zh``.
        unheard: For the agent: words that were generated and never reached the user.
    """

    id: str
    user_id: str
    session_id: str
    turn_id: int
    speaker: Speaker
    text: str
    said_at: float
    language: str = "en"
    unheard: str = ""


ClaimClass = Literal["single", "multi", "event", "safety"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the world: (subject, attribute, value), with its evidence.

    A new value of a ``single`` claim supersedes the old one by closing its validity;
    nothing is overwritten. ``safety`` claims (allergy, medication) change only by explicit correction.

    Attributes:
        subject: Who or what it is about; ``user`` for the person who speaks.
        attribute: The value-free key, such as ``diet`` or ``dog's name``.
        value: The value, in the language it was said in.
        polarity: False for "I do not like …".
        kind: ``single`` | ``multi`` | ``event`` | ``safety``.
        since: When it began to hold (or was heard), seconds since the epoch.
        until: When it stopped to hold, or None while it does.
        utterances: Ids of the utterances that support it.
    """

    subject: str
    attribute: str
    value: str
    polarity: bool = True
    kind: ClaimClass = "multi"
    since: float = 0.0
    until: float | None = None
    utterances: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a name: a person, a place, an organisation, a thing, a code, an amount.

    Attributes:
        name: As it was said.
        kind: ``person`` | ``place`` | ``organisation`` | ``thing`` | ``code`` | ``amount`` | ``time`` | ``contact``.
        start: Offset of its first character in the text it was found in.
        end: Offset behind its last character.
        value: Normalised value, such as an ISO date, ``84 EUR`` or ``ORD12345678``.
    """

    name: str
    kind: str
    start: int = 0
    end: int = 0
    value: str = ""


@dataclass(frozen=True, slots=True)
class Emotion:
    """How the user felt in this turn.

    Attributes:
        label: anger | disgust | fear | joy | neutral | sadness | surprise (GoEmotions' Ekman grouping).
        valence: -1 (unpleasant) to 1 (pleasant).
        arousal: -1 (calm) to 1 (excited).
        confidence: 0 to 1.
        source: Where it was read from.
    """

    label: str = "neutral"
    valence: float = 0.0
    arousal: float = 0.0
    confidence: float = 0.0
    source: Literal["text", "prosody", "model"] = "text"


@dataclass(frozen=True, slots=True)
class Recalled:
    """One remembered item that is offered to the language model.

    Attributes:
        id: Id of the item (an utterance id in the first version).
        text: What is shown to the model.
        score: Rank score; comparable within one recall only.
        brain: ``left`` for facts, ``right`` for the person.
        said_at: When it was said, seconds since the epoch.
        utterances: Ids of the utterances it rests on.
        speaker: Who said it.
    """

    id: str
    text: str
    score: float
    brain: Literal["left", "right"] = "left"
    said_at: float = 0.0
    utterances: tuple[str, ...] = ()
    speaker: Speaker = Speaker.USER


class RecallReason(StrEnum):
    """Why a recall ended on the tier it ended on."""

    COMPLETE = "complete"
    DEADLINE = "deadline"
    ERROR = "error"
    EMPTY = "empty"
    BELOW_FLOOR = "below_floor"


@dataclass(frozen=True, slots=True)
class RecallResult:
    """What one turn recalled, how far up the ladder it got, and why.

    Attributes:
        items: Best first, at most ``top_k``, within the token budget.
        tier: 0 pinned profile and state, 1 lexical, 2 fused with the dense ranking, 3 re-embedded and one hop.
        reason: Why it ended there.
        ms: Work for this turn since the speech tail, without idle waiting, milliseconds.
        tokens: Estimated tokens of the items.
    """

    items: tuple[Recalled, ...] = ()
    tier: int = 0
    reason: RecallReason = RecallReason.EMPTY
    ms: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the words of one utterance say, without any language model.

    Attributes:
        text: The words that were read.
        language: ISO 639-1 code.
        entities: In order of appearance.
        claims: Statements; ``utterances`` is filled in by whoever stores them.
        updates: Events for the inner state, in order.
        emotion: The feeling in the words.
        is_question: Whether the user asks for something.
        is_correction: Whether the user takes something back ("no, I meant Tuesday").
    """

    text: str
    language: str
    entities: tuple[Entity, ...] = ()
    claims: tuple[Claim, ...] = ()
    updates: tuple[StateEvent, ...] = ()
    emotion: Emotion = field(default_factory=Emotion)
    is_question: bool = False
    is_correction: bool = False
