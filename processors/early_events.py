"""Events that happen before there is a turn they belong to: speech whose words are not known yet."""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]

_OF_SPEECH = ("user_speech_start", "interim", "speech_tail", "vad_stop", "final")
# Of speech that led to no turn, at most this many events are kept.
_MAX_STALE = 50


class EarlyEvents:
    """Collects events until a turn begins."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def add(self, event: Event) -> None:
        """Keep an event; what led to no turn (a cough) is dropped, so that hours of it do not pile up."""
        is_new_speech = event["kind"] == "user_speech_start"
        if is_new_speech and not any(known["kind"] == "final" for known in self._events):
            del self._events[:-_MAX_STALE]
        self._events.append(event)

    def first_speech(self, default: float) -> float:
        """When the user began to speak, seconds; ``default`` if that is not known."""
        starts = (float(event["t"]) for event in self._events if event["kind"] == "user_speech_start")
        return next(starts, default)

    def take(self) -> list[Event]:
        """Give all events to the turn that begins."""
        taken, self._events = self._events, []
        return taken

    def begin_with(self, timeline: list[Event]) -> float | None:
        """The speech that barged in belongs to the next turn as well.

        Args:
            timeline: Of the turn that was interrupted.

        Returns:
            When that speech began, seconds; None if it did not begin within the turn.
        """
        starts = [index for index, event in enumerate(timeline) if event["kind"] == "user_speech_start"]
        latest = timeline[starts[-1] :] if starts else []
        self._events = [event for event in latest if event["kind"] in _OF_SPEECH]
        return float(latest[0]["t"]) if latest else None
