"""Tools of MCP servers, through Pipecat's client. A server that is down costs its tools, never the conversation."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, cast

from loguru import logger

from memory.tools.names import words_of
from memory.tools.spec import Tool, ToolError, ToolSpec
from pipeline.settings_tools import MCPServer
from pipeline.virtual_time import hold_time

CONNECT_TIMEOUT_S = 15.0
# What a tool does that is not known better: names that begin with one of these need the user's yes.
RISKY_VERBS = frozenset(
    "order pay buy purchase send delete remove cancel book reserve transfer submit post publish write create update"
    " drop execute run move rename charge refund mail email text call".split()
)
_FAILURES = ("Error calling mcp tool", "Sorry, could not call the mcp tool")


class MCPTool:
    """One tool of a server."""

    def __init__(self, spec: ToolSpec, handler: Callable[[Any], Any]) -> None:
        """Make the tool.

        Args:
            spec: What the server says of it.
            handler: Pipecat's handler of its calls.
        """
        self.spec = spec
        self._handler = handler

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Call it at the server.

        Raises:
            ToolError: The server did not answer, or with an error.
        """
        from pipecat.services.llm_service import FunctionCallParams

        answers: list[Any] = []

        async def take(result: Any, **_: Any) -> None:
            answers.append(result)

        nobody = cast(Any, None)
        with hold_time():
            await self._handler(
                FunctionCallParams(
                    function_name=self.spec.name,
                    tool_call_id=self.spec.name,
                    arguments=arguments,
                    llm=nobody,
                    pipeline_worker=nobody,
                    context=nobody,
                    result_callback=take,
                )
            )
        answer = answers[0] if answers else ""
        if isinstance(answer, str) and answer.startswith(_FAILURES):
            raise ToolError(answer.partition(": ")[2] or "the server gave no answer")
        return answer


async def connect(server: MCPServer, stack: AsyncExitStack, say: Callable[[str], None]) -> list[Tool]:
    """Connect to a server.

    Args:
        server: Which.
        stack: Closes the connection.
        say: Told why its tools are not there.

    Returns:
        Its tools; none if it cannot be reached.
    """
    if importlib.util.find_spec("mcp") is None:
        say(f"MCP server {server.name}: the package 'mcp' is missing; install innervoice[mcp]")
        return []
    from pipecat.services.mcp_service import MCPClient

    client = MCPClient(_parameters(server), tools_filter=server.only or None)
    try:
        with hold_time(CONNECT_TIMEOUT_S):
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                schema = await client.tools()
    except Exception as error:
        # The boundary to a program or server of anybody's.
        reason = "no answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
        say(f"MCP server {server.name}: {' '.join(reason.split())[:160]}; its tools are not there")
        return []
    stack.push_async_callback(_close, client, server.name)
    return [
        MCPTool(
            ToolSpec(
                name=tool.name,
                description=tool.description or "",
                parameters={"type": "object", "properties": tool.properties, "required": tool.required},
                risky=is_risky(tool.name, server),
            ),
            cast(Callable[[Any], Any], tool.handler),
        )
        for tool in schema.standard_tools
    ]


def is_risky(name: str, server: MCPServer) -> bool:
    """Whether a tool needs the user's yes: as the settings say, else by the verb in its name."""
    if name in server.safe:
        return False
    return name in server.risky or bool(RISKY_VERBS & set(words_of(name)))


def _parameters(server: MCPServer) -> Any:
    from mcp import StdioServerParameters
    from mcp.client.session_group import StreamableHttpParameters

    if server.url is not None:
        return StreamableHttpParameters(url=server.url, headers=dict(server.headers) or None)
    return StdioServerParameters(command=server.command or "", args=list(server.args), env=dict(server.env) or None)


async def _close(client: Any, name: str) -> None:
    try:
        with hold_time(CONNECT_TIMEOUT_S):
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await client.close()
    except Exception as error:
        logger.warning("MCP server {}: {} while it was left", name, type(error).__name__)
