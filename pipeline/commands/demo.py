"""``innervoice demo``: a scripted conversation, spoken to itself, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import ConfigOption, DataOption, JsonOption, OfflineOption, SetOption, overrides_of


def demo(
    out: Annotated[Path, typer.Option("--out", help="Gets session.jsonl, conversation.wav and report.html.")] = Path(
        "out/demo"
    ),
    language: Annotated[str, typer.Option("--language", help="en or zh.")] = "en",
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
) -> None:
    """Speak a conversation to itself: four turns, one barge-in, one recall. Needs no network.

    Its memory lives in the output folder and begins empty, unless --data names one.

    Examples:
      innervoice demo
      innervoice demo --language zh --out out/zh
    """
    from pipeline.replay_command import demo_scenario, run_replay
    from pipeline.replay_inputs import ReplayRequest

    request = ReplayRequest(
        inputs=[demo_scenario(language)],
        out=out,
        virtual=False,
        text=False,
        language=None,
        user=None,
        show="json" if as_json else "all",
        config=config,
        # The conversation is about a meeting room; the example's tools find one.
        overrides=["tools.meeting_rooms=true", *overrides_of(set_, offline=offline)],
        data=data,
    )
    raise typer.Exit(run_replay(request))
