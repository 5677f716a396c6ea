"""What can go wrong with an endpoint, as one machine-readable word and one line for people. Never holds a key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

_SERVER_MESSAGE_CHARS = 120

_HINTS = {
    "http_400": "it refused the request",
    "http_401": "it refused the key; check {key} or {section}.api_key_file",
    "http_402": "the account has no credit left",
    "http_403": "the key may not use it; check the key's rights, or {section}.model",
    "http_404": "it knows no such address or model; check {section}.base_url (often ends in /v1) and {section}.model",
    "http_422": "it refused the request",
    "http_429": "it asks for fewer requests; wait a moment, or check the account's limits",
    "timeout": "it kept silent for {timeout:g} s; check its load, or raise {section}.timeout_s",
    "unreachable": "it cannot be reached; check that it runs, and {section}.base_url",
    "garbage": "it sent something that is no {answer}; check {section}.base_url",
    "empty": "it sent an empty answer; check {section}.model",
    "truncated": "it ended the answer half-way; look into its log",
    "endless": "it does not stop talking; check whether it heeds {section}.max_tokens",
    "server_error": "it reported an error in the middle of the answer; look into its log",
}


class EndpointFailure(Exception):
    """An endpoint gave no usable answer.

    Attributes:
        reason: One word, such as ``timeout`` or ``http_401``.
        detail: One line that names the endpoint and what to check.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class LLMFailure(EndpointFailure):
    """The language model gave no usable answer."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is served, as it may be shown.

    Attributes:
        base_url: Address; user, password and query are not shown.
        model: Model name.
        timeout_s: Longest silence, seconds.
        secrets: Texts that must not appear anywhere.
        serves: What is served there.
        section: Section of the settings that it comes from.
        key_variable: Environment variable that holds its key.
        answer: What it is asked for.
        failure_class: What a failure is raised as.
    """

    base_url: str
    model: str
    timeout_s: float
    secrets: tuple[str, ...] = field(default=(), repr=False)
    serves: str = "language model"
    section: str = "llm"
    key_variable: str = "OPENAI_API_KEY"
    answer: str = "chat completion"
    failure_class: type[EndpointFailure] = LLMFailure

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"

    def failure(self, reason: str, said: str = "") -> EndpointFailure:
        """Word a failure.

        Args:
            reason: One word.
            said: What the server said about it; shortened and cleaned of secrets.
        """
        hint = _HINTS.get(reason)
        if hint is None and reason.startswith("http_"):
            hint = f"it failed with HTTP {reason.removeprefix('http_')}; look into its log"
        hint = (hint or "it failed").format(
            timeout=self.timeout_s, section=self.section, key=self.key_variable, answer=self.answer
        )
        said = scrub(" ".join(said.split()), self.secrets)[:_SERVER_MESSAGE_CHARS]
        line = f"{self.serves} {self.model} at {self.shown}: {hint}{f': {said}' if said else ''}"
        return self.failure_class(reason, line)

    def failure_of(self, error: Exception, *, answering: bool) -> EndpointFailure:
        """Classify an exception of the client.

        Args:
            error: What was raised.
            answering: Whether the answer had begun to arrive.
        """
        if isinstance(error, EndpointFailure):
            return error
        if isinstance(error, TimeoutError | APITimeoutError):
            return self.failure("timeout")
        if isinstance(error, APIConnectionError):
            return self.failure("truncated" if answering else "unreachable")
        if isinstance(error, APIStatusError):
            # Servers like to quote a wrong key in their answer, so only complaints about the request are repeated.
            said = server_message(error) if error.status_code in (400, 404, 422) else ""
            return self.failure(f"http_{error.status_code}", said)
        if isinstance(error, APIError):
            return self.failure("server_error" if answering else "garbage")
        if isinstance(error, ValueError | TypeError | AttributeError | LookupError):
            return self.failure("garbage" if answering else "error", type(error).__name__)
        return self.failure("error", type(error).__name__)


def server_message(error: APIStatusError) -> str:
    """What the server said, from the shapes that servers use."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail") or inner
        return str(inner)
    return str(body) if body else error.response.text[:500]


def scrub(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced by asterisks."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "***")
    return text
