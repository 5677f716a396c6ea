"""Where the boundaries of one sequence lie in a slightly different one.

A word spoken alone and the same word in a sentence differ by a few phonemes ("in the" runs together,
"10" becomes "ten"); matching the two sequences says where each word ends in what was really spoken.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

import numpy as np


def map_boundaries(source: Sequence[Hashable], target: Sequence[Hashable], boundaries: Sequence[int]) -> list[int]:
    """Carry boundaries over from one sequence to a similar one.

    Matching stretches map one to one; what was replaced, merged or expanded maps in proportion.

    Args:
        source: The sequence in which the boundaries are known.
        target: The similar sequence.
        boundaries: Ascending offsets in ``source``, each from 0 to ``len(source)``.

    Returns:
        Ascending offsets in ``target``, as many as boundaries; 0 maps to 0 and the end to the end.
    """
    blocks = SequenceMatcher(a=source, b=target, autojunk=False).get_matching_blocks()
    known: list[tuple[int, int]] = [(0, 0)]
    for block in blocks:
        known += [(block.a, block.b), (block.a + block.size, block.b + block.size)]
    # A boundary beside an insertion leaves the inserted elements to the word before it.
    latest: dict[int, int] = {}
    for before, after in known:
        latest[before] = max(after, latest.get(before, 0))
    latest[0] = 0
    mapped = np.interp(boundaries, list(latest), list(latest.values()))
    return [round(float(position)) for position in mapped]


def share_out(weights: Sequence[float], start: int, end: int) -> list[int]:
    """Divide a stretch of samples in proportion to weights.

    Args:
        weights: One weight per word, none negative.
        start: First sample.
        end: One past the last sample.

    Returns:
        The end of each word, ascending; the last is ``end``.
    """
    total = float(sum(weights))
    if total <= 0:
        weights, total = [1.0] * len(weights), float(len(weights))
    ends = start + np.cumsum(weights) / total * (end - start)
    return [round(float(position)) for position in ends]
