"""An OpenAI-compatible server on loopback that does what a test tells it to.

    async with FakeOpenAI(says("Hello there.")) as server:
        ... LLMSettings(base_url=server.base_url, model="fake") ...
        server.requests[0].body["messages"]

A behaviour answers one request. With several, each request takes the next and the last one stays.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Literal

Headers = dict[str, str]


@dataclass
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: Headers
    body: dict[str, Any]


@dataclass
class Reply:
    """Writes the answer to one request."""

    writer: asyncio.StreamWriter
    is_chunked: bool = field(default=False, init=False)

    async def head(self, status: int, content_type: str, length: int | None = None) -> None:
        self.is_chunked = length is None
        size = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
        self.writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\n{size}\r\nConnection: close\r\n\r\n".encode()
        )
        await self.writer.drain()

    async def data(self, raw: bytes) -> None:
        self.writer.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n" if self.is_chunked else raw)
        await self.writer.drain()

    async def event(self, payload: Any) -> None:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        await self.data(f"data: {text}\n\n".encode())

    async def end(self) -> None:
        if self.is_chunked:
            self.writer.write(b"0\r\n\r\n")
            await self.writer.drain()

    async def json(self, status: int, payload: Any) -> None:
        raw = json.dumps(payload).encode()
        await self.head(status, "application/json", len(raw))
        await self.data(raw)


Behaviour = Callable[[Request, Reply], Awaitable[None]]


def chunk(content: Any = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One chunk of a streamed chat completion."""
    body = ({"content": content} if content is not None else {}) | delta
    choice = {"index": 0, "delta": body, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake", "choices": [choice]}


def pieces_of(text: str, by: str) -> Iterator[str]:
    """The text cut as servers cut it: ``char``, ``word`` or ``whole``."""
    if by == "char":
        yield from text
    elif by == "word":
        yield from (word + " " for word in text.split(" ")[:-1])
        yield text.split(" ")[-1]
    else:
        yield text


def says(text: str, *, by: str = "word", delay: float = 0.0, first_delay: float = 0.0, done: bool = True) -> Behaviour:
    """Streams a text as a well-behaved server does."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "text/event-stream; charset=utf-8")
        await reply.event(chunk(role="assistant", content=""))
        await asyncio.sleep(first_delay)
        for piece in pieces_of(text, by):
            await reply.event(chunk(piece))
            await asyncio.sleep(delay)
        await reply.event(chunk(finish="stop"))
        if done:
            await reply.event("[DONE]")
        await reply.end()

    return answer


def calls(
    *wanted: tuple[str, Any], text: str = "", how: Literal["fragments", "whole", "at_once", "no_ids"] = "fragments"
) -> Behaviour:
    """Calls tools as servers do.

    Args:
        *wanted: Name and arguments; arguments that are text are sent as they are.
        text: Said before the calls.
        how: ``fragments`` with an index each, each ``whole`` in a chunk, all ``at_once`` with index 0, or with
            ``no_ids`` and index 0.
    """
    arguments = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for _, value in wanted]

    def part(number: int, name: str | None, said: str) -> dict[str, Any]:
        function = {"arguments": said} | ({"name": name} if name is not None else {})
        index = number if how in ("fragments", "whole") else 0
        identity = {} if how == "no_ids" or name is None else {"id": f"c{number}", "type": "function"}
        return {"index": index, "function": function} | identity

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "text/event-stream; charset=utf-8")
        for piece in pieces_of(text, "word") if text else ():
            await reply.event(chunk(piece))
        whole = [part(number, name, arguments[number]) for number, (name, _) in enumerate(wanted)]
        if how == "at_once":
            await reply.event(chunk(tool_calls=whole))
        elif how == "fragments":
            for number, (name, _) in enumerate(wanted):
                await reply.event(chunk(tool_calls=[part(number, name, "")]))
                for start in range(0, len(arguments[number]), 5):
                    await reply.event(chunk(tool_calls=[part(number, None, arguments[number][start : start + 5])]))
        else:
            for entry in whole:
                await reply.event(chunk(tool_calls=[entry]))
        await reply.event(chunk(finish="tool_calls"))
        await reply.event("[DONE]")
        await reply.end()

    return answer


def fails(status: int, message: str = "it failed", body: Any = None) -> Behaviour:
    """Answers with an HTTP error."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.json(status, body if body is not None else {"error": {"message": message, "type": "error"}})

    return answer


def hangs() -> Behaviour:
    """Takes the request and never answers."""

    async def answer(_: Request, __: Reply) -> None:
        await asyncio.Event().wait()

    return answer


def stalls(text: str, *, keep_alive: float | None = None) -> Behaviour:
    """Says a text and then nothing more; with ``keep_alive`` it goes on to send empty chunks at that interval."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "text/event-stream")
        await reply.event(chunk(text, role="assistant"))
        while True:
            await asyncio.sleep(keep_alive or 3600)
            await reply.event(chunk(content=""))

    return answer


def sends(raw: bytes, content_type: str = "text/event-stream", status: int = 200) -> Behaviour:
    """Sends bytes that need not make sense."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(status, content_type, len(raw))
        await reply.data(raw)

    return answer


def streams(*payloads: Any) -> Behaviour:
    """Sends server-sent events with these payloads, then ends the response properly."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "text/event-stream")
        for payload in payloads:
            await reply.event(payload)
        await reply.end()

    return answer


def breaks_off(text: str) -> Behaviour:
    """Closes the connection in the middle of the answer."""

    async def answer(_: Request, reply: Reply) -> None:
        await reply.head(200, "text/event-stream")
        for piece in pieces_of(text, "word") if text else ():
            await reply.event(chunk(piece))
        reply.writer.close()

    return answer


def refuses(is_refused: Callable[[dict[str, Any]], bool], message: str, otherwise: Behaviour) -> Behaviour:
    """Answers 400 to the requests it does not like."""

    async def answer(request: Request, reply: Reply) -> None:
        await (fails(400, message) if is_refused(request.body) else otherwise)(request, reply)

    return answer


def has_role(role: str) -> Callable[[dict[str, Any]], bool]:
    """Whether a request holds a message of a role."""
    return lambda body: any(message["role"] == role for message in body["messages"])


def read_form(content_type: str, raw: bytes) -> dict[str, Any]:
    """The fields of a form: files as bytes, everything else as text, a field that is there again as a list."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form: dict[str, Any] = {}
    for part in BytesParser(policy=HTTP).parsebytes(head + raw).iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        content = part.get_payload(decode=True)
        value = content if part.get_filename() else content.decode()
        if name.endswith("[]"):
            form.setdefault(name, []).append(value)
        else:
            form[name] = value
    return form


class FakeOpenAI:
    """The server; see the module."""

    def __init__(self, *behaviours: Behaviour, models: list[str] | Behaviour | None = None) -> None:
        """Prepare a server.

        Args:
            *behaviours: For the first, second, … chat completion.
            models: What ``/models`` lists, or a behaviour for it; None answers 404.
        """
        self._behaviours = list(behaviours)
        self._models = models
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.requests: list[Request] = []
        self.dropped = 0

    @property
    def base_url(self) -> str:
        """What goes into ``llm.base_url``."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> FakeOpenAI:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            request = await self._read(reader)
            answer = asyncio.create_task(self._answer(request, Reply(writer)))
            gone = asyncio.create_task(reader.read())
            try:
                await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    self.dropped += 1
            finally:
                answer.cancel()
                gone.cancel()
                await asyncio.gather(answer, gone, return_exceptions=True)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(task)
            with suppress(ConnectionError):
                writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ", 2)
        headers = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines[1:] if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        kind = headers.get("content-type", "")
        body = read_form(kind, raw) if kind.startswith("multipart/") else json.loads(raw) if raw else {}
        return Request(method, path, headers, body)

    async def _answer(self, request: Request, reply: Reply) -> None:
        with suppress(ConnectionError):
            if request.path.endswith("/models"):
                await self._list_models(request, reply)
                return
            self.requests.append(request)
            at = min(len(self.requests), len(self._behaviours)) - 1
            await self._behaviours[at](request, reply)

    async def _list_models(self, request: Request, reply: Reply) -> None:
        if callable(self._models):
            await self._models(request, reply)
        elif self._models is None:
            await fails(404, "no such page")(request, reply)
        else:
            await reply.json(
                200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]}
            )
