"""A picture of how long the final words take, against how long was spoken. Plain SVG, no plotting library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")
# The delay's axis is logarithmic, milliseconds.
LEAST_MS, MOST_MS = 1.0, 10_000.0


class Delays(Protocol):
    """What is drawn: one delay for each stretch of speech."""

    final_ms: Sequence[float]
    stretch_s: Sequence[float]


def draw_delays(path: Path, runs: Mapping[str, Delays]) -> None:
    """Draw a dot for every stretch of speech.

    Args:
        path: The ``.svg`` file.
        runs: By the name that the legend gives them.
    """
    longest = max([1.0, *(length for run in runs.values() for length in run.stretch_s)])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for ms in (1, 10, 100, 1000, 10_000):
        y = _y(ms)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{ms} ms</text>')
    for second in range(0, math.ceil(longest) + 1, max(1, math.ceil(longest / 8))):
        x = _x(second, longest)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{second} s</text>')
    parts.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">length of the utterance</text>'
    )
    for number, (name, run) in enumerate(runs.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(f'<circle cx="{LEFT + 10 + 130 * number}" cy="20" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + 22 + 130 * number}" y="25">{name}</text>')
        for length, ms in zip(run.stretch_s, run.final_ms, strict=True):
            parts.append(
                f'<circle cx="{_x(length, longest):.1f}" cy="{_y(ms):.1f}" r="4" fill="{colour}" fill-opacity="0.6"/>'
            )
    parts.append(f'<text x="{WIDTH - RIGHT}" y="25" text-anchor="end">final words after the VAD heard the end</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")


def _x(seconds: float, longest: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * seconds / longest


def _y(ms: float) -> float:
    share = (math.log10(min(max(ms, LEAST_MS), MOST_MS)) - math.log10(LEAST_MS)) / math.log10(MOST_MS / LEAST_MS)
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
