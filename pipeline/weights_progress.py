"""How many bytes of some weights have arrived: counted, and shown as bars."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from pipeline.weights_manifest import Model

Report = Callable[[str, int, int], None]
"""Called while weights arrive: name, bytes so far, bytes in all. From a thread of its own."""


@contextmanager
def watched(name: str, place: Path, incoming: Path, model: Model, report: Report | None) -> Iterator[None]:
    """Report how many bytes have arrived, four times a second, by looking at the files.

    Whatever brings the bytes (pip, uv, the hub's library) shows its progress in a way of its own; the growth of
    the files is the one thing they have in common.

    Args:
        name: The model's name, for the report.
        place: Where its finished files go.
        incoming: Where its unfinished files are.
        model: What is expected.
        report: Who is told; None for nobody.
    """
    if report is None:
        yield
        return
    tell = report
    total = model.bytes
    ended = threading.Event()

    def look() -> None:
        most = 0
        while not ended.wait(0.25):
            whole = sum(file.bytes for key, file in model.files.items() if _size(place / key) == file.bytes)
            most = max(most, min(total - 1, whole + sum(map(_size, incoming.rglob("*")))))
            if most:
                tell(name, most, total)

    watcher = threading.Thread(target=look, name=f"weights {name}", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
    tell(name, total, total)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


@contextmanager
def bars(console: Console) -> Iterator[Report]:
    """Progress bars in a terminal; elsewhere one line when a model begins and one when it has arrived.

    Args:
        console: Where they are drawn.

    Yields:
        What ``Weights.pull`` takes as its report.
    """
    if not console.is_terminal:
        yield _plain(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done)

        yield show


def _plain(console: Console) -> Report:
    begun: set[str] = set()

    def show(name: str, done: int, total: int) -> None:
        if done == total:
            console.print(f"fetched weights {name}")
        elif name not in begun:
            begun.add(name)
            console.print(f"fetching weights {name} ({total / 1e6:.0f} MB)")

    return show
