"""The working memory of a conversation: what is being done, what is known for it, what is still open.

The front door of the inner state::

    events (state_events, state_update) ──► reduce (state_reducer) ──► InnerState (state_model)
                                              kept and rolled back by StateHistory (state_history)

Nothing here does I/O or reads a clock; ``memory.sessions`` keeps states.
"""

from memory.state_history import StateHistory, diff
from memory.state_model import (
    MAX_FACTS,
    MAX_PENDING,
    MAX_PREFERENCES,
    MAX_STEPS,
    MAX_SUMMARY_CHARS,
    MAX_TASKS,
    Bookkeeping,
    InnerState,
    ShelvedTask,
    Subject,
    TaskRecord,
)
from memory.state_reducer import carry_over, reduce
from memory.state_tools import MAX_AWAITED, MAX_OPTIONS, AwaitedCall, Option, ToolResult
from memory.state_update import PreferenceProposed, StatusProposed, TaskProposed, parse_update

__all__ = [
    "MAX_AWAITED",
    "MAX_FACTS",
    "MAX_OPTIONS",
    "MAX_PENDING",
    "MAX_PREFERENCES",
    "MAX_STEPS",
    "MAX_SUMMARY_CHARS",
    "MAX_TASKS",
    "AwaitedCall",
    "Bookkeeping",
    "InnerState",
    "Option",
    "PreferenceProposed",
    "ShelvedTask",
    "StateHistory",
    "StatusProposed",
    "Subject",
    "TaskProposed",
    "TaskRecord",
    "ToolResult",
    "carry_over",
    "diff",
    "parse_update",
    "reduce",
]
