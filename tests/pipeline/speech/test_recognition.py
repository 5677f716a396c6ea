from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.speech.attempts import Attempt
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Decoding, Verdict
from pipeline.speech.language import LanguageLock
from pipeline.speech.outcomes import Empty, Final, Interim
from pipeline.speech.recognition import LONGEST_S, Recognition
from tests.fakes.scripted_speech import SHORT_WORD_S, Room, ScriptedDecoder, silence, word, words

# Its interim has the window of a final.
LONG_ENOUGH = " ".join(f"w{i}" for i in range(1, 21))


def room(*delays: int, interval_s: float = 0.3) -> Room:
    return Room(Recognition(LanguageLock("en"), interval_s), delays=list(delays) or [0])


def test_interims_while_speaking_and_one_final() -> None:
    here = room()
    here.hear(silence(1), words(1, 6), silence(0.5))
    assert here.finals == ["w1 w2 w3 w4 w5 w6"]
    assert here.interims[-1].text == "w1 w2 w3 w4 w5 w6"
    assert here.interims[-1].stable == "w1 w2 w3 w4 w5"
    assert len(here.interims) >= 5


def test_the_final_is_the_tails_decode_and_costs_nothing_at_the_stop() -> None:
    here = room()
    here.hear(silence(1), words(1, 6), silence(0.1))
    decodes = len(here.decoder.requests)
    here.hear(silence(0.4))
    assert here.finals == ["w1 w2 w3 w4 w5 w6"]
    assert len(here.decoder.requests) == decodes


def test_a_running_decode_is_awaited() -> None:
    here = room(0, 0, 0, 0, 30)
    here.hear(silence(1), words(1, 5), silence(0.5))
    assert here.finals == []
    here.hear(silence(1.0))
    assert here.finals == ["w1 w2 w3 w4 w5"]


def test_an_interim_that_heard_all_the_speech_serves_as_the_last_decode() -> None:
    recognition, decoder = Recognition(LanguageLock("en"), 0.3), ScriptedDecoder()
    recognition.feed(np.concatenate([silence(1), words(1, 2)]))
    recognition.speech_started(0.6)
    recognition.feed(words(3, 18))
    job = recognition.next_job()
    assert job is not None
    assert not job.last
    recognition.finished(job, decoder.decode(job.request))
    recognition.feed(silence(0.1))
    recognition.speech_tail()
    assert not recognition.due
    recognition.feed(silence(0.2))
    (final,) = recognition.speech_stopped(0.2)
    assert isinstance(final, Final)
    assert final.text == LONG_ENOUGH


def test_a_false_tail_loses_nothing() -> None:
    here = room()
    here.hear(silence(1), words(1, 3), silence(0.12), words(4, 3), silence(0.5))
    assert here.stops == 1
    assert here.finals == ["w1 w2 w3 w4 w5 w6"]


def test_the_first_word_after_a_stop_is_not_lost() -> None:
    here = room(12)
    here.hear(silence(1), words(1, 4), silence(0.22), words(5, 4), silence(1))
    here.finish()
    assert here.finals == ["w1 w2 w3 w4", "w5 w6 w7 w8"]


def test_a_short_word_before_the_vad_starts_is_caught() -> None:
    here = room()
    here.hear(silence(1), word(1, SHORT_WORD_S), silence(0.5), words(2, 3), silence(0.5))
    assert here.finals == ["w1 w2 w3 w4"]


def test_a_pre_roll_ends_where_the_speech_before_it_ended() -> None:
    here = room()
    here.hear(silence(1), words(1, 2), silence(0.4), words(3, 2), silence(0.5))
    assert here.finals == ["w1 w2", "w3 w4"]


def test_noise_is_answered_without_words() -> None:
    here = room()
    here.hear(silence(1), np.full(8000, 50, dtype=np.int16), silence(0.5))
    assert [outcome for _, outcome in here.said] == [Empty()]


def test_words_that_two_pauses_cut_apart_are_read_together_when_in_doubt() -> None:
    here = room()
    here.decoder.doubted = {"w3 w4"}
    here.hear(silence(1), words(1, 2), silence(0.4), words(3, 2), silence(0.5))
    assert here.finals == ["w1 w2", "w3 w4"]
    assert here.jobs[-1].attempt is Attempt.JOINT
    assert here.jobs[-1].request.seconds > 1.6


def test_no_context_from_long_ago() -> None:
    here = room()
    here.decoder.doubted = {"w3 w4"}
    here.hear(silence(1), words(1, 2), silence(4), words(3, 2), silence(0.5))
    assert here.finals == ["w1 w2", "w3 w4"]
    assert all(job.attempt is Attempt.SHORT for job in here.jobs)


def test_a_failed_interim_is_skipped() -> None:
    here = room()
    here.decoder.failures = 1
    here.hear(silence(1), words(1, 4), silence(0.5))
    assert here.finals == ["w1 w2 w3 w4"]


def test_a_failed_end_costs_one_turn() -> None:
    here = room()
    here.decoder.failures = 100
    here.hear(silence(1), words(1, 3), silence(1))
    here.decoder.failures = 0
    here.hear(words(4, 3), silence(1))
    assert [outcome for _, outcome in here.said if not isinstance(outcome, Interim)] == [
        Empty(failed=True),
        Final("w4 w5 w6", "en", -0.1, pytest.approx(2.88, abs=0.05), pytest.approx(3.8, abs=0.05)),
    ]


def test_a_failed_tail_is_tried_once_more_at_the_stop() -> None:
    here = room()
    here.hear(silence(1), words(1, 3))
    here.decoder.failures = 1
    here.hear(silence(1))
    assert here.finals == ["w1 w2 w3"]


def test_a_second_start_closes_what_was_open() -> None:
    recognition = Recognition(LanguageLock("en"), 0.3)
    here = Room(recognition)
    here.hear(silence(1), words(1, 3))
    here.said += [(0, outcome) for outcome in recognition.speech_started(0.0)]
    here.hear(silence(0.5))
    assert here.answers == 2


def test_stops_and_tails_without_speech_mean_nothing() -> None:
    recognition = Recognition(LanguageLock("en"), 0.3)
    recognition.speech_tail()
    assert recognition.speech_stopped(0.2) == []
    assert not recognition.due


def test_a_slow_machine_hears_fewer_interims_and_never_queues() -> None:
    fast, slow = room(0), room(25)
    for here in (fast, slow):
        here.hear(silence(1), words(1, 20), silence(0.5))
        here.finish()
        assert here.finals == [" ".join(f"w{i}" for i in range(1, 21))]
    assert 4 <= len(slow.jobs) < len(fast.jobs) / 2


@pytest.mark.parametrize("delay", [0, 20])
@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.DOUBT, Verdict.REJECT])
def test_three_minutes_without_a_pause_stay_bounded(delay: int, verdict: Verdict) -> None:
    here = room(delay)
    here.decoder.verdict = lambda count: verdict
    count = 600
    here.hear(silence(1), words(1, count), silence(0.5))
    here.finish()
    assert here.finals == [" ".join(f"w{i}" for i in range(1, count + 1))]
    assert max(job.request.seconds for job in here.jobs) <= (LONGEST_S if verdict is Verdict.REJECT else 20)
    assert here.jobs[-1].request.prompt.split()[-1].startswith("w")
    assert here.recognition.end - here.recognition._timeline.first < 31 * SAMPLE_RATE


def test_a_minute_that_waits_for_the_machine_is_read_piece_by_piece() -> None:
    here = room(3000, 0)
    here.hear(silence(1), words(1, 200), silence(0.5))
    here.finish()
    assert here.finals == [" ".join(f"w{i}" for i in range(1, 201))]
    assert max(job.request.seconds for job in here.jobs) <= LONGEST_S


pauses = st.sampled_from([0.06, 0.12, 0.18, 0.22, 0.3, 0.5, 1.5])
phrases = st.lists(st.tuples(st.integers(1, 8), pauses), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    said=phrases,
    delays=st.lists(st.integers(0, 30), min_size=1, max_size=20),
    interval_s=st.sampled_from([0.1, 0.3, 0.7]),
    verdicts=st.lists(st.sampled_from([Verdict.ACCEPT, Verdict.DOUBT, Verdict.REJECT]), min_size=1, max_size=5),
)
def test_whatever_the_pauses_the_doubts_and_the_machine_every_word_is_heard_once(
    said: list[tuple[int, float]], delays: list[int], interval_s: float, verdicts: list[Verdict]
) -> None:
    here = room(*delays, interval_s=interval_s)
    here.decoder.verdict = lambda count: verdicts[count % len(verdicts)]
    here.hear(silence(0.7))
    number = 1
    for count, pause in said:
        here.hear(words(number, count), silence(pause))
        number += count
    here.hear(silence(1))
    here.finish()
    assert " ".join(here.finals).split() == [f"w{i}" for i in range(1, number)]
    assert here.answers == here.stops == here.starts
    stable, spoken = "", 0
    for segment, outcome in here.said:
        if isinstance(outcome, Interim):
            assert segment > 0, "an interim after the stop"
            stable = stable if segment == spoken else ""
            assert outcome.stable.startswith(stable)
            assert outcome.text.startswith(outcome.stable)
            stable, spoken = outcome.stable, segment


def test_a_doubtful_interim_that_heard_everything_is_not_decoded_again() -> None:
    recognition, decoder = Recognition(LanguageLock("en"), 0.3), ScriptedDecoder()
    decoder.doubted = {LONG_ENOUGH}
    recognition.feed(np.concatenate([silence(1), words(1, 2)]))
    recognition.speech_started(0.6)
    recognition.feed(words(3, 18))
    job = recognition.next_job()
    assert job is not None
    recognition.feed(silence(0.1))
    recognition.speech_tail()
    recognition.finished(job, decoder.decode(job.request))
    assert not recognition.due
    recognition.feed(silence(0.2))
    (final,) = recognition.speech_stopped(0.2)
    assert isinstance(final, Final)
    assert final.text == LONG_ENOUGH


def test_doubts_begin_anew_when_speech_goes_on() -> None:
    here = room(15)
    here.decoder.doubted = {"w3 w4"}
    here.hear(silence(1), words(1, 2), silence(0.4), words(3, 2), silence(0.14), words(5, 3), silence(0.5))
    here.finish()
    assert here.finals == ["w1 w2", "w3 w4 w5 w6 w7"]


class NamingDecoder(ScriptedDecoder):
    """Hears its second word as a name once it is told of it."""

    def decode(self, request: DecodeRequest) -> Decoding:
        decoding = super().decode(request)
        if request.names:
            written = request.names[:1] if "w2" in decoding.text else ()
            return replace(decoding, text=decoding.text.replace("w2", request.names[0]), written=written)
        return replace(decoding, similar=("Ngozi",) if "w2" in decoding.text else ())


def test_a_name_that_an_interim_sounds_like_is_told_to_the_decodes_that_follow() -> None:
    here = Room(Recognition(LanguageLock("en"), 0.3), decoder=NamingDecoder())
    here.hear(silence(1), words(1, 6), silence(0.5))
    assert here.finals == ["w1 Ngozi w3 w4 w5 w6"]
    last = [job for job in here.jobs if job.last]
    assert [job.attempt for job in last] == [Attempt.NAMES]


def test_a_name_at_the_very_end_costs_one_decode_more() -> None:
    here = Room(Recognition(LanguageLock("en"), 0.3), decoder=NamingDecoder())
    here.hear(silence(1), words(1, 2), silence(0.5))
    assert here.finals == ["w1 Ngozi"]
    assert [job.attempt for job in here.jobs if job.last].count(Attempt.NAMES) == 1


def test_names_are_told_four_at_a_time_and_twice_at_most_in_an_utterance() -> None:
    decoder = ScriptedDecoder()
    plain = decoder.decode
    decoder.decode = lambda request: replace(plain(request), similar=tuple("ABCDEF"))  # type: ignore[method-assign]
    here = Room(Recognition(LanguageLock("en"), 0.3), decoder=decoder)
    here.hear(silence(1), words(1, 6), silence(3), words(7, 3), silence(1))
    told = [job.request.names for job in here.jobs if job.attempt is Attempt.NAMES]
    assert told[:3] == [tuple("ABCD"), tuple("ABCD"), tuple("EF")]
    assert all(job.request.names == () for job in here.jobs if job.attempt is not Attempt.NAMES)
    second = [job for job in here.jobs if job.start > 4 * SAMPLE_RATE]
    assert second[0].attempt is Attempt.SHORT
