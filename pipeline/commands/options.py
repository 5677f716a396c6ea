"""Options that every command takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.settings import Settings, load_settings

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="YAML file with settings; see configs/default.yaml.", metavar="FILE")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Set one key over the file, such as asr.language=zh.", metavar="KEY=VALUE"),
]
DataOption = Annotated[Path | None, typer.Option("--data", help="Folder where memory lives.", metavar="DIR")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Never ask the network for weights.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def overrides_of(set_: list[str] | None, *, offline: bool) -> list[str]:
    """``--offline`` and the ``--set`` items, which win over it."""
    return [*(["weights.offline=true"] if offline else []), *(set_ or [])]


def settings_from(
    config: Path | None, overrides: list[str] | None, data: Path | None = None, extra: list[str] | None = None
) -> Settings:
    """Read the settings that a command was given.

    Args:
        config: ``--config``.
        overrides: ``--set`` items; they win over ``extra``.
        data: ``--data``.
        extra: Items that the command derives from its own options.

    Returns:
        The checked settings.

    Raises:
        UserError: A file, key or value is wrong.
    """
    items = [*(extra or []), *(overrides or [])]
    if data is not None:
        items.append(f"memory.data_dir={data}")
    return load_settings(config, items)
