"""Who has the floor while the agent speaks or is about to: a pure decision over speech, words and time.

    VAD start ──► PAUSE ──┬─ two words, a stop word, or 0.6 s with a word ──► TAKE: the user's turn begins
    (silent 0.25 s        ├─ nothing but "mhm" or "right" ──► BACKCHANNEL ┐
     after the onset)     ├─ the agent's own words ──► ECHO               ├► the reply goes on where it stopped
                          ├─ no words after all (a cough, a door) ──► FALSE ┘
                          └─ 1 s and still no words ──► RESUME; words that come later still take the floor

A reply that is paused sounds like a person who stops to listen. Where pausing turned out to be wrong (a loudspeaker
that the microphone hears, a noisy room), words decide alone for a while, and the reply plays on meanwhile.

While the reply is not audible yet, everything but a backchannel takes the floor: the user goes on, the turn was
closed too early. A word that neither takes the floor nor is a backchannel is kept and answered after the reply;
so is a "yes" in the last words of a question.

Times are seconds of the input, counted in samples.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

from processors.backchannels import count_words, says_stop, without_backchannels, without_hums
from processors.echo import Sound, as_spelled, without_echo

# Stretches of speech whose words are awaited, at most.
MOST_UNREAD = 8


class Act(Enum):
    """What to do now.

    Attributes:
        NOTHING: Wait.
        PAUSE: Silence the reply; it may go on.
        RESUME: Let the reply go on; nothing is decided yet.
        TAKE: The user's turn begins; a reply is cut.
        FALSE: It was no speech: the reply goes on.
        ECHO: It was the agent's own voice: the reply goes on, the words belong to nobody.
        BACKCHANNEL: The user listens: the reply goes on, the words are noted.
        KEEP: The reply goes on; the words are answered after it.
    """

    NOTHING = "nothing"
    PAUSE = "pause"
    RESUME = "resume"
    TAKE = "take"
    FALSE = "false"
    ECHO = "echo"
    BACKCHANNEL = "backchannel"
    KEEP = "keep"


@dataclass(frozen=True)
class InterruptionParams:
    """When the user takes the floor.

    Attributes:
        min_words: Words that take it at once while a reply is heard; two Han characters count as one.
        speech_s: A single word takes it when the user has spoken for this long, seconds.
        resume_after_s: A paused reply goes on after this long without words, seconds.
        start_s: Speech that the VAD needed before it said so, seconds.
        wary_s: How long words alone decide after pausing was wrong, seconds.
        echo_tail_s: Speech that begins this long after a reply may still be its echo, once there has been an echo.
    """

    min_words: int = 2
    speech_s: float = 0.6
    resume_after_s: float = 1.0
    start_s: float = 0.2
    wary_s: float = 20.0
    echo_tail_s: float = 0.3


@dataclass(frozen=True)
class AgentSpeech:
    """What the agent is doing.

    Attributes:
        is_due: A reply is being made or heard.
        is_audible: It is heard.
        recent: What was said while the words were spoken, and what comes next: what an echo may end with.
        past: What was said just before that: an echo may only begin with it.
        asks: It has just asked a question, or is at its last words.
    """

    is_due: bool = False
    is_audible: bool = False
    recent: str = ""
    past: str = ""
    asks: bool = False


SILENT = AgentSpeech()


class Interruption:
    """Decides one overlap after another.

    Feed it what happens; do what each method says. Call ``reset`` when a user's turn has begun.
    """

    def __init__(self, params: InterruptionParams, sound: Sound = as_spelled) -> None:
        """Begin a conversation.

        Args:
            params: When the user takes the floor.
            sound: How words sound, to know an echo by.
        """
        self._params = params
        self._sound = sound
        self._wary_until = float("-inf")
        self._false_starts: list[float] = []
        self._heard_echo = False
        self._reply_at = float("-inf")
        self.reset()

    def reset(self) -> None:
        """A user turn begins: nothing is left to decide."""
        self._speaking = False
        self._overlaps = False
        self._follows_reply = False
        self._onset = 0.0
        self._spoke_s = 0.0
        self._has_word = False
        self._hears_words = False
        self._unread: deque[tuple[float, float]] = deque(maxlen=MOST_UNREAD)
        self._paused_at: float | None = None
        self._was_paused = False

    def speech_started(self, at: float, agent: AgentSpeech) -> Act:
        """The VAD hears the user.

        Args:
            at: When it says so.
            agent: What the agent is doing.
        """
        self._follow(at, agent)
        onset = at - self._params.start_s
        if not agent.is_due and not (self._heard_echo and onset - self._reply_at <= self._params.echo_tail_s):
            return self._take()
        if not self._overlaps:
            self._was_paused = False
        self._speaking = self._overlaps = True
        self._follows_reply = not agent.is_due
        self._onset = onset
        self._has_word = self._hears_words = False
        # A voice that is not heard yet waits without a sound.
        is_wary = agent.is_audible and at < self._wary_until
        if not agent.is_due or self._paused_at is not None or is_wary:
            return Act.NOTHING
        self._paused_at = at
        self._was_paused = True
        return Act.PAUSE

    def speech_stopped(self, at: float, silence_s: float) -> None:
        """The VAD hears silence; the words will decide.

        Args:
            at: When it says so.
            silence_s: For how long it has heard silence.
        """
        self._speaking = False
        self._spoke_s = at - silence_s - self._onset
        self._unread.append((self._onset if self._overlaps else at - silence_s, at - silence_s))

    def spoken_between(self, at: float, *, final: bool) -> tuple[float, float]:
        """When the words that come now were spoken.

        Args:
            at: Now.
            final: Whether they are the final ones of the stretch that the VAD ended first.
        """
        if final:
            return self._unread[0] if self._unread else (at, at)
        return (self._onset if self._overlaps else at), at

    def time(self, at: float, agent: AgentSpeech) -> Act:
        """Time passes.

        Args:
            at: Now.
            agent: What the agent is doing.
        """
        self._follow(at, agent)
        if not self._overlaps:
            return Act.NOTHING
        if self._speaking and self._has_word and at - self._onset >= self._params.speech_s:
            return self._take()
        patience_s = self._params.resume_after_s * (2 if self._hears_words else 1)
        if self._paused_at is not None and at - self._paused_at >= patience_s:
            self._paused_at = None
            return Act.RESUME
        return Act.NOTHING

    def partial_words(self, at: float, stable: str, text: str, agent: AgentSpeech) -> Act:
        """Partial words of speech that overlaps the reply.

        Only words that will not change take the floor: in laughter a recogniser hears words that come and go. The
        others keep a paused reply from going on too early.

        Args:
            at: Now.
            stable: Words that will not change.
            text: All words so far.
            agent: What the agent is doing.
        """
        self._follow(at, agent)
        if not self._overlaps:
            return Act.NOTHING
        self._hears_words = bool(_words_of_weight(self._own(text, agent), agent))
        left = _words_of_weight(self._own(stable, agent), agent)
        self._has_word = bool(left)
        if left and self._takes_floor(left, at - self._onset, agent):
            return self._take()
        return Act.NOTHING

    def final_words(self, at: float, text: str, agent: AgentSpeech) -> Act:
        """The words of a stretch of speech are final.

        Args:
            at: Now.
            text: The words; empty if there were none.
            agent: What the agent is doing.
        """
        self._follow(at, agent)
        if self._unread:
            self._unread.popleft()
        if not self._overlaps and not agent.is_due:
            # Words that the VAD did not hear begin a turn as well.
            return self._take() if text.strip() else Act.NOTHING
        spoke_s = self._spoke_s if self._overlaps else 0.0
        follows_reply = self._follows_reply
        self._overlaps = self._speaking
        self._has_word = self._hears_words = False
        self._paused_at = None
        own = self._own(text, agent)
        if not own:
            return self._was_wrong(at, is_echo=bool(text.strip()))
        left = _words_of_weight(own, agent)
        if left:
            takes = not agent.is_due or self._takes_floor(left, spoke_s, agent)
            return self._take() if takes else Act.KEEP
        if follows_reply:
            return self._take()
        if agent.asks:
            return Act.KEEP if agent.is_due else self._take()
        return Act.BACKCHANNEL

    def _own(self, text: str, agent: AgentSpeech) -> list[str]:
        """What of the words is not the agent's echo."""
        return without_echo(text, agent.recent, agent.past, self._sound)

    def _takes_floor(self, left: list[str], spoke_s: float, agent: AgentSpeech) -> bool:
        if not agent.is_audible or says_stop(left):
            return True
        return count_words(left) >= self._params.min_words or spoke_s >= self._params.speech_s

    def _take(self) -> Act:
        self._overlaps = False
        self._paused_at = None
        return Act.TAKE

    def _follow(self, at: float, agent: AgentSpeech) -> None:
        if agent.is_due:
            self._reply_at = at

    def _was_wrong(self, at: float, *, is_echo: bool) -> Act:
        """It was not the user: an echo, or twice no words within a while, and words decide alone for a while."""
        if is_echo:
            self._heard_echo = True
            self._wary_until = at + self._params.wary_s
            return Act.ECHO
        if self._was_paused:
            since = at - self._params.wary_s
            self._false_starts = [*(past for past in self._false_starts if past >= since), at]
            if len(self._false_starts) > 1:
                self._wary_until = at + self._params.wary_s
        return Act.FALSE


def _words_of_weight(own: list[str], agent: AgentSpeech) -> list[str]:
    """What is left of the user's words without backchannels; before a reply is heard, "yes" is a word like others."""
    text = " ".join(own)
    return without_backchannels(text) if agent.is_audible or not agent.is_due else without_hums(text)
