"""What was recalled and why, in words a person can check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from pipeline.report.coerce import moment, number, text
from pipeline.report.session_file import Turn
from pipeline.report.wording import date_and_time, earlier

DEADLINE_MS = 134.0  # the paper's retrieval budget; `memory.deadline_ms` by default

TIERS = {
    0: "profile and inner state only",
    1: "words of the final text",
    2: "words of the final text, fused with the meaning of the partial words",
    3: "words and meaning of the final text, and one hop through the graph",
}
REASONS = {
    "complete": "the search ran to its end",
    "deadline": "the deadline came first; what was found by then was used",
    "error": "the search failed; the turn went on without it",
    "empty": "nothing is stored that could match",
    "below_floor": "nothing stored was close enough",
}


@dataclass(frozen=True, slots=True)
class RecalledItem:
    """One remembered line as the page shows it.

    Attributes:
        text: The words.
        when: When it was said, in words.
        where: In which session and turn, as far as the file tells.
        score: Rank score, comparable within this recall.
        share: The score relative to the best one, 0 to 1.
        brain: ``facts`` or ``the person``.
    """

    text: str
    when: str
    where: str
    score: str
    share: float
    brain: str


@dataclass(frozen=True, slots=True)
class RecallView:
    """The recall of one turn.

    Attributes:
        items: Best first.
        tier: How far up the ladder it got, with what that means; empty if the turn has no recall.
        reason: Why it ended there.
        ms: Milliseconds, or None.
        within_budget: Whether it kept the budget; None if unknown.
        tokens: Tokens of the items.
    """

    items: tuple[RecalledItem, ...]
    tier: str
    reason: str
    ms: float | None
    within_budget: bool | None
    tokens: int | None


def view_recall(turn: Turn, turns: Sequence[Turn]) -> RecallView:
    """Describe a turn's recall.

    Args:
        turn: The turn.
        turns: All turns of the file, to find where an item was said.
    """
    scores = [number(item.get("score")) for item in turn.recalled]
    best = max((score for score in scores if score is not None), default=0.0)
    items = tuple(
        RecalledItem(
            text=text(item.get("text")),
            when=_when(item.get("said_at"), turn),
            where=_where(item, turn, turns),
            score="" if score is None else f"{score:.3g}",
            share=max(0.0, min(1.0, score / best)) if score is not None and best > 0 else 0.0,
            brain={"left": "facts", "right": "the person"}.get(text(item.get("brain")), ""),
        )
        for item, score in zip(turn.recalled, scores, strict=True)
    )
    tier, reason, tokens = number(turn.recall.get("tier")), text(turn.recall.get("reason")), turn.recall.get("tokens")
    ms = recall_ms(turn)
    return RecallView(
        items=items,
        tier="" if tier is None else f"T{int(tier)}: {TIERS.get(int(tier), 'unknown tier')}",
        reason=f"{reason.replace('_', ' ')}: {REASONS[reason]}" if reason in REASONS else reason,
        ms=ms,
        within_budget=None if ms is None else ms <= DEADLINE_MS,
        tokens=None if number(tokens) is None else int(number(tokens) or 0),
    )


def recall_ms(turn: Turn) -> float | None:
    """Milliseconds the turn's recall took: from its record, else from the latencies."""
    ms = number(turn.recall.get("ms"))
    return ms if ms is not None and ms >= 0 else turn.latency_ms.get("recall")


def _when(said_at: object, turn: Turn) -> str:
    at = moment(said_at)
    if at is None:
        return ""
    if turn.started_at is None:
        return date_and_time(at)
    at = at.astimezone(turn.started_at.tzinfo)
    return f"{date_and_time(at)}, {earlier(turn.started_at - at)}"


def _where(item: dict[str, object], turn: Turn, turns: Sequence[Turn]) -> str:
    """The session and turn an item was said in: as logged, else by its words and its time."""
    session = text(item.get("session_id"))
    source = _source_turn(item, turn, turns)
    if source is not None:
        here = "this session" if source.session_id == turn.session_id else f"session {source.session_id}"
        return f"{here}, turn {source.turn_id}"
    if session:
        return "this session" if session == turn.session_id else f"session {session}"
    at = moment(item.get("said_at"))
    starts = [t.started_at for t in turns if t.session_id == turn.session_id and t.started_at]
    if at is not None and starts and at < min(starts) - timedelta(seconds=30):
        return "an earlier session"
    return ""


def _source_turn(item: dict[str, object], turn: Turn, turns: Sequence[Turn]) -> Turn | None:
    said = text(item.get("text")).strip()
    session = text(item.get("session_id"))
    for other in reversed(turns[: turn.position - 1]):
        if session and other.session_id != session:
            continue
        if said and said in {other.user_text.strip(), (other.heard_text or other.reply_text).strip()}:
            return other
    return None
