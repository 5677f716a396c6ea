"""The marks of one turn on the timeline: speech, words, bars between events, single moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.report.coerce import number, text
from pipeline.report.events import describe
from pipeline.report.heard import split_heard
from pipeline.report.session_file import Turn
from pipeline.report.wording import clock, milliseconds

_WORD_S = 0.5  # shown length of a word or an interim that nothing follows, seconds
_PAUSE_S = 1.5  # the longest stretch a word or an interim is drawn over, seconds
_PHRASE_S = 1.6  # the longest run of words that is written as one, seconds


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


def first_time(turn: Turn, kind: str) -> float | None:
    """When the first event of a kind happened, or None."""
    return next((event.t for event in turn.events if event.kind == kind), None)


def draw_turn(pen: Pen) -> Iterator[Mark]:
    """All marks of one turn, in no order."""
    turn = pen.turn
    if not turn.events:
        return
    start, end = turn.events[0].t, turn.events[-1].t
    words = turn.user_text or "no words"
    yield pen.mark("turns", "turn", start, end, turn.turn_id, f"Turn {turn.turn_id}: {words}")
    yield from _speech(pen)
    yield from _said(pen)
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
class Pen:
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
        """A mark from ``start`` to ``end`` (seconds) with ``written`` on it; ``label`` tells the whole story."""
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


def _speech(pen: Pen) -> Iterator[Mark]:
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


def _interims(pen: Pen) -> Iterator[Mark]:
    """Each partial result as the words it added to the one before; they take turns on two lines."""
    turn = pen.turn
    gap = "" if turn.language == "zh" else " "
    interims = [event for event in turn.events if event.kind == "interim"]
    finals = [event.t for event in turn.events if event.kind == "final"]
    before = ""
    for index, event in enumerate(interims):
        stable, unstable = text(event.details.get("stable")), text(event.details.get("unstable"))
        whole = gap.join(part for part in (stable.strip(), unstable.strip()) if part)
        following = [other.t for other in interims[index + 2 : index + 3]] + [t for t in finals if t > event.t][:1]
        end = min([*following, event.t + _PAUSE_S]) if following else event.t + _WORD_S
        name, details = describe(event)
        new = _new_words(before, whole)
        kind = "interim-same" if not new else "interim" if stable.strip() == whole else "interim-open"
        kind += " low" if index % 2 else ""
        yield pen.mark("heard", kind, event.t, end if new else event.t, new, f"{name}: {details}")
        before = whole
    start = first_time(turn, "user_speech_start")
    if start is not None and turn.user_text:
        end = max([event.t for event in turn.events if event.kind in {"vad_stop", "final"}], default=start + 1)
        if turn.user_words:
            start, end = turn.user_words[0][0], turn.user_words[-1][1]
        yield pen.mark("heard", "far", start, max(end, start), turn.user_text, f"User: {turn.user_text}")


def _said(pen: Pen) -> Iterator[Mark]:
    """The user's words where they were said."""
    words = pen.turn.user_words
    for begin, end, word in words:
        yield pen.mark("said", "word", begin, end, word, f"Said: {word}")
    yield from _phrases(pen, words, "said", "Said")


def _new_words(before: str, after: str) -> str:
    """What follows the words that both begin with."""
    if parts := split_heard(after, before):
        return parts[1].strip()
    length = 0
    while length < min(len(before), len(after)) and before[length].casefold() == after[length].casefold():
        length += 1
    if length < len(after) and after[:length].isascii():
        length = max(after.rfind(" ", 0, length + 1), 0)
    return after[length:].strip()


def _spoken(pen: Pen) -> Iterator[Mark]:
    """The agent's words where they were heard, and the unheard rest behind the cut.

    A word is logged when its last sample was played; it is drawn from the end of the word before it.
    """
    turn = pen.turn
    stops = [event.t for event in turn.events if event.kind in {"agent_speech_stop", "barge_in"}]
    start = first_time(turn, "agent_speech_start")
    words: list[tuple[float, float, str]] = []
    for event in turn.events:
        if event.kind == "agent_word":
            before = words[-1][1] if words else event.t if start is None else start
            begin = max(min(before, event.t), event.t - _PAUSE_S)
            words.append((begin, event.t, text(event.details.get("word")).strip()))
    for begin, end, word in words:
        yield pen.mark("spoken", "word", begin, end, word, f"Spoken: {word}")
    yield from _phrases(pen, words, "spoken", "Spoken")
    end = stops[0] if stops else turn.events[-1].t
    heard = turn.heard_text if turn.heard_text is not None else turn.reply_text
    if start is not None and heard:
        yield pen.mark("spoken", "far", start, max(end, start), heard, f"Agent: {heard}")
    parts = split_heard(turn.reply_text, turn.heard_text) if turn.heard_text is not None else None
    if parts and parts[1].strip() and stops:
        unheard = parts[1].strip()
        until = min(end + min(len(unheard) / (5 if turn.language == "zh" else 15), 2.5), pen.next_reply)
        yield pen.mark("spoken", "unheard", end, until, unheard, f"Never heard: {unheard}")


def _phrases(pen: Pen, words: Sequence[tuple[float, float, str]], row: str, label: str) -> Iterator[Mark]:
    """Words side by side, for scales at which single words are narrower than their letters."""
    gap = "" if pen.turn.language == "zh" else " "
    phrase: list[tuple[float, float, str]] = []
    for word in words:
        if phrase and (word[1] - phrase[0][0] > _PHRASE_S or word[0] - phrase[-1][1] > _WORD_S):
            written = gap.join(said for _, _, said in phrase)
            end = min(word[0], phrase[-1][1] + _WORD_S)
            yield pen.mark(row, "phrase", phrase[0][0], end, written, f"{label}: {written}")
            phrase = []
        phrase.append(word)
    if phrase:
        written = gap.join(said for _, _, said in phrase)
        yield pen.mark(row, "phrase", phrase[0][0], phrase[-1][1], written, f"{label}: {written}")


def _spans(pen: Pen) -> Iterator[Mark]:
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
