"""``innervoice chat``: the same agent in text."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import ConfigOption, DataOption, SetOption, settings_from


def chat(
    user: Annotated[str | None, typer.Option("--user", help="Whose memory the conversation belongs to.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="en or zh.")] = None,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
) -> None:
    """Type with the agent; it remembers as in a spoken conversation. Ends with Ctrl-D.

    Examples:
      innervoice chat --user anna
      innervoice chat --user li --language zh
    """
    from rich.console import Console

    from pipeline.chat_command import run_chat

    extra = [f"agent.user={user}"] if user is not None else []
    if language is not None:
        extra += [f"agent.language={language}", f"asr.language={language}"]
    settings = settings_from(config, set_, data, extra)
    raise typer.Exit(run_chat(settings, Console(highlight=False, soft_wrap=True)))
