"""The command line: ``innervoice demo | replay | weights | report | memory``."""

from __future__ import annotations

import os
import sys

import click
import typer
from loguru import logger

from memory.errors import UserError
from pipeline.commands import demo, replay, report, weights

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
app.command()(report.report)
app.add_typer(weights.app, name="weights")

INTERRUPTED = 130


def main() -> None:
    """Run a command; bad input ends with one line on standard error and exit code 2."""
    logger.remove()
    logger.add(sys.stderr, level=os.environ.get("INNERVOICE_LOG", "WARNING").upper(), format="{level}: {message}")
    try:
        code = app(standalone_mode=False)
    except UserError as error:
        sys.stderr.write(f"innervoice: {error}\n")
        code = 2
    except click.ClickException as error:
        error.show()
        code = 2
    except (KeyboardInterrupt, click.Abort):
        sys.stderr.write("innervoice: interrupted\n")
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone, as in `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
