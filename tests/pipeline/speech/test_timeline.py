from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.timeline import AudioTimeline

operations = st.lists(
    st.tuples(st.sampled_from(["append", "forget", "read"]), st.integers(0, 60), st.integers(0, 60)), max_size=30
)


@given(operations)
def test_it_is_a_window_on_one_long_recording(steps: list[tuple[str, int, int]]) -> None:
    timeline, whole, first = AudioTimeline(), np.zeros(0, dtype=np.int16), 0
    for name, a, b in steps:
        if name == "append":
            block = np.arange(len(whole), len(whole) + a, dtype=np.int16)
            timeline.append(block)
            whole = np.concatenate([whole, block])
        elif name == "forget":
            timeline.forget(a)
            first = max(first, min(a, len(whole)))
        else:
            low, high = min(a, b), max(a, b)
            expected = whole[max(low, first) : max(high, first)]
            assert timeline.read(low, high).tolist() == expected.tolist()
        assert (timeline.first, timeline.end) == (first, len(whole))
