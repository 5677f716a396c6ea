"""What ``replay`` and ``demo`` do: check the input, load the models, play, leave a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from memory.errors import UserError
from pipeline import virtual_time
from pipeline.cancelled import was_cancelled
from pipeline.conversation import INPUT_RATE
from pipeline.interrupts import INTERRUPTED
from pipeline.live_view import LiveView
from pipeline.memory_stores import open_stores
from pipeline.missing_weights import pull_missing
from pipeline.models import load_models
from pipeline.output_folder import OutputFolder
from pipeline.project import CONFIGS
from pipeline.replay_inputs import (
    ReplayInputs,
    ReplayRequest,
    clear_memory,
    fresh_memory,
    read_inputs,
    replay_settings,
    with_memory,
)
from pipeline.replay_run import ReplaySinks, ReplaySummary, plan_files, plan_scenario, replay
from pipeline.resources import peak_resident_mb
from pipeline.settings import Settings
from pipeline.speech.llm import probe
from pipeline.terminal import make_console, print_json
from pipeline.tools.loading import open_tools
from pipeline.tools.scripted import scenario_tools


def demo_scenario(language: str) -> Path:
    """The scenario that the demo plays.

    Raises:
        UserError: There is none in that language.
    """
    path = CONFIGS / "scenarios" / f"demo_{language}.yaml"
    if not path.exists():
        raise UserError(f"--language {language}: the demo speaks en or zh")
    return path


def run_replay(request: ReplayRequest) -> int:
    """Do what was asked for.

    Returns:
        Exit code: 0, or 130 after Ctrl-C.

    Raises:
        UserError: Something is wrong with the input, the settings or the folder.
    """
    console = make_console(stderr=request.show == "json")
    inputs = read_inputs(request)
    settings = replay_settings(request, inputs)
    fresh = fresh_memory(request, settings)
    settings = settings if fresh is None else with_memory(settings, fresh)
    folder = OutputFolder(request.out, INPUT_RATE)
    try:
        pull_missing(settings, console, speech=not request.text)
        if fresh is not None:
            clear_memory(fresh)
        interrupted, summary = virtual_time.run(
            _play(request, inputs, settings, folder, console), virtual=request.virtual
        )
    finally:
        folder.close()
    page = folder.write_report() if summary.turns else None
    _tell(request, summary, page, console)
    if interrupted:
        console.print("What was said so far is kept.")
        return INTERRUPTED
    if summary.problems:
        raise UserError("; ".join(summary.problems))
    return 0


async def _play(
    request: ReplayRequest, inputs: ReplayInputs, settings: Settings, folder: OutputFolder, console: Console
) -> tuple[bool, ReplaySummary]:
    sinks = ReplaySinks(on_listening=lambda: console.print("Listening."))
    losses: list[str] = []
    if request.show == "all":
        view = LiveView(console)
        sinks.on_event.append(view.event)
        sinks.on_closed.append(view.closed)
    stores = open_stores(settings)
    try:
        async with open_tools(
            settings,
            stores.folder,
            extra=scenario_tools(inputs.scenario),
            say=lambda line: console.print(f"[yellow]{escape(line)}[/]"),
        ) as tools:
            with console.status("Loading the models …"):
                models = await load_models(settings, speech=not request.text)
            try:
                if inputs.scenario is None:
                    plans = plan_files(inputs.files, losses.append)
                else:
                    plans = plan_scenario(inputs.scenario, models.user_voice, losses.append)
                if (problem := await probe(settings.llm)) is not None:
                    console.print(f"[yellow]{escape(problem)}[/]")
                with _progress(console, inputs.seconds) as bar:
                    task = bar.add_task("", total=inputs.seconds or None)
                    sinks.on_position = lambda seconds: bar.update(task, completed=seconds)
                    summary = await replay(settings, models, stores, plans, folder, sinks, tools)
                    summary.problems.extend(losses)
            finally:
                models.close()
    finally:
        stores.close()
    return was_cancelled(), summary


def _progress(console: Console, seconds: float) -> Progress:
    """Where the conversation is; of how much, if that is known."""
    position = "{task.completed:.0f} s" + (f" of {seconds:.0f} s" if seconds else "")
    return Progress(BarColumn(), TextColumn(position), console=console, transient=True)


def _tell(request: ReplayRequest, summary: ReplaySummary, page: Path | None, console: Console) -> None:
    facts: dict[str, Any] = {
        "turns": len(summary.turns),
        "interrupted": sum(turn.interrupted for turn in summary.turns),
        "seconds": round(summary.seconds, 2),
        "loop_lag_p99_ms": round(summary.loop_lag_p99_ms, 1),
        "peak_resident_mb": round(peak_resident_mb()),
        "folder": str(request.out),
    }
    if request.show == "json":
        print_json(facts)
        return
    turns = f"{facts['turns']} turn" + ("" if facts["turns"] == 1 else "s")
    console.print(f"{turns}, {facts['interrupted']} interrupted, {facts['seconds']:.0f} s of conversation.")
    if not request.virtual:
        console.print(
            f"Event loop late by {facts['loop_lag_p99_ms']} ms at the 99th percentile; "
            f"{facts['peak_resident_mb']} MB resident at most."
        )
    console.print(f"See {page}" if page else f"No turn was heard; see {request.out}", soft_wrap=True, markup=False)
