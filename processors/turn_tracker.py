"""Which turn the conversation is in, and what is known about it: a pure state machine over timestamps.

    user speaks ── final ── turn ends ── recall ── model ── first audio ── words … ── reply ends ► closed
         ▲                     │                              │                │
         │                     └── user goes on: same turn ───┘                │
         └───────────────── user barges in: closed, interrupted ◄──────────────┘

A turn is one line of the log: the user's words and the reply to them. A reply that was cut before its
first sample leaves no trace as speech; the turn stays open and takes the words that follow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from memory.nouns import Emotion, RecallResult
from memory.past_turns import PastTurn
from processors.early_events import EarlyEvents
from processors.moments import Moments
from processors.reply_text import ReplyText
from processors.spoken_words import join_speech, rest_of_reply
from processors.turn_record import TurnRecord, changes, taken_up
from processors.user_words import UserWords, Word

Sink = Callable[[dict[str, Any]], None]
ClosedSink = Callable[[TurnRecord], None]

# Turns whose words are kept for the prompt's history.
HISTORY_TURNS = 40


class TurnTracker:
    """Follows one conversation. Every method takes the time of the event, seconds on its clock.

    Attributes:
        user_is_speaking: Whether the VAD hears the user.
        user_turn_is_open: Whether a user turn has begun and not ended.
        last_reply: The reply of the turn that closed last.
        closed_turns: The last turns, oldest first.
        on_event: Called with every event of the timeline.
        on_closed: Called with every turn that has closed.
    """

    def __init__(
        self,
        *,
        session_id: str,
        user_id: str,
        language: str,
        wall_time: Callable[[float], float],
        spoken_form: Callable[[str], str] = str,
    ) -> None:
        """Start before the first turn.

        Args:
            session_id: The conversation's id.
            user_id: Whose conversation it is.
            language: ISO 639-1 code that a turn begins with.
            wall_time: Turns the conversation's clock into seconds since the epoch.
            spoken_form: Turns the model's text into the text that is spoken (no markdown).
        """
        self._session_id = session_id
        self._user_id = user_id
        self._language = language
        self._wall_time = wall_time
        self._spoken_form = spoken_form
        self._turn: TurnRecord | None = None
        self._next_id = 1
        self._early = EarlyEvents()
        self._user_words = UserWords()
        self._reply = ReplyText(spoken_form)
        self.last_reply = self._reply
        self._moments = Moments()
        self._reply_begun = False
        self._reply_arrived = False
        self._goes_on = False
        self._audible = False
        self.user_is_speaking = False
        self.user_turn_is_open = False
        self.closed_turns: deque[TurnRecord] = deque(maxlen=HISTORY_TURNS)
        self.on_event: list[Sink] = []
        self.on_closed: list[ClosedSink] = []

    def go_on_after(self, past: Sequence[PastTurn]) -> None:
        """Take up a session again, whose turns so far are ``past``, in order."""
        self.closed_turns.extend(taken_up(past[-HISTORY_TURNS:], self._session_id, self._user_id))
        self._next_id = max((turn.turn_id + 1 for turn in past), default=1)

    # What is asked of it

    @property
    def turn(self) -> TurnRecord | None:
        """The open turn, if there is one."""
        return self._turn

    @property
    def is_settled(self) -> bool:
        """Whether nobody speaks and no reply is due."""
        return self._turn is None and not self.user_is_speaking and not self.user_turn_is_open

    @property
    def agent_is_audible(self) -> bool:
        """Whether the reply's first sample was played and the reply has not ended."""
        return self._audible

    @property
    def reply_is_due(self) -> bool:
        """Whether the model was asked and its reply has neither ended nor been dropped."""
        return self._reply_begun

    @property
    def reply_is_awaited(self) -> bool:
        """Whether the user's turn is over and its reply was not heard to its end."""
        if self._turn is None or self.user_turn_is_open:
            return False
        return not (self._reply.is_written and self._audible and not self._reply.unheard)

    @property
    def reply_is_missing(self) -> bool:
        """Whether the open turn has no reply: none was asked for, or it was dropped."""
        return self._turn is not None and not self._reply_begun

    @property
    def reply(self) -> ReplyText:
        """What is written and heard of the reply that is due; empty if none is."""
        return self._reply

    @property
    def cut_off(self) -> tuple[str, str] | None:
        """The last reply as (heard, unheard) if it was interrupted."""
        if not self.closed_turns or not self.closed_turns[-1].interrupted:
            return None
        last = self.closed_turns[-1]
        return last.heard_text, rest_of_reply(last.reply_text, last.heard_text)

    # The user

    def speech_started(self, at: float, onset: float | None = None) -> None:
        """The VAD hears the user, since ``onset`` (``at`` if that is not known)."""
        self.user_is_speaking = True
        self._moments.speech_started(at if onset is None else onset)
        self.note(at, "user_speech_start")

    def interim(self, at: float, stable: str, unstable: str) -> None:
        """A partial transcript."""
        self.note(at, "interim", stable=stable, unstable=unstable)

    def speech_tail(self, at: float) -> None:
        """First silent window after speech."""
        self.note(at, "speech_tail")

    def speech_stopped(self, at: float, speech_end: float) -> None:
        """The VAD hears silence; the last speech sample was at ``speech_end``."""
        self.user_is_speaking = False
        self._moments.speech_stopped(at, speech_end)
        self.note(at, "vad_stop", speech_end=round(speech_end, 3))

    def final_words(self, at: float, text: str, language: str | None = None) -> None:
        """The final transcript of a stretch of speech."""
        self._moments.final_words(at)
        if language:
            self._language = language
        self.note(at, "final", text=text)

    def user_words(self, words: Sequence[Word]) -> None:
        """When the words of a final transcript were said; may come after the turn has ended.

        Args:
            words: (word, start, end), seconds. Those of a turn that has closed meanwhile are left out.
        """
        self._user_words.add(words, self._turn)

    def turn_ended(self, at: float, text: str) -> TurnRecord:
        """The user's turn is over; a turn whose reply was not heard takes the new words too.

        Args:
            at: When.
            text: All words of the user's turn.

        Returns:
            The open turn.
        """
        if self._turn is None:
            self._turn = TurnRecord(
                session_id=self._session_id,
                turn_id=self._next_id,
                user_id=self._user_id,
                started_at=self._wall_time(self._early.first_speech(at)),
                language=self._language,
            )
            self._turn.timeline.extend(self._early.take())
            self._user_words.turn_begins(self._turn)
            self._next_id += 1
        turn = self._turn
        turn.language = self._language
        turn.user_text = join_speech([turn.user_text, text])
        self._moments.turn_ended(at, turn.latency)
        self._user_words.turn_ended(at)
        self.note(at, "turn_end")
        return turn

    def understood(self, *, before: dict[str, Any], after: dict[str, Any], emotion: Emotion) -> None:
        """What the words did to the inner state."""
        if self._turn is None:
            return
        if not self._turn.inner_state_before:
            self._turn.inner_state_before = before
        self._turn.inner_state_after = after
        self._turn.emotion = emotion
        self._turn.state_update = changes(self._turn.inner_state_before, after)

    # The reply

    def recalled(self, at: float, result: RecallResult) -> None:
        """What memory offers for this turn."""
        if self._turn is None:
            return
        self._turn.recall = result
        self._turn.latency.recall = result.ms
        items = [item.text for item in result.items]
        self.note(at, "recall", tier=result.tier, reason=str(result.reason), ms=round(result.ms, 2), items=items)

    def reply_goes_on(self, at: float) -> None:
        """What is said next belongs to the reply that has begun, if one has: tools are at work behind it."""
        if not self._reply_begun:
            self.model_asked(at, "")
        self._goes_on = True
        self._reply.is_written = False

    def tool_called(self, at: float, name: str, status: str) -> None:
        """A tool was called, or its call has ended."""
        self.note(at, "tool", name=name, status=status)

    def model_asked(self, at: float, model: str) -> None:
        """The context goes to the language model: a new reply begins, or the one that goes on does so."""
        if self._goes_on and self._reply_begun:
            if self._turn is not None:
                self._turn.llm_model = model
                self.note(at, "llm_request")
            return
        self._goes_on = False
        self._reply_begun = True
        self._reply_arrived = False
        self._audible = False
        self._moments.model_asked(at)
        self._forget_reply()
        if self._turn is not None:
            self._turn.llm_model = model
            self.note(at, "llm_request")

    def model_text(self, at: float, text: str, reply: str | None = None) -> None:
        """The model says more.

        Args:
            at: When.
            text: As the model wrote it.
            reply: What of it is spoken; None if all of it is.
        """
        turn = self._turn
        if turn is None or not self._reply_begun:
            return
        if self._moments.first_token(at, turn.latency):
            self.note(at, "llm_first_token")
        said = text if reply is None else reply
        if self._goes_on and said.strip():
            self._goes_on = False
            self._reply.write_apart(said)
        else:
            self._reply.write(said)
        turn.llm_response += text

    def reply_written(self) -> None:
        """The model has written all that is spoken, although its answer goes on."""
        self._reply.is_written = self._reply_begun

    def proposed(self, update: dict[str, Any]) -> None:
        """The model proposes a change of the inner state."""
        if self._turn is not None and self._reply_begun:
            self._turn.proposed_update = update

    def voice_audio(self, at: float) -> None:
        """The voice made audio for the reply."""
        if self._turn is None or not self._reply_begun:
            return
        if self._moments.first_audio(at, self._turn.latency):
            self.note(at, "tts_first_audio")

    def audible(self, at: float) -> None:
        """A non-silent sample of the reply was written out, at ``at``."""
        if self._turn is None or self._audible or not self._reply_begun:
            return
        self._audible = True
        self._moments.audible(at, self._turn.latency)
        self.note(at, "agent_speech_start")

    def word_played(self, at: float, word: str, written: str | None = None, *, is_exact: bool = True) -> None:
        """A word's audio has been played to its end.

        Args:
            at: When.
            word: The word.
            written: The word with the space that stands before it in the reply, where that is known.
            is_exact: Whether the voice knows when it says the word; else its time follows from the duration.
        """
        if self._turn is None or not self._reply_begun:
            return
        self._reply.hear(at, word, written, is_exact=is_exact)
        self.note(at, "agent_word", word=word)

    def backchannel(self, at: float, text: str) -> None:
        """The user said something without taking the floor."""
        if self._turn is not None:
            self._turn.backchannels.append({"t": round(at, 3), "text": text})
        self.note(at, "backchannel", text=text)

    def reply_arrived(self, at: float) -> None:
        """The reply's beginning came out of the transport: what ends from now on is this reply."""
        self._reply_arrived = self._reply_begun

    def reply_ended(self, at: float) -> TurnRecord | None:
        """The reply was played to its end (or there was nothing to play): the turn closes.

        The end of a reply that was dropped may still come along after the next one was asked for.
        """
        if self._turn is None or not self._reply_arrived:
            return None
        self.note(at, "agent_speech_stop")
        return self._close(interrupted=False)

    def barged_in(self, at: float) -> TurnRecord | None:
        """The user takes the floor: give the turn that is cut; None if nothing of its reply was heard yet.

        In that case the turn stays open for the words to come. So it does if a first syllable of the reply was
        heard when the user was already going on: the turn had been closed too early.
        """
        if self._turn is None:
            return None
        self._goes_on = False
        if not self._audible or (self._moments.user_went_on and not self._reply.heard):
            self._reply_begun = self._reply_arrived = self._audible = False
            self._forget_reply()
            return None
        self.note(at, "barge_in")
        moments = self._moments
        turn = self._close(interrupted=True)
        self._moments = moments.speech_since(self._early.begin_with(turn.timeline))
        return turn

    def failed(self, at: float, part: str, reason: str, detail: str) -> None:
        """A part of the pipeline failed; the turn degraded."""
        if self._turn is not None:
            self._turn.failures.append({"part": part, "reason": reason, "detail": detail})
        self.note(at, "failure", part=part, reason=reason, detail=detail)

    def finish(self, at: float) -> TurnRecord | None:
        """The conversation ends: an open turn closes as it stands."""
        if self._turn is None:
            return None
        self.note(at, "conversation_end")
        return self._close(interrupted=self._audible)

    # Inside

    def _close(self, *, interrupted: bool) -> TurnRecord:
        turn = self._turn
        assert turn is not None
        turn.heard_text = self._reply.heard
        turn.heard_estimated = self._reply.is_estimated
        spoken = self._reply.spoken
        if interrupted or turn.heard_text:
            turn.reply_text = spoken
        turn.interrupted = interrupted and rest_of_reply(spoken, turn.heard_text) != ""
        if turn.proposed_update is not None:
            turn.state_update = turn.proposed_update
        self._turn = None
        self._reply_begun = self._reply_arrived = self._goes_on = self._audible = False
        self._user_words.turn_closed()
        self.last_reply, self._reply = self._reply, ReplyText(self._spoken_form)
        self._moments = Moments()
        self.closed_turns.append(turn)
        for sink in self.on_closed:
            sink(turn)
        return turn

    def _forget_reply(self) -> None:
        """What is answered from here on is another reply."""
        self._reply = ReplyText(self._spoken_form)
        if self._turn is not None:
            self._turn.llm_response = ""
            self._turn.proposed_update = None

    def note(self, at: float, kind: str, **details: Any) -> None:
        """Put an event on the timeline."""
        event = {"t": round(at, 3), "kind": kind, **details}
        take = self._early.add if self._turn is None else self._turn.timeline.append
        take(event)
        for sink in self.on_event:
            sink(event)
