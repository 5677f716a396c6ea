"""What the agent's own words leave in the inner state, as far as they were heard."""

from __future__ import annotations

from loguru import logger

from memory.reply.second_person import is_mandarin
from memory.session import MemorySession
from memory.state_events import PendingChanged, StateEvent, StepDone, TaskStatusChanged
from memory.understanding.agent.events import agent_events
from processors.turn_record import TurnRecord

# What a model may propose itself -> the events that are then left to it.
_PROPOSED = {"pending": PendingChanged, "steps": StepDone, "status": TaskStatusChanged}


def apply_reading(turn: TurnRecord, memory: MemorySession) -> None:
    """Let what the agent asked, listed and answered change the inner state.

    A model that proposes ``pending``, ``steps`` or a ``status`` itself is believed about those.

    Args:
        turn: Has just closed.
        memory: Whose state changes.
    """
    if not turn.heard_text:
        return
    language = "zh" if is_mandarin(turn.heard_text) else "en"
    try:
        events = agent_events(
            turn.heard_text, memory.state, language, whole=not turn.interrupted, tools=bool(turn.tool_calls)
        )
    except Exception:
        logger.exception("the reply could not be read; the state stays as it is")
        return
    left = [kind for key, kind in _PROPOSED.items() if key in (turn.proposed_update or {}) and not turn.interrupted]
    kept: list[StateEvent] = [event for event in events if not isinstance(event, tuple(left))]
    if kept:
        memory.apply(kept, turn_id=turn.turn_id)
