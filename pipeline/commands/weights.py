"""``innervoice weights``: what weights there are, what is in the cache, and fetching them."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from memory.errors import UserError
from pipeline.commands.options import ConfigOption, JsonOption, SetOption, settings_from
from pipeline.settings import Settings
from pipeline.terminal import make_console, print_json
from pipeline.weights import Weights
from pipeline.weights_progress import bars

app = typer.Typer(no_args_is_help=True, help="Model weights: what is in the cache, and fetching what is not.")


@app.command("list")
def list_weights(
    config: ConfigOption = None,
    set_: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show all weights the project knows and whether they are in the cache.

    Examples:
      innervoice weights list
      innervoice weights list --json
    """
    settings = settings_from(config, set_)
    weights = Weights(settings.weights)
    needed = weights.needed(settings)
    rows = [
        {
            "name": name,
            "what": model.what,
            "licence": model.licence,
            "MB": round(model.bytes / 1e6),
            "state": weights.state(name),
            "needed": name in needed,
            "path": str(weights.root / name),
        }
        for name, model in weights.manifest.models.items()
    ]
    if as_json:
        print_json(rows, indent=2)
        return
    table = Table("name", "what", "licence", "MB", "state", "needed")
    for row in rows:
        needed_mark = "yes" if row["needed"] else ""
        table.add_row(*(str(row[key]) for key in ("name", "what", "licence", "MB", "state")), needed_mark)
    console = make_console()
    console.print(table)
    console.print(f"in {weights.root}", soft_wrap=True)


@app.command()
def pull(
    names: Annotated[list[str] | None, typer.Argument(help="Which; by default those that the settings need.")] = None,
    language: Annotated[str | None, typer.Option(help="Those that a conversation in this language needs.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that can be had.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Local folders only, never the network.")] = False,
    config: ConfigOption = None,
    set_: SetOption = None,
) -> None:
    """Fetch weights into the cache, check their SHA-256, and keep them for every later start.

    Examples:
      innervoice weights pull
      innervoice weights pull --language zh
      innervoice weights pull whisper-base piper-en-joe
      INNERVOICE_WEIGHTS=/media/stick innervoice weights pull --offline
    """
    extra = [f"agent.language={language}"] if language is not None else []
    if offline:
        extra.append("weights.offline=true")
    settings = settings_from(config, set_, extra=extra)
    weights = Weights(settings.weights)
    console = make_console(stderr=True)
    if everything:
        _pull_all(weights, console)
    elif names:
        with bars(console) as report:
            weights.pull(names, report)
    else:
        fetch(settings, console, weights)
    for name in names or weights.needed(settings):
        typer.echo(f"{name}: {weights.state(name)}, {weights.root / name}")


def fetch(settings: Settings, console: Console, weights: Weights | None = None) -> Weights:
    """Fetch what a conversation with these settings lacks, with progress bars; at once when nothing is lacking.

    Args:
        settings: The conversation's settings.
        console: Where the bars are drawn.
        weights: The cache, if there is one already.

    Returns:
        The cache.

    Raises:
        UserError: Something cannot be had.
    """
    weights = weights or Weights(settings.weights)
    if weights.missing(weights.needed(settings)):
        with bars(console) as report:
            weights.pull_for(settings, report)
    return weights


def _pull_all(weights: Weights, console: Console) -> None:
    """Fetch everything; what cannot be had is said in the end."""
    failures = []
    with bars(console) as report:
        for name in weights.manifest.models:
            try:
                weights.pull([name], report)
            except UserError as error:
                failures.append(str(error))
    for failure in failures:
        console.print(failure, style="yellow", soft_wrap=True, markup=False)
