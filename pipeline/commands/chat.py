"""``innervoice chat``: the same agent in text."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.commands.options import ConfigOption, DataOption, OfflineOption, SetOption, overrides_of, settings_from
from pipeline.terminal import make_console


def chat(
    user: Annotated[str | None, typer.Option("--user", help="Whose memory the conversation belongs to.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="en or zh.")] = None,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
    offline: OfflineOption = False,
) -> None:
    """Type with the agent; it remembers as in a spoken conversation. Ends with Ctrl-D.

    Examples:
      innervoice chat --user anna
      innervoice chat --user li --language zh
    """
    from pipeline.chat_command import run_chat

    extra = [f"agent.user={user}"] if user is not None else []
    if language is not None:
        extra += [f"agent.language={language}", f"asr.language={language}"]
    settings = settings_from(config, overrides_of(set_, offline=offline), data, extra)
    raise typer.Exit(run_chat(settings, make_console(soft_wrap=True)))
