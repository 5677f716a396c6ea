"""How one OpenAI-compatible server wants a request; learnt from what it refuses.

Servers agree on ``model``, ``messages`` and ``stream``. They differ in the name of the length limit
(OpenAI's newer models refuse ``max_tokens``, older servers do not know ``max_completion_tokens``), some models
accept one temperature only, some chat templates refuse the system or the developer role, and some servers do not
enforce a JSON schema, or any JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

_LIMITS = ("max_tokens", "max_completion_tokens")
_ABOUT_JSON = ("response_format", "response format", "json_schema", "json_object", "schema", "grammar", "structured")


_ABOUT_TOOLS = re.compile(r"\btools?\b|function.?call|tool_choice")


def is_exchange(message: dict[str, Any]) -> bool:
    """Whether a message is a call of a tool or its result."""
    return message.get("role") == "tool" or "tool_calls" in message


@dataclass
class Dialect:
    """What may be sent to a server.

    Attributes:
        limit_key: Name of the length limit; None when the server takes none.
        temperature: Whether a temperature may be sent.
        system_role: Whether the system role is known; else its text goes in front of the first user message.
        developer_role: Whether the developer role is known; else such messages go as the user's.
        json_format: What the server is held to: the schema, any JSON, or nothing.
        tools: Whether tools may be offered.
    """

    limit_key: str | None = "max_tokens"
    temperature: bool = True
    system_role: bool = True
    developer_role: bool = False
    json_format: Literal["json_schema", "json_object"] | None = None
    tools: bool = True
    refused_limits: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, base_url: str, *, developer_role: bool, as_json: bool = False) -> Dialect:
        """The likely dialect of a server, which is held to a JSON schema if answers are wanted ``as_json``."""
        native = (urlsplit(base_url).hostname or "").endswith("api.openai.com")
        return cls(
            limit_key="max_completion_tokens" if native else "max_tokens",
            developer_role=developer_role,
            json_format="json_schema" if as_json else None,
        )

    def request(
        self, params: dict[str, Any], *, max_tokens: int, temperature: float, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Put a request into this dialect.

        Args:
            params: With ``messages``; not changed.
            max_tokens: Longest answer.
            temperature: Sampling temperature.
            schema: JSON schema of the answer, for a server that is held to one.

        Returns:
            A new dictionary.
        """
        request = dict(params)
        for key in (*_LIMITS, "temperature", "stream_options"):
            request.pop(key, None)
        if self.limit_key is not None:
            request[self.limit_key] = max_tokens
        if self.temperature:
            request["temperature"] = temperature
        if self.json_format == "json_schema":
            request["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        elif self.json_format == "json_object":
            request["response_format"] = {"type": "json_object"}
        messages = params["messages"]
        if not self.tools:
            request.pop("tools", None)
            request.pop("tool_choice", None)
            messages = [message for message in messages if not is_exchange(message)]
        request["messages"] = self._messages(messages)
        return request

    def learn(self, complaint: str) -> bool:
        """Take note of a refusal.

        Args:
            complaint: What the server said with HTTP 400 or 422.

        Returns:
            Whether the request will now be different, so that it is worth another try.
        """
        text = complaint.lower()
        if any(word in text for word in _ABOUT_JSON) and self._expect_less():
            return True
        if self.limit_key is not None and any(key in text for key in _LIMITS):
            self.refused_limits.add(self.limit_key)
            self.limit_key = next((key for key in _LIMITS if key not in self.refused_limits), None)
            return True
        if self.tools and not any(word in text for word in _LIMITS) and _ABOUT_TOOLS.search(text):
            self.tools = False
            return True
        if self.temperature and "temperature" in text:
            self.temperature = False
            return True
        if self.developer_role and "developer" in text:
            self.developer_role = False
            return True
        if self.system_role and ("system" in text and "role" in text or "alternate" in text):
            self.system_role = False
            return True
        # When a server gives no reason, the rarest of all parameters is the likeliest.
        return self._expect_less()

    def _expect_less(self) -> bool:
        if self.json_format is None:
            return False
        self.json_format = "json_object" if self.json_format == "json_schema" else None
        return True

    def _messages(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        turned = [
            {**message, "role": "user"} if message["role"] == "developer" and not self.developer_role else message
            for message in messages
        ]
        if self.system_role or not turned or turned[0]["role"] != "system":
            return turned
        system, *rest = turned
        if rest and rest[0]["role"] == "user" and isinstance(rest[0].get("content"), str):
            return [{**rest[0], "content": f"{system['content']}\n\n{rest[0]['content']}"}, *rest[1:]]
        return [{**system, "role": "user"}, *rest]
