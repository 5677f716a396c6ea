"""The stages between the end of the user's words and the agent's first sound.

```
user speaks ───────────┐ end of speech                          first audio ┌──── agent speaks
listening ─────────────┴──── tail                                           │
                             speech tail ── VAD stop                        │
                                            anticipation ── turn end        │
                                               searching                    │
                                                            model ── token  │
                                                                     voice ─┘
                       └──────────────── voice to voice ────────────────────┘
```

Listening, speech tail, anticipation and searching are the four stages of VoiceMem (Li et al.); searching has a
budget of 134 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.report.coerce import number
from pipeline.report.recalled import DEADLINE_MS, recall_ms
from pipeline.report.session_file import Event, Turn


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar of the waterfall.

    Attributes:
        key: ``listening`` | ``tail`` | ``anticipation`` | ``searching`` | ``model`` | ``voice`` | ``total``.
        name: What the page calls it.
        explanation: What it is, for people.
        start_ms: Where it begins; 0 is the end of the user's speech.
        ms: How long it took.
    """

    key: str
    name: str
    explanation: str
    start_ms: float
    ms: float

    @property
    def end_ms(self) -> float:
        """Where it ends, on the same scale as ``start_ms``."""
        return self.start_ms + self.ms


_NAMES = {
    "listening": ("Listening", "while the user speaks, until the first silent moment"),
    "tail": ("Speech tail", "from the first silent moment until the voice detector says stopped"),
    "anticipation": ("Anticipation", "from there until it is clear that the turn has ended"),
    "searching": ("Searching", f"recall from memory, with a budget of {DEADLINE_MS:.0f} ms"),
    "model": ("Model", "from the request to its first token"),
    "voice": ("Voice", "from the first token to the first audio"),
    "total": ("Voice to voice", "from the end of the user's speech to the first sound of the reply"),
}


def stages_of(turn: Turn) -> list[Stage]:
    """The stages of a turn, from its timeline; from its latencies alone if it has none.

    Args:
        turn: The turn.

    Returns:
        The known stages in the order they begin; empty for a turn without sound.
    """
    moments = _moments(turn.events)
    return _from_timeline(turn, moments) if "tail" in moments or "vad_stop" in moments else _from_latencies(turn)


def _stage(key: str, start_ms: float, ms: float) -> Stage:
    name, explanation = _NAMES[key]
    return Stage(key, name, explanation, start_ms, max(ms, 0.0))


def _moments(events: Sequence[Event]) -> dict[str, float]:
    """When each step was taken, seconds: for the reply that was spoken, after the last pause before it."""
    found: dict[str, float] = {}

    def first(name: str, kind: str, after: float = 0.0) -> None:
        times = [event.t for event in events if event.kind == kind and event.t >= after]
        if times:
            found[name] = times[0]

    def last(name: str, kind: str, until: float) -> None:
        times = [event.t for event in events if event.kind == kind and event.t <= until]
        if times:
            found[name] = times[-1]

    never = float("inf")
    first("start", "user_speech_start")
    first("spoken", "agent_speech_start", found.get("start", 0.0))
    last("request", "llm_request", found.get("spoken", never))
    last("turn_end", "turn_end", found.get("request", never))
    last("vad_stop", "vad_stop", found.get("turn_end", found.get("request", never)))
    last("tail", "speech_tail", found.get("vad_stop", found.get("turn_end", never)))
    last("recall", "recall", found.get("request", never))
    asked = found.get("request", found.get("turn_end", found.get("vad_stop", 0.0)))
    first("token", "llm_first_token", asked)
    first("audio", "tts_first_audio", found.get("token", asked))
    if "audio" not in found and "spoken" in found:
        found["audio"] = found["spoken"]
    for event in events:
        end = number(event.details.get("speech_end"))
        if event.t == found.get("vad_stop") and end is not None and found.get("start", 0.0) <= end <= event.t:
            found["speech_end"] = end
    return found


def _from_timeline(turn: Turn, at: dict[str, float]) -> list[Stage]:
    vad_stop, tail = at.get("vad_stop"), at.get("tail")
    spoken = turn.latency_ms.get("speech_end_to_vad_stop")
    heard_end = tail if tail is not None else vad_stop
    zero = at.get("speech_end", vad_stop - spoken / 1000 if vad_stop is not None and spoken else heard_end)
    assert zero is not None and heard_end is not None
    stages: list[Stage] = []

    def between(key: str, start: float | None, end: float | None) -> None:
        if start is not None and end is not None and end >= start:
            stages.append(_stage(key, (start - zero) * 1000, (end - start) * 1000))

    between("listening", at.get("start"), heard_end)
    between("tail", tail, vad_stop)
    between("anticipation", vad_stop, at.get("turn_end", at.get("request")))
    ms = recall_ms(turn)
    if ms is not None and ("recall" in at or turn.recall):
        end = at.get("recall", (heard_end + ms / 1000))
        stages.append(_stage("searching", max((end - zero) * 1000 - ms, (heard_end - zero) * 1000), ms))
    request = at.get("request", at.get("turn_end"))
    between("model", request, at.get("token"))
    between("voice", at.get("token"), at.get("audio"))
    total = turn.latency_ms.get("voice_to_voice") or ((at["audio"] - zero) * 1000 if "audio" in at else 0.0)
    if total > 0:
        stages.append(_stage("total", 0.0, total))
    return stages


def _from_latencies(turn: Turn) -> list[Stage]:
    """A chain of the logged durations; each step begins where the one before it ended."""
    known = turn.latency_ms
    total = known.get("voice_to_voice", 0.0)
    stages: list[Stage] = []
    position = 0.0
    for key, name in (
        ("tail", "speech_end_to_vad_stop"),
        ("anticipation", "turn_decision"),
        ("model", "llm_first_token"),
        ("voice", "tts_first_audio"),
    ):
        if ms := known.get(name):
            stages.append(_stage(key, position, ms))
            position += ms
    if not stages and not total:
        return []
    if ms := recall_ms(turn):
        start = next((stage.start_ms for stage in stages if stage.key == "anticipation"), 0.0)
        stages.insert(sum(stage.start_ms <= start for stage in stages), _stage("searching", start, ms))
    if total:
        stages.append(_stage("total", 0.0, total))
    return stages
