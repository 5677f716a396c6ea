"""Prints a conversation as it happens: partial words, recalls, state changes, the cut."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from processors.turn_record import TurnRecord


class LiveView:
    """A sink for timeline events and closed turns; one line per fact."""

    def __init__(self, console: Console, *, show_partials: bool = True) -> None:
        """Make a view.

        Args:
            console: Where to print.
            show_partials: Whether partial words are shown.
        """
        self._console = console
        self._show_partials = show_partials
        self._words: list[str] = []

    def event(self, event: dict[str, Any]) -> None:
        """Show one event of the timeline."""
        kind = event["kind"]
        at = f"[dim]{event['t']:7.2f}[/]"
        if kind == "interim" and self._show_partials:
            stable, unstable = escape(event["stable"]), escape(event["unstable"])
            self._console.print(f"{at}  [dim]hears[/]    {stable} [dim]{unstable}[/]")
        elif kind == "final":
            self._console.print(f"{at}  [bold cyan]user[/]     {escape(event['text'])}")
        elif kind == "recall" and event["items"]:
            for text in event["items"]:
                self._console.print(f"{at}  [magenta]recalls[/]  {escape(text)} [dim]({event['ms']:.1f} ms)[/]")
        elif kind == "tool":
            how = event["status"].replace("_", " ")
            self._console.print(f"{at}  [blue]tool[/]     {escape(event['name'])}: {how}")
        elif kind == "barge_in":
            self._console.print(f"{at}  [bold red]cut[/]      the user speaks; the reply stops here")
        elif kind == "failure":
            self._console.print(f"{at}  [red]fault[/]    {event['part']}: {escape(event['detail'])}")

    def closed(self, turn: TurnRecord) -> None:
        """Show what came of a turn."""
        if turn.reply_text:
            shown, unheard = turn.reply_text, ""
            if turn.interrupted:
                shown = turn.heard_text
                unheard = turn.reply_text[len(shown) :]
            cut = f"[red strike]{escape(unheard)}[/]" if unheard.strip() else ""
            self._console.print(f"         [bold green]agent[/]    {escape(shown)}{cut}")
        for key, value in turn.state_update.items():
            if key in ("task", "facts", "preference", "status", "topic", "pending") and value:
                self._console.print(f"         [yellow]state[/]    {key} = {escape(str(value))}")
        if turn.latency.voice_to_voice:
            self._console.print(f"         [dim]answered {turn.latency.voice_to_voice:.0f} ms after the last word[/]")
