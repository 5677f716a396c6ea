"""When each word was said, from the ends that an alignment gives and from where the audio is loud.

```
audio     ______▂▅▇▅▂____▃▆▇▅▃▂▅▆▃_____
alignment [   like      )[window )[seats )     ends only: a pause belongs to the word before it
words            [like]   [window][seats]
```
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.speech.decoding import SAMPLE_RATE, Decoding, Samples, TimedWord
from pipeline.speech.time_estimate import QUIET_SHARE, estimate_times
from pipeline.speech.trimming import BLOCK, block_levels, unit_ends
from pipeline.speech.units import split_units


def words_of(decoding: Decoding, audio: Samples, begin_s: float, *, skip: int = 0) -> tuple[TimedWord, ...]:
    """The words of a decode.

    Args:
        decoding: The decode; aligned now if it can be, which blocks for some 50 ms.
        audio: What it heard, int16 mono at 16 kHz.
        begin_s: Time of the first sample, seconds.
        skip: Characters at the beginning of the text whose words are left out.

    Returns:
        In order.
    """
    times = decoding.align() if decoding.align is not None else decoding.times
    words = timed_words(decoding.text, times or estimate_times(decoding.text, audio), audio, begin_s)
    places = np.cumsum([len(unit) for unit in split_units(decoding.text)])
    return tuple(word for word, place in zip(words, places, strict=True) if place > skip)


def timed_words(text: str, times: Sequence[tuple[int, float]], audio: Samples, begin_s: float) -> tuple[TimedWord, ...]:
    """Give every word its time, without the silence around it.

    Args:
        text: What was said in the audio.
        times: (characters up to a word's end, that end in seconds), ascending.
        audio: int16 mono at 16 kHz.
        begin_s: Time of the first sample, seconds.

    Returns:
        A word for each unit of the text, in order.
    """
    ends = unit_ends(text, times, len(audio) / SAMPLE_RATE) if text else []
    levels = block_levels(audio)
    loud = np.flatnonzero(levels > QUIET_SHARE * levels.max(initial=0.0)) * BLOCK / SAMPLE_RATE
    words: list[TimedWord] = []
    before = 0.0
    for unit, end in zip(split_units(text), ends, strict=True):
        end = max(end, before)
        inside = loud[(loud >= before) & (loud < end)]
        first, last = (float(inside[0]), float(inside[-1]) + BLOCK / SAMPLE_RATE) if len(inside) else (before, end)
        words.append(TimedWord(unit.strip(), begin_s + first, begin_s + min(last, end)))
        before = end
    return tuple(words)
