"""A call of a tool in the turn it was made in, as a reply without a model can speak of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.tools.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        name: Of the tool.
        arguments: What it was called with.
        status: ``completed``, ``failed``, ``timed_out``, ``waiting_confirmation`` or ``cancelled``.
        risky: Whether it needs the user's yes.
        reason: What went wrong, in one line for people.
        outcome: What came of it.
    """

    name: str
    arguments: Mapping[str, Any]
    status: str
    risky: bool = False
    reason: str = ""
    outcome: Outcome | None = None
