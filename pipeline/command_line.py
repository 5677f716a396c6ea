"""The command line: ``innervoice demo | replay | chat | weights | report | memory``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer
from loguru import logger
from typer.core import TyperCommand, TyperGroup

from memory.errors import UserError
from pipeline.commands import chat, demo, memory, replay, report, weights
from pipeline.interrupts import INTERRUPTED, say_interrupted
from pipeline.terminal import accept_any_character, discard

if TYPE_CHECKING:
    from loguru import Record

app = typer.Typer(
    name="innervoice",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A voice agent that remembers while you speak and knows what it did not get to say.",
    rich_markup_mode=None,
)
app.command()(demo.demo)
app.command()(replay.replay)
app.command()(chat.chat)
app.command()(report.report)
app.add_typer(memory.app, name="memory")
app.add_typer(weights.app, name="weights")


def command() -> TyperCommand | TyperGroup:
    """The whole command line, with the examples of its help printed line by line."""
    root = typer.main.get_command(app)
    _keep_example_lines(root)
    return root


def _keep_example_lines(node: TyperCommand | TyperGroup) -> None:
    """Mark the examples as text that is not to be wrapped."""
    if node.help:
        node.help = node.help.replace("\n\nExamples:\n", "\n\n\b\nExamples:\n")
    for child in getattr(node, "commands", {}).values():
        _keep_example_lines(child)


def run() -> int:
    """Run the command that the program was called with.

    Bad input ends with one line on standard error.

    Returns:
        Exit code: 0, 2 after bad input, 130 after Ctrl-C.
    """
    accept_any_character()
    try:
        _set_up_logging()
        code = command()(prog_name="innervoice", standalone_mode=False)
        sys.stdout.flush()
    except UserError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        text = str(error).rstrip(".")
        # Without a command the help is the message.
        if text.startswith("Usage:"):
            sys.stderr.write(f"{text}\n")
            return 2
        return _refuse(f"{text}; see --help")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of our output is gone, as in `| head`; the library below makes an exit of it.
        discard(sys.stdout)
        return 0
    except OSError as error:
        # Files are named where they are opened; what is left is the output.
        if error.filename is not None:
            raise
        discard(sys.stdout)
        return _refuse(f"standard output: cannot write: {error.strerror}")
    if code == INTERRUPTED:
        say_interrupted()
    return code if isinstance(code, int) else 0


def _refuse(line: str) -> int:
    sys.stderr.write(f"innervoice: {line}\n")
    return 2


def _set_up_logging() -> None:
    level = os.environ.get("INNERVOICE_LOG", "").upper() or "WARNING"
    logger.remove()
    try:
        # No values of variables: they hold what people said.
        logger.add(sys.stderr, level=level, format=_log_line, backtrace=False, diagnose=False)
    except ValueError:
        raise UserError(f"INNERVOICE_LOG: {level}: expected DEBUG, INFO, WARNING or ERROR") from None
    logger.configure(extra={"shows_traces": level in ("TRACE", "DEBUG")})


def _log_line(record: Record) -> str:
    """One line; with the way to an exception only for those who look for it."""
    if record["exception"] is None:
        return "{level}: {message}\n"
    if record["extra"].get("shows_traces"):
        return "{level}: {message}\n{exception}\n"
    kind = record["exception"].type
    record["extra"]["kind"] = kind.__name__ if kind is not None else "error"
    return "{level}: {message} ({extra[kind]})\n"
