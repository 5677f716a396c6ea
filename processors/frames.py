"""The project's own frames: one fact, one small dataclass. Each says who emits it and who consumes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipecat.frames.frames import DataFrame, Frame, LLMTextFrame, SystemFrame

from memory.nouns import RecallResult

# In the metadata of a spoken word: False if its time follows from durations, because the voice gives none.
EXACT_TIME = "exact_time"


@dataclass
class SpeechTailFrame(SystemFrame):
    """First silent window after speech; speech may still resume.

    Emitted by ``SpeechTailVADProcessor``; the recogniser starts its last decode and the
    listener fires recall. Receivers start tasks, they never wait.

    Attributes:
        at: Time of the tail on the pipeline's clock, seconds.
    """

    at: float = 0.0


@dataclass
class SpeechOnsetFrame(SystemFrame):
    """The VAD hears what may become speech, or takes that back.

    Emitted by ``SpeechTailVADProcessor``, some 0.2 s before the VAD says that speech has started;
    the end-of-turn strategy does not end a turn while it is undecided.

    Attributes:
        likely: True at the first window of speech, False when no speech came of it.
    """

    likely: bool = True


@dataclass
class RecallFrame(DataFrame):
    """What was recalled for the turn that is about to be answered.

    Emitted by ``MemoryInjector`` just before the context goes to the model; consumed by the turn log.
    """

    turn_id: int = 0
    result: RecallResult = field(default_factory=RecallResult)


@dataclass
class KnownNamesFrame(SystemFrame):
    """Names that the user may say.

    Emitted upstream by ``MemoryListener`` when speech begins and they have changed; consumed by the recogniser.

    Attributes:
        names: The more important first.
    """

    names: tuple[str, ...] = ()


@dataclass
class SpeechFailedFrame(SystemFrame):
    """A part of the pipeline failed and the turn degraded.

    Emitted by the service that failed; consumed by the turn log.

    Attributes:
        part: ``asr`` | ``llm`` | ``tts`` | ``memory``.
        reason: One short machine-readable word, such as ``timeout`` or ``http_401``.
        detail: One line for people.
    """

    part: str = ""
    reason: str = ""
    detail: str = ""


@dataclass
class EmptySpeechFrame(SystemFrame):
    """Speech was heard and held no words.

    Emitted by the recogniser in place of a final transcript; consumed by the end-of-turn strategy,
    which then need not wait for words that never come.
    """


@dataclass
class UserWordsFrame(SystemFrame):
    """When the words of a final transcript were said.

    Emitted by the recogniser soon after the transcript, with which nobody waits for it; consumed by the listener,
    which knows the conversation's clock.

    Attributes:
        words: (word, start, end), seconds since the recogniser's first sample; a Chinese character is a word.
        heard_s: Audio that the recogniser has heard by now, seconds.
    """

    words: tuple[tuple[str, float, float], ...] = ()
    heard_s: float = 0.0


@dataclass
class SpeechPausedFrame(SystemFrame):
    """The agent falls silent in mid-word and may go on: somebody may be about to interrupt.

    Emitted by ``BargeInStrategy``; the output transport plays nothing more until ``SpeechResumedFrame`` or an
    interruption.
    """


@dataclass
class SpeechResumedFrame(SystemFrame):
    """The agent goes on where it was paused.

    Emitted by ``BargeInStrategy``; consumed by the output transport.
    """


@dataclass
class ReplyWrittenFrame(DataFrame):
    """The reply is complete although the model's answer goes on; what follows of it is not spoken.

    Emitted by ``Monologue`` behind the reply's last text; the voice then says what it still holds back.
    """


@dataclass
class OwnWordsFrame(LLMTextFrame):
    """Words of the agent's own, not the model's: spoken as they are, in any reply format.

    Emitted by ``MemoryInjector``, such as "one moment" while a tool is at work.
    """


_GOES_ON = "reply_goes_on"


def mark_going_on(frame: Frame) -> None:
    """Mark the end of an answer as one behind which the reply goes on: a tool is at work."""
    frame.metadata[_GOES_ON] = True


def goes_on(frame: Frame) -> bool:
    """Whether the reply goes on behind the end of this answer."""
    return bool(frame.metadata.get(_GOES_ON))
