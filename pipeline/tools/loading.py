"""Opens the tools that the settings name, and those of MCP servers; a scenario's come on top."""

from __future__ import annotations

import importlib
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from memory.errors import UserError
from memory.tools.spec import Tool, ToolSpec
from pipeline.settings import Settings
from pipeline.tools.context import ToolContext
from pipeline.tools.mcp_servers import connect

FOLDER = "tools"
_MEETING_ROOMS = "pipeline.tools.meeting_rooms:make_tools"


@asynccontextmanager
async def open_tools(
    settings: Settings,
    memory_folder: Path,
    *,
    extra: Sequence[Tool] = (),
    say: Callable[[str], None] = lambda line: None,
) -> AsyncIterator[list[Tool]]:
    """The tools of one conversation or replay, until the block is left.

    Args:
        settings: Which tools.
        memory_folder: Tools keep their data in a folder in it.
        extra: Tools that come first, such as a scenario's; they win over others of the same name.
        say: Told, one line each, what is not there.

    Raises:
        UserError: An entry of ``tools.use`` cannot be imported or is no tool.
    """
    context = ToolContext(memory_folder / FOLDER, settings.agent.user, settings.agent.language)
    entries = [*([_MEETING_ROOMS] if settings.tools.meeting_rooms else []), *settings.tools.use]
    async with AsyncExitStack() as stack:
        tools: dict[str, Tool] = {tool.spec.name: tool for tool in extra}
        found = [tool for entry in entries for tool in load_entry(entry, context)]
        for server in settings.tools.mcp:
            found += await connect(server, stack, say)
        for tool in found:
            tools.setdefault(tool.spec.name, tool)
        yield list(tools.values())


def load_entry(entry: str, context: ToolContext) -> list[Tool]:
    """The tools behind one ``package.module:object``.

    Args:
        entry: Names a tool, a list of tools, or a function that takes a ``ToolContext`` and makes them.
        context: What tools may know.

    Raises:
        UserError: One line that names the entry.
    """
    where = f"tools.use: {entry}"
    module_name, _, name = entry.partition(":")
    # A file in the folder that the program was started in is found, as "python -m" finds it.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        made: Any = getattr(importlib.import_module(module_name), name)
    except AttributeError:
        raise UserError(f"{where}: {module_name} has no {name}") from None
    except Exception as error:
        # A module of anybody's may fail in any way.
        raise UserError(f"{where}: cannot be imported: {type(error).__name__}: {error}") from None
    if not _is_tool(made) and callable(made):
        try:
            made = made(context)
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"{where}: made no tools: {type(error).__name__}: {error}") from None
    tools = [made] if _is_tool(made) else made
    if not isinstance(tools, list | tuple) or not all(map(_is_tool, tools)):
        raise UserError(f"{where}: expected a tool, a list of tools, or a function that makes them")
    return list(tools)


def _is_tool(made: Any) -> bool:
    return isinstance(getattr(made, "spec", None), ToolSpec) and callable(getattr(made, "call", None))
