"""What each event of the timeline is called, in words."""

from __future__ import annotations

from pipeline.report.coerce import number, plain, text
from pipeline.report.session_file import Event
from pipeline.report.wording import count, milliseconds

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
    "agent_paused": "Agent pauses: somebody may interrupt",
    "agent_resumed": "Agent goes on",
    "backchannel": "Backchannel",
    "barge_in": "Cut: the user interrupts",
    "conversation_end": "The conversation ends",
}


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


def _ms(value: object) -> str:
    ms = number(value)
    return "" if ms is None else milliseconds(ms)
