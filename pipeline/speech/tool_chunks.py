"""Tool calls out of a streamed answer, whatever way the server cuts them up.

Servers send a call in fragments with an index, whole in one chunk, several in one chunk, all with index 0, without an
id or with the same one, and sometimes with arguments that are no JSON. Pipecat reads one fragment per chunk and drops
a call that it cannot parse; so the calls are collected here and handed on whole at the end of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall, ChoiceDeltaToolCallFunction

from memory.tools.arguments import INVALID_ARGUMENTS

_MAX_CALLS = 16


@dataclass
class _Call:
    index: int
    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ToolCallCollector:
    """Collects the calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._template: ChatCompletionChunk | None = None

    def take(self, chunk: ChatCompletionChunk) -> int:
        """Take the tool calls out of a chunk, which is changed.

        Returns:
            How many characters of arguments it brought.
        """
        if not chunk.choices or chunk.choices[0].delta is None or not chunk.choices[0].delta.tool_calls:
            return 0
        delta = chunk.choices[0].delta
        length = sum(map(self._add, delta.tool_calls or []))
        delta.tool_calls = None
        self._template = chunk
        return length

    def chunks(self) -> Iterator[ChatCompletionChunk]:
        """The collected calls, one whole call a chunk, with ids of their own and JSON objects as arguments."""
        taken: set[str] = set()
        for index, call in enumerate(self._calls[:_MAX_CALLS]):
            assert self._template is not None
            call_id = call.call_id if call.call_id and call.call_id not in taken else f"call_{index}_{id(self):x}"
            taken.add(call_id)
            function = ChoiceDeltaToolCallFunction(name=call.name or "?", arguments=sound_arguments(call.arguments))
            chunk = self._template.model_copy(deep=True)
            chunk.choices[0].delta.content = None
            chunk.choices[0].delta.tool_calls = [
                ChoiceDeltaToolCall(index=index, id=call_id, type="function", function=function)
            ]
            yield chunk

    def _add(self, part: Any) -> int:
        function = part.function
        name = function.name if function is not None and isinstance(function.name, str) else ""
        text = function.arguments if function is not None and isinstance(function.arguments, str) else ""
        call = self._call_of(part.index if isinstance(part.index, int) else 0, part.id or "", name)
        call.call_id = call.call_id or (part.id or "")
        call.name += name if name != call.name else ""
        call.arguments.append(text)
        return len(text) + len(name)

    def _call_of(self, index: int, call_id: str, name: str) -> _Call:
        same = [call for call in self._calls if call.index == index]
        if same:
            latest = same[-1]
            other_id = bool(call_id and latest.call_id and call_id != latest.call_id)
            # Whole calls that all carry index 0.
            another = bool(name and latest.name and _is_whole(latest.arguments))
            if not other_id and not another:
                return latest
        self._calls.append(_Call(index))
        return self._calls[-1]


def sound_arguments(parts: list[str]) -> str:
    """The fragments of a call's arguments as one JSON object; what is none is kept under ``INVALID_ARGUMENTS``."""
    text = "".join(parts).strip()
    value: Any = {}
    if text:
        try:
            value = json.loads(text)
            # Some models write the object as a string.
            if isinstance(value, str):
                value = json.loads(value)
        except (ValueError, RecursionError):
            value = text
    if value is None:
        value = {}
    if not isinstance(value, dict):
        value = {INVALID_ARGUMENTS: text[:500]}
    return json.dumps(value, ensure_ascii=False)


def _is_whole(parts: list[str]) -> bool:
    try:
        return isinstance(json.loads("".join(parts)), dict)
    except (ValueError, RecursionError):
        return False
