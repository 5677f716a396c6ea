"""When the user's turn is over: a pure decision over speech, words and silence.

    speech ──┐ VAD stop
             ├─► verdict asked ──► complete + words + 0.4 s silence ─► turn ends
             │                └──► incomplete + words + 2 s silence ─► turn ends, and so do "wait" and "um" alone
             ├─► a first window of speech ─► the decision waits for the VAD
             └─► speech again ──► all that was concluded is dropped, the turn goes on

Time is counted in samples of the input, so that a decision does not depend on how fast a machine is.
"""

from __future__ import annotations

from dataclasses import dataclass

from processors.backchannels import asks_for_time


@dataclass(frozen=True)
class EndpointingParams:
    """Silences, seconds.

    Attributes:
        use_verdict: Whether a model judges if the turn is complete; else silence alone decides.
        silence_s: Silence that ends a turn without a verdict.
        complete_silence_s: Silence that ends a turn that was judged complete: a comma is a pause of 0.3 to
            0.4 s, and the model calls many of them complete.
        incomplete_silence_s: Silence that ends a turn that was judged incomplete, or not at all, or whose last words
            ask for time: a model calls "hold on" complete.
        words_timeout_s: Silence after which words that are due are not waited for any more. The recogniser
            always answers, so this only bounds the damage if it cannot.
    """

    use_verdict: bool = True
    silence_s: float = 0.6
    complete_silence_s: float = 0.4
    incomplete_silence_s: float = 2.0
    words_timeout_s: float = 15.0


class Endpointing:
    """Decides the end of one user turn after another.

    Feed it what happens; ask ``is_over`` after each event.
    """

    def __init__(self, params: EndpointingParams) -> None:
        self._params = params
        self.reset()

    def reset(self) -> None:
        """Forget the turn: a new one begins."""
        self._speaking = False
        self._silence_s = 0.0
        self._complete: bool | None = None
        self._words_due = False
        self._has_words = False
        self._asks_for_time = False
        self._spoke = False
        self._onset = False

    @property
    def has_words(self) -> bool:
        """Whether any final words belong to this turn."""
        return self._has_words

    @property
    def has_speech(self) -> bool:
        """Whether the VAD has heard speech that belongs to this turn, or may."""
        return self._spoke

    def onset(self, likely: bool) -> None:
        """The VAD may be about to hear speech; False when nothing came of it."""
        self._onset = likely

    def speech_started(self) -> None:
        """The VAD hears speech: earlier conclusions no longer hold."""
        self._speaking = True
        self._onset = False
        self._spoke = True
        self._silence_s = 0.0
        self._complete = None

    def speech_stopped(self, silence_s: float) -> None:
        """The VAD hears silence, since ``silence_s`` seconds."""
        self._speaking = False
        self._silence_s = silence_s
        self._words_due = True

    def silence(self, seconds: float) -> None:
        """More input arrived, ``seconds`` of it; counts as silence unless the user speaks."""
        if not self._speaking:
            self._silence_s += seconds

    def verdict(self, complete: bool) -> None:
        """The model judged the turn; ignored if the user speaks again."""
        if not self._speaking:
            self._complete = complete

    def words(self, text: str) -> None:
        """The final words of a stretch of speech; empty if it held none."""
        self._words_due = False
        if text.strip():
            self._has_words = True
            self._asks_for_time = asks_for_time(text)

    def begun_late(self) -> None:
        """The turn begins with words that were final long before; nothing else announces them."""
        self._has_words = True

    def left_out(self) -> None:
        """The words of a stretch of speech belong to no turn."""
        self._words_due = False
        self._spoke = self._speaking

    def is_over(self) -> bool:
        """Whether the turn ends now."""
        if self._speaking or self._onset or not (self._spoke or self._has_words):
            return False
        if self._words_due:
            return self._silence_s >= self._params.words_timeout_s
        if not self._has_words:
            return True
        return self._silence_s >= self._wanted_silence_s()

    def _wanted_silence_s(self) -> float:
        if self._asks_for_time:
            return self._params.incomplete_silence_s
        if not self._params.use_verdict:
            return self._params.silence_s
        return self._params.complete_silence_s if self._complete else self._params.incomplete_silence_s
