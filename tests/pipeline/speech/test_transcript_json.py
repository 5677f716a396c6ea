from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.time_estimate import estimate_times
from pipeline.speech.transcript_json import read_transcript
from tests.fakes.scripted_speech import silence, words


def segment(text: str, end: float, logprob: float = -0.2, no_speech: float = 0.0) -> dict[str, object]:
    return {"text": text, "start": 0.0, "end": end, "avg_logprob": logprob, "no_speech_prob": no_speech}


def read(body: object) -> object:
    return read_transcript(json.dumps(body).encode())


def test_text_alone() -> None:
    assert read_transcript(b'{"text": "Fine."}').text == " Fine."
    assert read_transcript('{"text": " 好的。 "}'.encode()).text == "好的。"


def test_segments_give_evidence_and_times() -> None:
    heard = read(
        {"text": "One. Two three.", "segments": [segment(" One.", 1.0, -0.1), segment(" Two three.", 2.5, -0.4)]}
    )
    assert heard.text == " One. Two three."
    assert heard.avg_logprob == pytest.approx((5 * -0.1 + 11 * -0.4) / 16)
    assert heard.times == ((5, 1.0), (16, 2.5))
    assert not heard.has_word_times


def test_a_segment_that_is_silence_is_left_out() -> None:
    heard = read({"text": "One. Thank you.", "segments": [segment("One.", 1.0), segment("Thank you.", 2.5, -1.3, 0.9)]})
    assert heard.text == " One."
    assert heard.avg_logprob == -0.2


def test_words_are_found_in_the_text() -> None:
    body = {
        "text": "Hello, Bob!",
        "words": [{"word": " hello", "end": 0.5}, {"word": "who", "end": 0.7}, {"word": "Bob", "end": 0.4}],
    }
    heard = read(body)
    assert heard.times == ((6, 0.5), (11, 0.5))
    assert heard.has_word_times


def test_mandarin_segments_join_without_spaces() -> None:
    assert read({"text": "换一首歌吧", "segments": [segment("换一首", 1.0), segment("歌吧", 2.0)]}).text == "换一首歌吧"


numbers = st.integers() | st.floats() | st.booleans() | st.none() | st.text(max_size=3)
entries = st.dictionaries(
    st.sampled_from(["text", "word", "start", "end", "avg_logprob", "no_speech_prob"]), numbers | st.text(max_size=9)
)
bodies = st.fixed_dictionaries(
    {"text": st.text(max_size=30) | numbers},
    optional={
        "language": st.text(max_size=9) | numbers,
        "segments": st.lists(entries | numbers, max_size=4) | numbers,
        "words": st.lists(entries | numbers, max_size=4) | numbers,
    },
)


@given(st.binary(max_size=60) | bodies.map(lambda body: json.dumps(body).encode()))
def test_anything_is_a_transcript_or_a_value_error(raw: bytes) -> None:
    try:
        heard = read_transcript(raw)
    except ValueError:
        return
    heard.text.encode()
    assert heard.avg_logprob is None or -100 <= heard.avg_logprob <= 0
    assert heard.no_speech is None or 0 <= heard.no_speech <= 1
    places, ends = [place for place, _ in heard.times], [end for _, end in heard.times]
    assert places == sorted(places)
    assert ends == sorted(ends)
    assert all(0 <= place <= len(heard.text) for place in places)


def test_estimated_times_pass_over_pauses() -> None:
    times = estimate_times(" one two six ten", np.concatenate([silence(1), words(1, 2), silence(2), words(3, 2)]))
    assert [place for place, _ in times] == [4, 8, 12, 16]
    assert [end for _, end in times] == pytest.approx([1.3, 1.6, 3.9, 4.2], abs=0.1)


def test_estimated_times_keep_to_what_is_known() -> None:
    times = estimate_times(" one two", words(1, 10), ((4, 2.4),))
    assert [end for _, end in times] == pytest.approx([2.4, 3.0], abs=0.02)
