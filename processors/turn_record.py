"""The record of one turn: what ``session.jsonl`` holds, one line per turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memory.nouns import Emotion, RecallResult
from memory.past_turns import PastTurn
from processors.spoken_words import join_words, rest_of_reply


@dataclass
class Latencies:
    """Where the time of a turn went, milliseconds.

    Attributes:
        speech_end_to_vad_stop: Last speech sample to the VAD's stop.
        asr_final: VAD stop to the final transcript.
        turn_decision: VAD stop to the end of the turn.
        recall: Working time of the recall.
        llm_first_token: Request to the model's first token.
        tts_first_audio: First token to the first audio from the voice.
        voice_to_voice: Last speech sample of the user to the first non-silent sample written out.
    """

    speech_end_to_vad_stop: float = 0.0
    asr_final: float = 0.0
    turn_decision: float = 0.0
    recall: float = 0.0
    llm_first_token: float = 0.0
    tts_first_audio: float = 0.0
    voice_to_voice: float = 0.0


@dataclass
class ToolCall:
    """One call of a tool."""

    name: str
    arguments: dict[str, Any]
    result: Any = None
    status: str = "started"


@dataclass
class TurnRecord:
    """Everything that is known about one turn. Built up while it happens; see ``turn_tracker``.

    Times in ``timeline`` are seconds on the conversation's clock (sample 0 of ``conversation.wav``).
    ``user_words`` are (word, start, end) on the same clock; empty if the user typed or nobody aligned them.
    ``state_update`` is what the model proposed, if it proposed anything, else what the user's words changed.
    ``backchannels`` is what the user said without taking the floor. ``heard_estimated`` says that the voice has no
    times of its own words, so that ``heard_text`` follows from durations.
    """

    session_id: str
    turn_id: int
    user_id: str
    started_at: float
    language: str
    user_text: str = ""
    user_words: list[tuple[str, float, float]] = field(default_factory=list)
    emotion: Emotion = field(default_factory=Emotion)
    inner_state_before: dict[str, Any] = field(default_factory=dict)
    recall: RecallResult = field(default_factory=RecallResult)
    llm_response: str = ""
    llm_model: str = ""
    state_update: dict[str, Any] = field(default_factory=dict)
    proposed_update: dict[str, Any] | None = None
    tool_calls: list[ToolCall] = field(default_factory=list)
    inner_state_after: dict[str, Any] = field(default_factory=dict)
    reply_text: str = ""
    heard_text: str = ""
    heard_estimated: bool = False
    interrupted: bool = False
    backchannels: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    latency: Latencies = field(default_factory=Latencies)
    timeline: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Give the line of ``session.jsonl``; times of the day in ISO 8601, UTC."""
        return {
            "session_id": self.session_id,
            "turn_id": self.turn_id,
            "user_id": self.user_id,
            "started_at": iso_time(self.started_at),
            "language": self.language,
            "user_text": self.user_text,
            "user_words": [[word, round(start, 3), round(end, 3)] for word, start, end in self.user_words],
            "emotion": {
                "label": self.emotion.label,
                "valence": round(self.emotion.valence, 3),
                "arousal": round(self.emotion.arousal, 3),
                "confidence": round(self.emotion.confidence, 3),
                "source": self.emotion.source,
            },
            "inner_state_before": self.inner_state_before,
            "recalled": [
                {
                    "id": item.id,
                    "text": item.text,
                    "score": round(item.score, 4),
                    "brain": item.brain,
                    "said_at": iso_time(item.said_at),
                    "utterances": list(item.utterances),
                }
                for item in self.recall.items
            ],
            "recall": {
                "tier": self.recall.tier,
                "reason": str(self.recall.reason),
                "ms": round(self.recall.ms, 2),
                "tokens": self.recall.tokens,
            },
            "llm": {"model": self.llm_model},
            "llm_response": self.llm_response,
            "state_update": self.state_update,
            "tool_calls": [vars(call) for call in self.tool_calls],
            "inner_state_after": self.inner_state_after,
            "reply_text": self.reply_text,
            "heard_text": self.heard_text,
            "unheard_text": rest_of_reply(self.reply_text, self.heard_text),
            "heard_estimated": self.heard_estimated,
            "interrupted": self.interrupted,
            "backchannels": self.backchannels,
            "failures": self.failures,
            "latency_ms": {name: round(value, 1) for name, value in vars(self.latency).items()},
            "timeline": self.timeline,
        }


def taken_up(past: Iterable[PastTurn], session_id: str, user_id: str) -> list[TurnRecord]:
    """Turns of a session that is taken up again, with what is still known of them."""
    return [
        TurnRecord(
            session_id=session_id,
            turn_id=turn.turn_id,
            user_id=user_id,
            started_at=turn.started_at,
            language=turn.language,
            user_text=turn.user_text,
            reply_text=join_words([turn.heard, turn.unheard]),
            heard_text=turn.heard,
            interrupted=bool(turn.unheard.strip()),
        )
        for turn in past
    ]


def milliseconds(start: float, end: float) -> float:
    """From ``start`` to ``end``, both in seconds; never negative."""
    return max(0.0, (end - start) * 1000.0)


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Fields of an inner state that differ, with their new value; the version is not a field of the update."""
    return {key: value for key, value in after.items() if key != "version" and before.get(key) != value}


def iso_time(seconds: float) -> str:
    """Seconds since the epoch as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
