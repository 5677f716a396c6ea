"""``innervoice replay``: recorded audio or a scenario through the real pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.options import ConfigOption, DataOption, JsonOption, OfflineOption, SetOption, overrides_of


def replay(
    inputs: Annotated[list[Path], typer.Argument(help="Audio files, or one scenario .yaml.", metavar="INPUT...")],
    out: Annotated[Path, typer.Option("--out", help="Gets session.jsonl, conversation.wav and report.html.")] = Path(
        "out/replay"
    ),
    fast: Annotated[bool, typer.Option("--fast", help="Lock-step: as fast as the machine, alike every time.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Turns enter as words; nothing is synthesised.")] = False,
    language: Annotated[str | None, typer.Option("--language", help="en, zh, or auto to detect it.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Whose memory the conversation belongs to.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the progress only.")] = False,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play recordings or a scenario: in real time, or in lock-step with --fast.

    Several recordings are one conversation: each is said after the reply to the one before.

    Examples:
      innervoice replay call.wav --out out/call
      innervoice replay one.mp3 two.flac --language zh --fast --out out/two
      innervoice replay configs/scenarios/demo_en.yaml --text --out out/text
    """
    # Loaded here, so that --help and bad input answer at once.
    from pipeline.replay_command import run_replay
    from pipeline.replay_inputs import ReplayRequest

    request = ReplayRequest(
        inputs=inputs,
        out=out,
        virtual=fast or text,
        text=text,
        language=language,
        user=user,
        show="json" if as_json else "progress" if quiet else "all",
        config=config,
        overrides=overrides_of(set_, offline=offline),
        data=data,
    )
    raise typer.Exit(run_replay(request))
