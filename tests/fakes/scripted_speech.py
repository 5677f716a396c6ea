"""Speech whose words can be read off the samples, a decoder that does so, and a VAD to match: no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Decoding, Samples, Verdict
from pipeline.speech.outcomes import Empty, Final, Interim, Job, Outcome
from pipeline.speech.recognition import Recognition

WORD_S = 0.3
# A word that is too short to start the VAD.
SHORT_WORD_S = 0.18
GAP_S = 0.01
# Of a word, this much must be heard.
HEARD_S = 0.16
LEVEL = 8000

BLOCK = SAMPLE_RATE // 50
VAD_S = 0.2


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE), dtype=np.int16)


def word(number: int, seconds: float = WORD_S) -> Samples:
    """Word ``w<number>``: its number is its amplitude above ``LEVEL``."""
    sound = np.full(round((seconds - GAP_S) * SAMPLE_RATE), LEVEL + number, dtype=np.int16)
    return np.concatenate([silence(GAP_S), sound])


def words(first: int, count: int) -> Samples:
    """Words without pauses."""
    return np.concatenate([word(number) for number in range(first, first + count)])


class ScriptedDecoder:
    """Hears such words."""

    def __init__(self) -> None:
        self.requests: list[DecodeRequest] = []
        self.failures = 0
        self.doubted: set[str] = set()
        self.verdict: Callable[[int], Verdict] = lambda count: Verdict.ACCEPT

    def decode(self, request: DecodeRequest) -> Decoding:
        self.requests.append(request)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("out of memory")
        edges = np.flatnonzero(np.diff(request.audio.astype(np.int32), prepend=0, append=0))
        text, times = "", []
        for begin, end in zip(edges, edges[1:], strict=False):
            number = int(request.audio[begin]) - LEVEL
            if number > 0 and end - begin >= HEARD_S * SAMPLE_RATE:
                text += f" w{number}"
                times.append((len(text), int(end) / SAMPLE_RATE))
        verdict = self.verdict(len(times)) if text else Verdict.NO_SPEECH
        if text.strip() in self.doubted:
            verdict = Verdict.DOUBT
        ends = tuple(times)
        asked = ends if request.word_times else ()
        language = request.language.preferred or "en"
        return Decoding(text, verdict, language, None, -0.1, 0.1, times=asked, align=lambda: ends)


@dataclass
class Room:
    """Somebody speaks to a ``Recognition`` through a VAD; decodes take as long as they are told to.

    Attributes:
        delays: Blocks of 20 ms that each decode takes, one after the other; the last goes on for ever.
        said: Everything that came out, with the segment that was open at the time, counted from 1, or 0.
        stops: How often the VAD said stop.
    """

    recognition: Recognition
    decoder: ScriptedDecoder = field(default_factory=ScriptedDecoder)
    delays: list[int] = field(default_factory=lambda: [0])
    said: list[tuple[int, Outcome]] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    stops: int = 0
    starts: int = 0
    _speaking: bool = False
    _tail: bool = False
    _run: int = 0
    _flying: tuple[Job, Decoding | None, int] | None = None

    def hear(self, *audio: Samples) -> None:
        whole = np.concatenate(audio)
        for start in range(0, len(whole), BLOCK):
            block = whole[start : start + BLOCK]
            self.recognition.feed(block)
            self._land(block_passed=True)
            self._vad(bool(block.any()))
            self._work()

    def finish(self) -> None:
        """Let all decodes end without more audio."""
        while self._flying is not None or self.recognition.due:
            self._land(block_passed=True)
            self._work()

    @property
    def finals(self) -> list[str]:
        return [outcome.text for _, outcome in self.said if isinstance(outcome, Final)]

    @property
    def interims(self) -> list[Interim]:
        return [outcome for _, outcome in self.said if isinstance(outcome, Interim)]

    @property
    def answers(self) -> int:
        return sum(isinstance(outcome, Final | Empty) for _, outcome in self.said)

    def _say(self, outcomes: Iterable[Outcome]) -> None:
        self.said += [(self.starts if self._speaking else 0, outcome) for outcome in outcomes]

    def _vad(self, loud: bool) -> None:
        self._run = self._run + 1 if loud != self._speaking else 0
        if self._speaking and self._run == 1:
            self.recognition.speech_tail()
        if self._run < round(VAD_S * SAMPLE_RATE / BLOCK):
            return
        self._run, self._speaking = 0, loud
        if loud:
            self.starts += 1
            self._say(self.recognition.speech_started(VAD_S))
        else:
            self.stops += 1
            self._say(self.recognition.speech_stopped(VAD_S))

    def _work(self) -> None:
        while self._flying is None:
            job = self.recognition.next_job()
            if job is None:
                return
            self.jobs.append(job)
            try:
                decoding: Decoding | None = self.decoder.decode(job.request)
            except RuntimeError:
                decoding = None
            delay = self.delays.pop(0) if len(self.delays) > 1 else self.delays[0]
            self._flying = (job, decoding, delay)
            self._land(block_passed=False)

    def _land(self, *, block_passed: bool) -> None:
        if self._flying is None:
            return
        job, decoding, left = self._flying
        left -= block_passed
        self._flying = (job, decoding, left)
        if left <= 0:
            self._flying = None
            self._say(self.recognition.failed(job) if decoding is None else self.recognition.finished(job, decoding))
