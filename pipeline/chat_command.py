"""What ``innervoice chat`` does: the same agent, typed."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape

from memory.errors import UserError
from memory.tools.spec import Tool
from pipeline import virtual_time
from pipeline.cancelled import was_cancelled
from pipeline.clock import ConversationClock
from pipeline.conversation import Conversation
from pipeline.interrupts import INTERRUPTED
from pipeline.memory_stores import MemoryStores, open_memory, open_stores
from pipeline.missing_weights import pull_missing
from pipeline.models import Models, load_models
from pipeline.session_choice import choose_session
from pipeline.settings import Settings
from pipeline.speech.llm import probe
from pipeline.tools.loading import open_tools
from pipeline.transports.typed import ChatTransport, push_typed_turn
from processors.turn_record import TurnRecord

# An answer is waited for this long; then the next line is taken.
LAST_ANSWER_S = 60.0


def run_chat(settings: Settings, console: Console, lines: TextIO | None = None) -> int:
    """Chat until the input ends.

    Args:
        settings: The configuration.
        console: Where answers are printed.
        lines: What the user types; standard input by default.

    Returns:
        Exit code: 0 at the end of the input, 130 after Ctrl-C.

    Raises:
        UserError: Memory or weights cannot be used.
    """
    pull_missing(settings, console, speech=False)
    return virtual_time.run(_chat(settings, console, lines or sys.stdin), virtual=False)


async def _chat(settings: Settings, console: Console, lines: TextIO) -> int:
    stores = open_stores(settings)
    try:
        async with open_tools(
            settings, stores.folder, say=lambda line: console.print(f"[yellow]{escape(line)}[/]")
        ) as tools:
            await _converse(settings, console, lines, stores, tools)
    finally:
        stores.close()
    return INTERRUPTED if was_cancelled() else 0


async def _converse(
    settings: Settings, console: Console, lines: TextIO, stores: MemoryStores, tools: Sequence[Tool]
) -> None:
    models = await load_models(settings, speech=False)
    if (problem := await probe(settings.llm)) is not None:
        console.print(f"[yellow]{escape(problem)}[/]")
    async with contextlib.aclosing(_lines(lines, console)) as typed:
        line = None
        while (line := await _session(settings, console, models, stores, tools, typed, line)) is not None:
            console.print("[dim]Nothing was said for a while: a new session begins.[/]")


async def _session(
    settings: Settings,
    console: Console,
    models: Models,
    stores: MemoryStores,
    tools: Sequence[Tool],
    typed: AsyncIterator[str],
    line: str | None,
) -> str | None:
    """Chat until the input ends or a line comes after ``session.idle_timeout_s``.

    Args:
        settings: The configuration.
        console: Where answers are printed.
        models: Loaded models.
        stores: Where memory lives.
        tools: What the agent can do.
        typed: What the user types.
        line: The first line, if it is there already.

    Returns:
        The line that begins the next session; None at the end of the input.
    """
    clock = ConversationClock()
    session_id = choose_session(stores, settings, clock.now().timestamp())
    memory = await open_memory(settings, models, stores, session_id, clock)
    if memory.past_turns:
        console.print("[dim]Going on where you left off.[/]")
    answered = asyncio.Event()

    def closed(turn: TurnRecord) -> None:
        for item in turn.recall.items:
            console.print(f"[dim]recalls: {escape(item.text)}[/]")
        console.print(f"[bold green]{escape(settings.agent.name)}:[/] {escape(turn.reply_text)}")
        answered.set()

    conversation = Conversation(settings, models, memory, clock, session_id=session_id, tools=tools, on_closed=[closed])
    transport = ChatTransport(clock=clock, listener=conversation)
    running = asyncio.ensure_future(conversation.run(transport))
    next_line = None
    try:
        await conversation.ready.wait()
        while not running.done():
            quiet_since = clock.now()
            line = line or await anext(typed, None)
            if line is None:
                break
            if (clock.now() - quiet_since).total_seconds() > settings.session.idle_timeout_s:
                next_line = line
                break
            answered.clear()
            await push_typed_turn(transport.input(), line, settings.agent.user)
            line = None
            waiting = asyncio.ensure_future(answered.wait())
            await asyncio.wait({waiting, running}, timeout=LAST_ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
        await conversation.stop()
    except asyncio.CancelledError:
        running.cancel()
    finally:
        results: list[Any] = await asyncio.gather(running, return_exceptions=True)
        await memory.close()
        if memory.write_error is not None:
            results.append(UserError(f"memory is not written: {memory.write_error}"))
    for problem_raised in results:
        if isinstance(problem_raised, Exception):
            raise problem_raised
    return next_line


async def _lines(lines: TextIO, console: Console) -> AsyncGenerator[str, None]:
    """Read lines in a thread, so that the conversation goes on while nobody types."""
    loop = asyncio.get_running_loop()
    reader = ThreadPoolExecutor(1, thread_name_prefix="keyboard")
    try:
        while True:
            if lines.isatty():
                console.print("[bold cyan]you:[/] ", end="")
            line = await loop.run_in_executor(reader, lines.readline)
            if not line:
                return
            if line.strip():
                yield line.strip()
    finally:
        reader.shutdown(wait=False, cancel_futures=True)
