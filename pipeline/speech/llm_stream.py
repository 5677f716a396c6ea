"""A streamed chat completion under watch: deadlines, and a check that it is one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk

from pipeline.speech.llm_failure import Endpoint
from pipeline.speech.tool_chunks import ToolCallCollector
from pipeline.virtual_time import Patience

# More than a reply, its state update and a long thought: the server does not know when to stop.
MAX_CHARACTERS = 20_000


class WatchedStream:
    """Passes the chunks of an answer on, and raises ``LLMFailure`` when it stalls, breaks off or is none.

    Only text and tool calls count as progress: a server that keeps the line open with empty chunks is
    as silent as one that sends nothing.

    Attributes:
        called_tools: Whether the model called a tool.
    """

    def __init__(
        self,
        stream: AsyncStream[ChatCompletionChunk],
        endpoint: Endpoint,
        first_deadline: float,
        patience: Patience,
    ) -> None:
        """Watch a stream.

        Args:
            stream: The client's stream.
            endpoint: Words the failures; its ``timeout_s`` is the longest pause between tokens.
            first_deadline: When the first token is due, on the loop's clock, seconds.
            patience: What is left of it in real seconds, for a clock that is held.
        """
        self._stream = stream
        self._endpoint = endpoint
        self._deadline = first_deadline
        self._patience = patience
        self.called_tools = False

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self._chunks()

    async def close(self) -> None:
        """Close the connection."""
        await self._stream.close()

    async def _chunks(self) -> AsyncIterator[ChatCompletionChunk]:
        loop = asyncio.get_running_loop()
        chunks = _in_one_piece(self._stream) if self._is_json() else self._stream.__aiter__()
        calls = ToolCallCollector()
        finished = False
        length = 0
        while True:
            try:
                with self._patience.hold():
                    async with asyncio.timeout_at(self._deadline):
                        chunk = await anext(chunks)
                progress, ended = self._inspect(chunk)
                length += _length(chunk) + calls.take(chunk)
                if length > MAX_CHARACTERS:
                    raise self._endpoint.failure("endless")
            except StopAsyncIteration:
                break
            except Exception as error:
                raise self._endpoint.failure_of(error, answering=True) from None
            finished = finished or ended
            yield chunk
            if progress:
                self._deadline = loop.time() + self._endpoint.timeout_s
                self._patience = Patience(self._endpoint.timeout_s)
        if not finished:
            raise self._endpoint.failure("truncated" if self._is_event_stream() else "garbage")
        for call in calls.chunks():
            yield call

    def _inspect(self, chunk: Any) -> tuple[bool, bool]:
        """Whether a chunk brings words or a tool call, and whether it ends the answer."""
        choices = chunk.choices
        if not choices:
            # A chunk of usage figures; anything else without choices is not a completion.
            if choices is None and chunk.usage is None:
                raise self._endpoint.failure("garbage")
            return False, False
        ended = choices[0].finish_reason is not None
        delta = choices[0].delta
        if delta is None:
            return False, ended
        if delta.content is not None and not isinstance(delta.content, str):
            raise self._endpoint.failure("garbage")
        self.called_tools = self.called_tools or bool(delta.tool_calls)
        return bool(delta.content or delta.tool_calls), ended

    def _is_event_stream(self) -> bool:
        return "event-stream" in self._content_type

    def _is_json(self) -> bool:
        return "application/json" in self._content_type

    @property
    def _content_type(self) -> str:
        return str(self._stream.response.headers.get("content-type", ""))


async def _in_one_piece(stream: AsyncStream[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
    """The answer of a server that does not stream: a whole completion, as one chunk."""
    body = json.loads(await stream.response.aread())
    choice = body["choices"][0]
    message = choice["message"]
    delta = {"role": "assistant", "content": message.get("content")}
    if message.get("tool_calls"):
        delta["tool_calls"] = [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]
    answer = {"index": 0, "delta": delta, "finish_reason": choice.get("finish_reason") or "stop"}
    head = {"id": "", "object": "chat.completion.chunk", "created": 0, "model": ""}
    yield ChatCompletionChunk.model_validate({**head, "choices": [answer]})


def _length(chunk: ChatCompletionChunk) -> int:
    content = chunk.choices[0].delta.content if chunk.choices and chunk.choices[0].delta is not None else None
    return len(content or "")
