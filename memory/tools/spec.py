"""What a tool is: a description for whoever decides to call it, and a coroutine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class ToolError(Exception):
    """A tool could not do what it was asked; the message says why, in one line for people."""


@dataclass(frozen=True)
class ToolSpec:
    """What is known of a tool without calling it.

    Attributes:
        name: Unique in a conversation: letters, digits, ``_`` and ``-``.
        description: What it does, for the model that may call it.
        parameters: JSON schema of its arguments, an object.
        risky: Whether it orders, pays, deletes or sends: it runs only after the user's yes in a later turn.
        timeout_s: Longest wait for its result, seconds; None for the configured one.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    risky: bool = False
    timeout_s: float | None = None

    @property
    def properties(self) -> Mapping[str, Any]:
        """Parameter name -> its JSON schema."""
        properties = self.parameters.get("properties")
        return properties if isinstance(properties, Mapping) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters that a call cannot do without."""
        required = self.parameters.get("required")
        return tuple(map(str, required)) if isinstance(required, list | tuple) else ()


class Tool(Protocol):
    """Something the agent can do."""

    @property
    def spec(self) -> ToolSpec:
        """What it does and what it needs."""
        ...

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Do it.

        Args:
            arguments: Fit the schema.

        Returns:
            Anything that JSON can hold.

        Raises:
            ToolError: With the reason, for people. Any other exception counts as a fault of the tool.
        """
        ...
