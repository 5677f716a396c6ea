"""``Recognition`` against anything: events in any order, decoders that hear anything, fail, and take any time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.speech.decoding import SAMPLE_RATE, Decoding, Verdict
from pipeline.speech.language import LanguageLock
from pipeline.speech.outcomes import Empty, Final, Interim, Job, Outcome
from pipeline.speech.recognition import Recognition
from pipeline.speech.segment import Segment

anything = st.lists(st.sampled_from([" I", " like", " Bob.", "好", "的，", " 10", " - ", " ..."]), max_size=8).map(
    "".join
)
# What a recogniser writes of growing audio: mostly the same words, then some that will change.
SAID = [" I", " like", " Bob", " and", " the", " old", " 好", "朋", "友", "们", " on", " Monday."]
growing = st.tuples(st.integers(0, len(SAID)), anything).map(lambda heard: "".join(SAID[: heard[0]]) + heard[1])
texts = anything | growing | st.integers(2, len(SAID)).map(lambda count: "".join(SAID[:count]))
decodings = st.builds(
    Decoding,
    text=texts,
    verdict=st.sampled_from([Verdict.ACCEPT, Verdict.ACCEPT, Verdict.DOUBT, Verdict.REJECT, Verdict.NO_SPEECH]),
    language=st.sampled_from(["en", "zh"]),
    language_probability=st.none() | st.floats(0, 1),
    avg_logprob=st.floats(-3, 0),
    no_speech=st.floats(0, 1),
    looped=st.booleans(),
    similar=st.lists(st.sampled_from(["Bob", "好友"]), max_size=2).map(tuple),
)
events = st.one_of(
    st.tuples(st.just("feed"), st.sampled_from([0, 1, 320, 3_200, 16_000, 160_000]), st.sampled_from([0, 3, 9_000])),
    st.tuples(st.just("start"), st.sampled_from([0.0, 0.2, 5.0])),
    st.tuples(st.just("tail")),
    st.tuples(st.just("stop"), st.sampled_from([0.0, 0.2, 5.0])),
    st.tuples(st.just("ask")),
    st.tuples(st.just("answer"), decodings),
    st.tuples(st.just("fail")),
)
# Somebody who goes on to speak while words come.
monologue = st.lists(st.tuples(st.just("interim"), decodings), min_size=3, max_size=8).map(
    lambda interims: [("start", 0.2), *interims, ("tail",)]
)
sequences = st.lists(events.map(lambda event: [event]) | monologue, max_size=40).map(lambda parts: sum(parts, []))


@dataclass
class Caller:
    """Drives a recognition by its rules and keeps what it must keep of its promises."""

    recognition: Recognition = field(default_factory=lambda: Recognition(LanguageLock(None), 0.3))
    job: Job | None = None
    open: bool = False
    owed: int = 0
    answered: int = 0
    stable: dict[int, str] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    segments: list[Segment] = field(default_factory=list)

    def step(self, event: tuple) -> None:
        kind = event[0]
        if kind == "feed":
            noise = np.random.default_rng(0).integers(-1, 2, event[1]) * event[2]
            self.recognition.feed(noise.astype(np.int16))
        elif kind == "start":
            self.owed += self.open
            self.open = True
            self.take(self.recognition.speech_started(event[1]))
        elif kind == "tail":
            self.recognition.speech_tail()
        elif kind == "stop":
            self.owed += self.open
            self.open = False
            self.take(self.recognition.speech_stopped(event[1]))
        elif kind == "ask" and self.job is None:
            self.job = self.recognition.next_job()
        elif kind == "interim":
            for part in (("feed", 16_000, 9_000), ("ask",), ("answer", event[1])):
                self.step(part)
        elif kind in ("answer", "fail") and self.job is not None:
            job, self.job = self.job, None
            segment = id(job.segment)
            self.segments.append(job.segment)
            outcomes = self.recognition.failed(job) if kind == "fail" else self.recognition.finished(job, event[1])
            for outcome in outcomes:
                if isinstance(outcome, Interim):
                    assert segment not in self.closed, "an interim after the answer"
                    assert outcome.stable.startswith(self.stable.get(segment, "")), "stable words changed"
                    self.stable[segment] = outcome.stable
            if job.segment.stop is not None:
                self.closed.add(segment)
            self.take(outcomes)

    def take(self, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Final):
                assert outcome.text.strip()
                assert 0 <= outcome.start_s <= self.recognition.end / SAMPLE_RATE
                assert outcome.words is not None
                outcome.words()
            self.answered += isinstance(outcome, Final | Empty)
        assert self.answered <= self.owed, "an answer without a stop"
        assert self.recognition.settled == (self.answered == self.owed)


@settings(max_examples=150)
@given(sequences, st.lists(decodings, min_size=1, max_size=4))
def test_every_stop_has_exactly_one_answer_whatever_happens(happened: list[tuple], later: list[Decoding]) -> None:
    caller = Caller()
    for event in happened:
        caller.step(event)
    caller.step(("stop", 0.2))
    for count in range(200):
        if caller.answered == caller.owed and caller.job is None:
            break
        caller.step(("ask",))
        assert caller.job is not None, "an answer is due and nothing is decoded"
        caller.step(("answer", later[count % len(later)]))
    assert caller.answered == caller.owed


@given(sequences)
def test_a_decoder_that_only_fails_ends_every_segment(happened: list[tuple]) -> None:
    caller = Caller()
    for event in happened:
        caller.step(("fail",) if event[0] == "answer" else event)
    caller.step(("stop", 0.2))
    for _ in range(3 * caller.owed + 3):
        caller.step(("ask",))
        caller.step(("fail",))
    assert caller.answered == caller.owed
