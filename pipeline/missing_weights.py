"""Fetches what a conversation lacks before anybody speaks; nothing downloads in a conversation."""

from __future__ import annotations

from rich.console import Console

from pipeline.settings import Settings
from pipeline.weights import Weights
from pipeline.weights_progress import bars


def pull_missing(settings: Settings, console: Console, *, speech: bool) -> None:
    """Fetch the weights that the settings need and the cache lacks, with progress bars.

    Args:
        settings: The configuration.
        console: Where the bars are drawn.
        speech: Whether turns are spoken; typed ones need the language model alone.

    Raises:
        UserError: Something cannot be had; the line names it.
    """
    weights = Weights(settings.weights)
    if speech and weights.missing(weights.needed(settings)):
        with bars(console) as report:
            weights.pull_for(settings, report)
    elif not speech and settings.llm.base_url is None and weights.missing([settings.llm.model]):
        with bars(console) as report:
            weights.pull([settings.llm.model], report)
