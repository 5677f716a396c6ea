"""The conversation as a picture: rows of marks over one time axis.

```
 0:00       0:05        0:10
 turns      [   1    ][    2     ]
 user       ▁▃▅▂▁        ▂▅▃           waveform
 heard      i like | window seats ✓    partial words, final text
 turn-taking      ◆■●                  tail, VAD stop, turn end
 memory            ▭ 2                 recall
 answer             ▭▭                 model, voice
 agent               ▂▃▅▃✂             waveform, cut
 spoken              Sure, I ~~will~~  words heard; unheard ones struck
```

Positions are percent of the axis, so that a page can be zoomed by widening the axis alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pipeline.report.coerce import number, plain, text
from pipeline.report.heard import split_heard
from pipeline.report.session_file import Event, Turn
from pipeline.report.wording import clock, count, milliseconds

ROWS = (
    ("turns", "Turns"),
    ("user", "User"),
    ("heard", "Heard"),
    ("taking", "Turn-taking"),
    ("memory", "Memory"),
    ("answer", "Answer"),
    ("agent", "Agent"),
    ("spoken", "Spoken"),
)
_MAX_LABELS = 1500
_WORD_S = 0.5  # shown length of a word or an interim that nothing follows, seconds
_PAUSE_S = 1.5  # the longest stretch a word or an interim is drawn over, seconds


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing on a row.

    Attributes:
        row: Key of ``ROWS``.
        kind: Decides how it looks.
        t: When, seconds.
        left: Percent of the axis.
        width: Percent of the axis; 0 for a point.
        text: What is written on it.
        label: The whole story, for people who hover, tap, focus or listen.
        turn: Position of its turn, from 1.
        language: Of ``text``.
    """

    row: str
    kind: str
    t: float
    left: float
    width: float
    text: str
    label: str
    turn: int
    language: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of the time axis; ``step`` is the coarsest spacing (seconds) it belongs to."""

    left: float
    text: str
    step: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The picture.

    Attributes:
        seconds: Length of the axis.
        rows: Key, name and marks in time order.
        ticks: Labels of the axis.
    """

    seconds: float
    rows: tuple[tuple[str, str, tuple[Mark, ...]], ...]
    ticks: tuple[Tick, ...]


def build_timeline(turns: Sequence[Turn], audio_seconds: float = 0.0) -> Timeline | None:
    """Lay out the picture.

    Args:
        turns: All turns.
        audio_seconds: Length of the recording; 0 if there is none.

    Returns:
        The picture without the rows on which nothing happened; None if neither a timeline nor sound is known.
    """
    last = max((event.t for turn in turns for event in turn.events), default=0.0)
    if not last and not audio_seconds:
        return None
    seconds = max(audio_seconds, last + 0.5, 1.0)
    drawn = list(_without_echoes(turns))
    replies = [_first(turn, "agent_speech_start") for turn in drawn[1:]] + [None]
    pens = [_Pen(turn, seconds, reply or seconds) for turn, reply in zip(drawn, replies, strict=True)]
    marks = sorted((mark for pen in pens for mark in _marks(pen)), key=lambda mark: mark.t)
    rows = ((key, name, tuple(mark for mark in marks if mark.row == key)) for key, name in ROWS)
    shown = tuple(row for row in rows if row[2] or (audio_seconds and row[0] in {"user", "agent"}))
    return Timeline(seconds, shown, tuple(_ticks(seconds)))


def describe(event: Event) -> tuple[str, str]:
    """An event as (name, details) for the list of a turn's events."""
    details = event.details
    match event.kind:
        case "interim":
            stable, unstable = text(details.get("stable")).strip(), text(details.get("unstable")).strip()
            return "Partial words", " ".join(part for part in (stable, f"[{unstable}]" if unstable else "") if part)
        case "final":
            return "Final text", text(details.get("text"))
        case "recall":
            items = details.get("items")
            found = len(items) if isinstance(items, list) else int(number(items) or 0)
            parts = [f"T{int(tier)}" if (tier := number(details.get("tier"))) is not None else ""]
            parts += [text(details.get("reason")).replace("_", " "), _ms(details.get("ms")), count(found, "memory")]
            return "Recall", ", ".join(part for part in parts if part).replace("memorys", "memories")
        case "agent_word":
            return "Word spoken", text(details.get("word"))
        case "failure":
            said = (text(details.get(key)) for key in ("part", "reason", "detail"))
            return "Failure", ", ".join(word for word in said if word)
    return _NAMES.get(event.kind, ""), ", ".join(f"{key}: {plain(value)}" for key, value in details.items())


_NAMES = {
    "user_speech_start": "User starts to speak",
    "speech_tail": "Speech tail: first silent moment",
    "vad_stop": "Voice detector: stopped",
    "turn_end": "Turn has ended",
    "llm_request": "Request to the model",
    "llm_first_token": "First token of the model",
    "tts_first_audio": "First audio of the voice",
    "agent_speech_start": "Agent starts to speak",
    "agent_speech_stop": "Agent stops",
    "barge_in": "Cut: the user interrupts",
    "conversation_end": "The conversation ends",
}
_POINTS = {
    "speech_tail": "taking",
    "vad_stop": "taking",
    "turn_end": "taking",
    "llm_request": "answer",
    "llm_first_token": "answer",
    "tts_first_audio": "answer",
    "barge_in": "agent",
    "failure": "answer",
}


def _without_echoes(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Speech that cut a reply short is in that turn and in the one it opens: draw it in the latter."""
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        opening = {(event.t, event.kind) for event in following.events} if following else set()
        yield replace(turn, events=tuple(event for event in turn.events if (event.t, event.kind) not in opening))


def _first(turn: Turn, kind: str) -> float | None:
    return next((event.t for event in turn.events if event.kind == kind), None)


def _marks(pen: _Pen) -> Iterator[Mark]:
    turn = pen.turn
    if not turn.events:
        return
    start, end = turn.events[0].t, turn.events[-1].t
    words = turn.user_text or "no words"
    yield pen.mark("turns", "turn", start, end, turn.turn_id, f"Turn {turn.turn_id}: {words}")
    yield from _speech(pen)
    yield from _interims(pen)
    yield from _spoken(pen)
    yield from _spans(pen)
    for event in turn.events:
        name, details = describe(event)
        label = f"{name}: {details}" if details else name
        if event.kind == "recall":
            ms = number(event.details.get("ms")) or 0.0
            items = event.details.get("items")
            found = len(items) if isinstance(items, list) else int(number(items) or 0)
            yield pen.mark("memory", "recall", max(event.t - ms / 1000, 0.0), event.t, str(found), label)
        elif event.kind == "final":
            yield pen.mark("heard", "final", event.t, event.t, "✓", label)
        elif row := _POINTS.get(event.kind):
            yield pen.mark(row, event.kind.replace("_", "-"), event.t, event.t, "", label)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Draws marks of one turn.

    Attributes:
        turn: The turn.
        seconds: Length of the axis.
        next_reply: When the reply to the next turn begins.
    """

    turn: Turn
    seconds: float
    next_reply: float

    def mark(self, row: str, kind: str, start: float, end: float, written: str, label: str) -> Mark:
        left, right = (round(100 * min(t, self.seconds) / self.seconds, 5) for t in (start, end))
        label = f"{clock(start)} — {label}"
        return Mark(
            row,
            kind,
            start,
            left,
            round(max(right - left, 0.0), 5),
            written,
            label,
            self.turn.position,
            self.turn.language,
        )


def _speech(pen: _Pen) -> Iterator[Mark]:
    """Stretches in which somebody speaks, behind the waveforms."""
    turn = pen.turn
    for row, starts, stops, who in (
        ("user", {"user_speech_start"}, {"vad_stop"}, "User speaks"),
        ("agent", {"agent_speech_start"}, {"agent_speech_stop", "barge_in"}, "Agent speaks"),
    ):
        begun: float | None = None
        for event in turn.events:
            if event.kind in starts and begun is None:
                begun = event.t
            elif event.kind in stops and begun is not None:
                yield pen.mark(row, "speech", begun, event.t, "", f"{who} until {clock(event.t)}")
                begun = None
        if begun is not None:
            yield pen.mark(row, "speech", begun, turn.events[-1].t, "", who)


def _interims(pen: _Pen) -> Iterator[Mark]:
    """Each partial result as the words it added to the one before; they take turns on two lines."""
    turn = pen.turn
    interims = [event for event in turn.events if event.kind == "interim"]
    finals = [event.t for event in turn.events if event.kind == "final"]
    before = ""
    for index, event in enumerate(interims):
        stable, unstable = text(event.details.get("stable")), text(event.details.get("unstable"))
        whole = " ".join(part for part in (stable.strip(), unstable.strip()) if part)
        following = [other.t for other in interims[index + 2 : index + 3]] + [t for t in finals if t > event.t][:1]
        end = min([*following, event.t + _PAUSE_S]) if following else event.t + _WORD_S
        name, details = describe(event)
        new = whole[_common(before, whole) :].strip()
        kind = "interim" if stable.strip() == whole else "interim-open"
        kind += " low" if index % 2 else ""
        yield pen.mark("heard", kind, event.t, end, new or "·", f"{name}: {details}")
        before = whole
    start = _first(turn, "user_speech_start")
    if start is not None and turn.user_text:
        end = max([event.t for event in turn.events if event.kind in {"vad_stop", "final"}], default=start + 1)
        yield pen.mark("heard", "far", start, max(end, start), turn.user_text, f"User: {turn.user_text}")


def _common(before: str, after: str) -> int:
    """Length of the common beginning, up to a word boundary."""
    length = 0
    while length < min(len(before), len(after)) and before[length].casefold() == after[length].casefold():
        length += 1
    if length < len(after) and after[:length].isascii():
        length = max(after.rfind(" ", 0, length + 1), 0)
    return length


def _spoken(pen: _Pen) -> Iterator[Mark]:
    """The agent's words where they were heard, and the unheard rest behind the cut.

    A word is logged when its last sample was played; it is drawn from the end of the word before it.
    """
    turn = pen.turn
    stops = [event.t for event in turn.events if event.kind in {"agent_speech_stop", "barge_in"}]
    start = _first(turn, "agent_speech_start")
    before = start if start is not None else 0.0
    for event in turn.events:
        if event.kind != "agent_word":
            continue
        word = text(event.details.get("word"))
        yield pen.mark(
            "spoken", "word", max(min(before, event.t), event.t - _PAUSE_S), event.t, word, f"Spoken: {word}"
        )
        before = event.t
    end = stops[0] if stops else turn.events[-1].t
    heard = turn.heard_text if turn.heard_text is not None else turn.reply_text
    if start is not None and heard:
        yield pen.mark("spoken", "far", start, max(end, start), heard, f"Agent: {heard}")
    parts = split_heard(turn.reply_text, turn.heard_text) if turn.heard_text is not None else None
    if parts and parts[1].strip() and stops:
        unheard = parts[1].strip()
        until = min(end + min(len(unheard) / (5 if turn.language == "zh" else 15), 2.5), pen.next_reply)
        yield pen.mark("spoken", "unheard", end, until, unheard, f"Never heard: {unheard}")


def _spans(pen: _Pen) -> Iterator[Mark]:
    """Bars between two events that follow each other."""
    turn = pen.turn
    for row, kind, begin, finish, name in (
        ("taking", "tail", "speech_tail", "vad_stop", "Speech tail"),
        ("taking", "anticipation", "vad_stop", "turn_end", "Anticipation"),
        ("answer", "model", "llm_request", "llm_first_token", "Model"),
        ("answer", "voice", "llm_first_token", "tts_first_audio", "Voice"),
    ):
        begun: float | None = None
        for event in turn.events:
            if event.kind == begin:
                begun = event.t
            elif event.kind == "user_speech_start" and row == "taking":
                begun = None
            elif event.kind == finish and begun is not None:
                took = milliseconds((event.t - begun) * 1000)
                yield pen.mark(row, kind, begun, event.t, "", f"{name}: {took}")
                begun = None


def _ms(value: object) -> str:
    ms = number(value)
    return "" if ms is None else milliseconds(ms)


def _ticks(seconds: float) -> Iterator[Tick]:
    steps = (1, 5, 15, 60, 300, 900)
    finest = next((step for step in steps if seconds / step <= _MAX_LABELS), steps[-1])
    for second in range(0, int(seconds) + 1, finest):
        coarsest = max((step for step in steps if second % step == 0), default=finest)
        yield Tick(round(100 * second / seconds, 5), clock(second, 0), coarsest)
