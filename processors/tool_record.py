"""One call of a tool as the conversation keeps it: for the log, for the model, for a reply without a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory.tools.call import Call
from memory.tools.outcome import Outcome

Status = Literal["running", "completed", "failed", "timed_out", "waiting_confirmation", "cancelled"]

_WAITS = (
    "Nothing has been done. It is done by itself as soon as the user clearly says yes in a later turn. "
    "Say what would be done, and ask the user whether you should go ahead."
)


@dataclass
class CallRecord:
    """A call and what has become of it.

    Attributes:
        name: Of the tool.
        arguments: What it was called with.
        call_id: Ties the call and its result together in the prompt.
        risky: Whether it needs the user's yes.
        status: How far it is.
        reason: What went wrong, in one line for people.
        outcome: What came of it.
        task: The task it was made for.
    """

    name: str
    arguments: Mapping[str, Any]
    call_id: str
    risky: bool = False
    status: Status = "running"
    reason: str = ""
    outcome: Outcome | None = field(default=None, repr=False)
    task: str = ""

    @property
    def answer(self) -> Any:
        """What the model is told."""
        if self.status == "completed":
            value = self.outcome.value if self.outcome is not None else None
            if self.outcome is not None and len(json.dumps(value)) > 4 * len(self.outcome.text):
                value = self.outcome.text
            return {"status": "completed"} if value is None or value == "" else value
        if self.status == "waiting_confirmation":
            return {"status": "waiting_for_confirmation", "done": False, "message": _WAITS}
        if self.status == "running":
            return {"status": "running", "message": "It is still running."}
        return {"status": self.status, "error": self.reason or "it was cancelled"}

    def seen(self) -> Call:
        """The call as a reply without a model can speak of it."""
        return Call(self.name, self.arguments, self.status, self.risky, self.reason, self.outcome)

    def messages(self) -> list[dict[str, Any]]:
        """The call and its result as chat messages."""
        function = {"name": self.name, "arguments": json.dumps(dict(self.arguments), ensure_ascii=False)}
        return [
            {
                "role": "assistant",
                "tool_calls": [{"id": self.call_id, "type": "function", "function": function}],
            },
            {
                "role": "tool",
                "tool_call_id": self.call_id,
                "content": json.dumps(self.answer, ensure_ascii=False),
            },
        ]
