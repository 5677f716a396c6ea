"""``innervoice report``: the page that shows what happened in a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import JsonOption
from pipeline.terminal import print_json


def report(
    folder: Annotated[
        Path, typer.Argument(help="What a conversation left behind: session.jsonl, conversation.wav.", metavar="DIR")
    ],
    as_json: JsonOption = False,
) -> None:
    """Write DIR/report.html from DIR/session.jsonl, and DIR/conversation.wav if it is there.

    Examples:
      innervoice report out/demo
      innervoice report out/demo --json
    """
    from pipeline.report import build_report

    page = build_report(folder)
    if as_json:
        print_json({"report": str(page)})
    else:
        typer.echo(str(page))
