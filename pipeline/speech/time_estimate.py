"""When words ended, for a recogniser that does not say so: characters shared out over what is loud."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.trimming import BLOCK, block_levels
from pipeline.speech.units import split_units

# Below this share of the loudest 10 ms nobody speaks.
QUIET_SHARE = 0.05


def estimate_times(text: str, audio: Samples, known: Sequence[tuple[int, float]] = ()) -> tuple[tuple[int, float], ...]:
    """Estimate the ends of words.

    Args:
        text: What was said in the audio.
        audio: int16 mono at 16 kHz.
        known: (characters up to a place, its time in seconds), ascending; such as the ends of sentences.

    Returns:
        (characters up to a unit's end, its end in seconds), ascending; pauses take no characters.
    """
    seconds = len(audio) / SAMPLE_RATE
    blocks = len(audio) // BLOCK
    if not blocks or not text:
        return ()
    levels = block_levels(audio)
    # A little everywhere, so that loudness rises with time.
    loudness = np.concatenate([[0.0], np.cumsum((levels > QUIET_SHARE * levels.max()) + 1e-6)])
    at = np.arange(blocks + 1) * BLOCK / SAMPLE_RATE
    anchors = [(0, 0.0)]
    for characters, end in known:
        if characters > anchors[-1][0] and end > anchors[-1][1]:
            anchors.append((characters, min(end, seconds)))
    if anchors[-1][0] < len(text):
        anchors.append((len(text), seconds))
    heard = np.interp([end for _, end in anchors], at, loudness)
    ends = np.cumsum([len(unit) for unit in split_units(text)])
    # A word that a pause follows ends before the pause.
    places = np.maximum(np.interp(ends, [place for place, _ in anchors], heard) - 0.5, 0.0)
    times = np.interp(places, loudness, at)
    return tuple((int(place), float(time)) for place, time in zip(ends, times, strict=True))
