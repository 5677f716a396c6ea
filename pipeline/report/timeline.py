"""The conversation as a picture: rows of marks over one time axis.

```
 0:00       0:05        0:10
 turns      [   1    ][    2     ]
 user       ▁▃▅▂▁        ▂▅▃           waveform
 said       I like       window seats  where the user's words were said
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

from pipeline.report.marks import Mark, Pen, draw_turn, first_time
from pipeline.report.session_file import Turn
from pipeline.report.wording import clock

ROWS = (
    ("turns", "Turns"),
    ("user", "User"),
    ("said", "Said"),
    ("heard", "Heard"),
    ("taking", "Turn-taking"),
    ("memory", "Memory"),
    ("answer", "Answer"),
    ("agent", "Agent"),
    ("spoken", "Spoken"),
)
_MAX_LABELS = 1500


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
    replies = [first_time(turn, "agent_speech_start") for turn in drawn[1:]] + [None]
    pens = [Pen(turn, seconds, reply or seconds) for turn, reply in zip(drawn, replies, strict=True)]
    marks = sorted((mark for pen in pens for mark in draw_turn(pen)), key=lambda mark: mark.t)
    rows = ((key, name, tuple(mark for mark in marks if mark.row == key)) for key, name in ROWS)
    shown = tuple(row for row in rows if row[2] or (audio_seconds and row[0] in {"user", "agent"}))
    return Timeline(seconds, shown, tuple(_ticks(seconds)))


def _without_echoes(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Speech that cut a reply short is in that turn and in the one it opens: draw it in the latter."""
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        opening = {(event.t, event.kind) for event in following.events} if following else set()
        yield replace(turn, events=tuple(event for event in turn.events if (event.t, event.kind) not in opening))


def _ticks(seconds: float) -> Iterator[Tick]:
    steps = (1, 5, 15, 60, 300, 900)
    finest = next((step for step in steps if seconds / step <= _MAX_LABELS), steps[-1])
    for second in range(0, int(seconds) + 1, finest):
        coarsest = max((step for step in steps if second % step == 0), default=finest)
        yield Tick(round(100 * second / seconds, 5), clock(second, 0), coarsest)
