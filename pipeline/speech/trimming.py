"""Where to cut long speech, so that three minutes without a pause cost no more per decode than ten seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.hypothesis import HypothesisBuffer, continuation
from pipeline.speech.units import split_units, unit_key

# Audio after the cut that the next decode has to start from, seconds.
KEEP_S = 2.0
SENTENCE_ENDS = ".?!。？！"
BLOCK = SAMPLE_RATE // 100
SNAP_S = 0.15


def unit_ends(text: str, times: Sequence[tuple[int, float]], seconds: float) -> list[float]:
    """When each unit of a text ends.

    Args:
        text: A hypothesis.
        times: Its word ends as (characters so far, seconds); without any, time is shared out by length.
        seconds: Length of the audio.

    Returns:
        Seconds, ascending, one for each unit.
    """
    marks = [(0, 0.0), *times] if times else [(0, 0.0), (len(text), seconds)]
    characters = np.cumsum([len(unit) for unit in split_units(text)])
    return [float(x) for x in np.interp(characters, [mark[0] for mark in marks], [mark[1] for mark in marks])]


def cut_after(units: Sequence[str], ends: Sequence[float], stable: Sequence[str], seconds: float) -> int:
    """Choose after which unit of the latest hypothesis to cut.

    Args:
        units: The hypothesis.
        ends: When its units end.
        stable: The stable prefix in units.
        seconds: Length of the audio.

    Returns:
        How many units go; 0 to cut nowhere yet. The last sentence end in the second half of what may go,
        else as much as may go.
    """
    settled = continuation(stable, units)
    same = 0
    while same < min(len(stable), len(units)) and unit_key(stable[same]) == unit_key(units[same]):
        same += 1
    possible = [i for i in range(1, len(units) + 1) if (i <= same or i == settled) and ends[i - 1] <= seconds - KEEP_S]
    if not possible:
        return 0
    furthest = possible[-1]
    sentences = [
        i for i in possible if units[i - 1].rstrip()[-1:] in SENTENCE_ENDS and ends[i - 1] >= ends[furthest - 1] / 2
    ]
    return sentences[-1] if sentences else furthest


def release(buffer: HypothesisBuffer, count: int, settled: int) -> str:
    """Take the words of the cut audio out of the buffer.

    Args:
        buffer: The hypotheses over the audio.
        count: Units of the latest hypothesis that go.
        settled: Units of it that the stable prefix stands for.

    Returns:
        Their text, as it was called stable.
    """
    return buffer.release(len(buffer.stable_units) if count == settled else count)


def quietest(audio: Samples, near: int) -> int:
    """The quietest place close to a sample, to cut between words.

    Args:
        audio: int16 at 16 kHz.
        near: Index of the sample.

    Returns:
        Index of the middle of the quietest 10 ms within 0.15 s.
    """
    reach = int(SNAP_S * SAMPLE_RATE)
    starts = range(max(0, near - reach), min(len(audio) - BLOCK, near + reach) + 1, BLOCK // 2)
    if not starts:
        return min(near, len(audio))
    best = min(starts, key=lambda at: float(np.sum(audio[at : at + BLOCK].astype(np.float64) ** 2)))
    return best + BLOCK // 2


def is_quiet(audio: Samples, begin: int, share: float) -> bool:
    """Whether nothing is spoken from an index on, compared with the loudest 10 ms of all.

    Args:
        audio: int16 at 16 kHz.
        begin: Index from which on it should be quiet.
        share: Level that counts as quiet, as a share of the loudest.

    Returns:
        True also if nothing comes after ``begin``.
    """
    levels = block_levels(audio)
    after = levels[begin // BLOCK :]
    return len(after) == 0 or bool(after.max() <= share * levels.max())


def block_levels(audio: Samples) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The level of every whole 10 ms.

    Args:
        audio: int16 at 16 kHz.

    Returns:
        Root mean squares, shape (len(audio) // 160,).
    """
    blocks = len(audio) // BLOCK
    return np.sqrt(np.mean(audio[: blocks * BLOCK].reshape(blocks, BLOCK).astype(np.float64) ** 2, axis=1))
