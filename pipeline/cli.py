"""The command line: ``innervoice demo | replay | weights | report | memory``."""

from __future__ import annotations

import os
import sys

import typer
from loguru import logger
from typer.core import TyperCommand, TyperGroup

from memory.errors import UserError
from pipeline.commands import chat, demo, memory, replay, report, weights

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

INTERRUPTED = 130


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


def main() -> None:
    """Run a command; bad input ends with one line on standard error and exit code 2."""
    logger.remove()
    logger.add(sys.stderr, level=os.environ.get("INNERVOICE_LOG", "WARNING").upper(), format="{level}: {message}")
    try:
        code = command()(prog_name="innervoice", standalone_mode=False)
    except UserError as error:
        sys.stderr.write(f"innervoice: {error}\n")
        code = 2
    except typer.TyperException as error:
        text = str(error).rstrip(".")
        # Without a command the help is the message.
        sys.stderr.write(f"{text}\n" if text.startswith("Usage:") else f"innervoice: {text}; see --help\n")
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("innervoice: interrupted\n")
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone, as in `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
