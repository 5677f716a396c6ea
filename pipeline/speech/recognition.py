"""What to decode next, and what to say of it: the recogniser without threads, clocks or frames.

All positions are sample counts, so two runs over the same audio decide the same. ::

    ───────────▁▂▅▇▆▅▇▆▂▁─▂▅▆▇▅▂▁────────────
               │  │  │  │   │  │ │  └ VAD stop: the tail's words are the final transcript, nothing is decoded
               │  │  │  │   │  │ └ tail: last decode
               │  │  │  │   │  └ interim
               │  │  │  └ false tail: decoded, then speech goes on; nothing is lost
               │  └ interims, each over everything since the start: two that agree make words stable
               └ VAD start; the audio of the second before belongs to it

Decodes run one at a time. A stopped segment comes first, then the tail, then an interim.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial

import numpy as np

from pipeline.speech import trimming
from pipeline.speech.attempts import FINAL_WINDOW_S, Attempt, best, next_attempt, padding
from pipeline.speech.decoding import (
    SAMPLE_RATE,
    DecodeRequest,
    Decoding,
    Samples,
    TimedWord,
    Verdict,
    WordEnds,
)
from pipeline.speech.hypothesis import HypothesisBuffer, continuation
from pipeline.speech.language import LanguageLock, language_of
from pipeline.speech.outcomes import Empty, Final, Job, Outcome, interim
from pipeline.speech.segment import Answer, Segment
from pipeline.speech.time_estimate import estimate_times
from pipeline.speech.timeline import AudioTimeline
from pipeline.speech.units import has_words, split_units
from pipeline.speech.word_times import timed_words, words_of

# Audio before the VAD heard speech: a short "Wait," does not start the VAD, what follows it does.
PRE_ROLL_S = 1.2

# An interim costs in proportion to the audio, so its share of the time is kept by asking less often.
INTERVAL_PER_SECOND = 0.05
# After a decode that took t seconds of audio the next one begins t * REST after its beginning.
REST = 1.6
# After a tail the VAD decides within this time whether speech has stopped.
AFTER_TAIL_S = 0.3
# A stop belongs to a tail no longer ago than the VAD's silence and one audio frame.
TAIL_SLACK_S = 0.1
# What comes after an interim's end counts as silence below this share of the loudest 10 ms.
SILENCE_SHARE = 0.03

# An utterance is read together with the one before it if they are this close and, together, this short.
CONTEXT_GAP_S = 3.0
CONTEXT_S = 20.0

# Long speech: words are committed beyond this length; at the hard limit whether they are stable or not.
TRIM_S = 12.0
FORCE_TRIM_S = 22.0
LONGEST_S = 28.0
PROMPT_CHARACTERS = 200


class Recognition:
    """Takes audio and the VAD's events; hands out jobs; gives exactly one ``Final`` or ``Empty`` per segment."""

    def __init__(self, lock: LanguageLock, interval_s: float) -> None:
        """Begin a conversation.

        Args:
            lock: Its language.
            interval_s: New audio before the next interim, seconds.
        """
        self._lock = lock
        self._interval = int(interval_s * SAMPLE_RATE)
        self._timeline = AudioTimeline()
        self._segments: deque[Segment] = deque()
        self._before: Answer | None = None
        self._floor = 0

    @property
    def end(self) -> int:
        """Position of the newest audio."""
        return self._timeline.end

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for the end of what was said."""
        return any(segment.stop is not None or self._tail_open(segment) for segment in self._segments)

    @property
    def settled(self) -> bool:
        """Whether every stretch of speech that stopped has had its answer."""
        return all(segment.stop is None for segment in self._segments)

    @property
    def due(self) -> bool:
        """Whether there is anything to decode now."""
        return self._next() is not None

    def feed(self, samples: Samples) -> None:
        """Take in audio.

        Args:
            samples: int16 mono at 16 kHz.
        """
        self._timeline.append(samples)
        needed = [self.end - int((PRE_ROLL_S + 1.0) * SAMPLE_RATE), *(segment.start for segment in self._segments)]
        if self._before is not None and self.end - self._before.start < int(CONTEXT_S * SAMPLE_RATE):
            needed.append(self._before.start)
        self._timeline.forget(min(needed))

    def speech_started(self, start_s: float) -> list[Outcome]:
        """The VAD says that speech began.

        Args:
            start_s: How long ago, seconds.
        """
        outcomes = self.speech_stopped(0.0)
        speech_start = self.end - int(start_s * SAMPLE_RATE)
        start = max(self._floor, self._timeline.first, speech_start - int(PRE_ROLL_S * SAMPLE_RATE))
        self._segments.append(Segment(start, max(speech_start, start), decoded_end=max(speech_start, start)))
        return outcomes

    def speech_tail(self) -> None:
        """The VAD heard a first silent window."""
        segment = self._open()
        if segment is not None:
            segment.tail = self.end
            self._conclude(segment, segment.tail)

    def speech_stopped(self, stop_s: float) -> list[Outcome]:
        """The VAD says that speech is over.

        Args:
            stop_s: Silence it waited for, seconds.

        Returns:
            The final transcript, if it is known already.
        """
        segment = self._open()
        if segment is None:
            return []
        segment.stop = self.end
        if segment.tail is None or self.end - segment.tail > int((stop_s + TAIL_SLACK_S) * SAMPLE_RATE):
            segment.tail = None
        segment.tried = None
        self._floor = segment.speech_end
        self._conclude(segment, segment.speech_end)
        return self._settle()

    def next_job(self) -> Job | None:
        """The most pressing decode, if any. One at a time: ``finished`` or ``failed`` comes before the next."""
        due = self._next()
        return None if due is None else self._job(*due)

    def finished(self, job: Job, decoding: Decoding) -> list[Outcome]:
        """Take in what a decode heard.

        Args:
            job: From ``next_job``.
            decoding: Its result.

        Returns:
            What is to be said of it, in order.
        """
        segment = job.segment
        segment.decoded_end = job.end
        segment.rest = int((self.end - job.end) * REST)
        whole = decoding
        if job.attempt is Attempt.JOINT:
            decoding = self._without_context(decoding)
        before_s = self._before.start / SAMPLE_RATE if job.attempt is Attempt.JOINT and self._before else None
        begin_s = job.start / SAMPLE_RATE if before_s is None else before_s
        skip = len(whole.text) - len(decoding.text)
        decoding = replace(decoding, words=partial(words_of, whole, job.request.audio, begin_s, skip=skip))
        segment.learn_names(job.request.names, decoding)
        outcomes: list[Outcome] = []
        if decoding.verdict in {Verdict.ACCEPT, Verdict.DOUBT}:
            segment.buffer.insert(decoding.text)
            if segment.stop is None:
                outcomes.append(interim(segment, decoding.language))
        if job.insist or job.request.window_s >= FINAL_WINDOW_S:
            segment.attempts = [*self._tried(segment, job.end), (job.attempt, decoding)]
            segment.attempted = job.end
            heard_tail = segment.tail is not None and self._heard_all(segment, job.end, segment.tail)
            if job.insist or heard_tail or decoding.verdict in {Verdict.ACCEPT, Verdict.NO_SPEECH}:
                self._conclude(segment, job.end)
        more = job.insist and self._attempt(segment, job.end) is not None
        if job.last and not more:
            segment.tried = job.tail
        if job.request.word_times and not more:
            self._trim(job, self._settled_on(segment, decoding) if job.insist else decoding)
        return outcomes + self._settle()

    def failed(self, job: Job) -> list[Outcome]:
        """A decode ended in an error: an interim is skipped, a segment that stopped has no words.

        Args:
            job: From ``next_job``.

        Returns:
            What is to be said of it.
        """
        segment = job.segment
        segment.decoded_end, segment.tried = job.end, job.tail
        segment.attempts = []
        segment.failed = segment.stop is not None
        return self._settle()

    def _next(self) -> tuple[Segment, int, bool] | None:
        """Which segment to decode up to where, and whether that may be the last time."""
        for segment in self._segments:
            if segment.stop is not None:
                return segment, segment.stop, True
            if self._tail_open(segment):
                return segment, self.end, True
            if self._interim_due(segment):
                return segment, self.end, False
        return None

    def _open(self) -> Segment | None:
        """The segment that is being spoken."""
        return self._segments[-1] if self._segments and self._segments[-1].stop is None else None

    def _tail_open(self, segment: Segment) -> bool:
        """Whether the tail still needs its last decode."""
        return segment.tail is not None and segment.tried != segment.tail and not self._covers(segment, segment.tail)

    def _covers(self, segment: Segment, end: int) -> bool:
        """Whether the latest answer heard all speech up to a position."""
        return segment.answer is not None and self._heard_all(segment, segment.answer.end, end)

    def _heard_all(self, segment: Segment, heard: int, end: int) -> bool:
        """Whether nothing was spoken between where a decode ended and a position."""
        if heard >= end:
            return True
        audio = self._timeline.read(segment.start, end)
        return trimming.is_quiet(audio, max(0, heard - segment.start), SILENCE_SHARE)

    def _interim_due(self, segment: Segment) -> bool:
        if segment.tail is not None and self.end - segment.tail < int(AFTER_TAIL_S * SAMPLE_RATE):
            return False
        wait = max(self._interval, segment.rest, int((self.end - segment.start) * INTERVAL_PER_SECOND))
        return self.end - segment.decoded_end >= wait

    def _job(self, segment: Segment, end: int, last: bool) -> Job:
        longest = segment.start + int(LONGEST_S * SAMPLE_RATE)
        if end > longest:
            end, last = longest, False
        seconds = (end - segment.start) / SAMPLE_RATE
        insist = last or seconds >= FORCE_TRIM_S
        attempt = (self._attempt(segment, end) if insist else None) or self._first_attempt(segment)
        context = self._context(segment, end) if attempt is Attempt.JOINT else None
        request = DecodeRequest(
            audio=self._timeline.read(segment.start if context is None else context.start, end),
            language=self._lock.choice(segment.speech_s(end), last=last),
            prompt=segment.committed[-PROMPT_CHARACTERS:],
            names=segment.names if attempt is Attempt.NAMES else (),
            padding_s=padding(attempt, seconds, final=insist),
            word_times=seconds > TRIM_S and not last,
            final=insist,
        )
        return Job(segment, segment.start, end, segment.tail, last, insist, attempt, request)

    def _tried(self, segment: Segment, end: int) -> list[tuple[Attempt, Decoding]]:
        """What was tried on the speech up to a position."""
        return segment.attempts if segment.attempts and self._heard_all(segment, segment.attempted, end) else []

    def _conclude(self, segment: Segment, end: int) -> None:
        """Make what was tried the answer, if it heard everything and leaves nothing to try."""
        if self._tried(segment, end) and self._attempt(segment, end) is None:
            decoding = best(segment.attempts)
            text = segment.committed + decoding.text
            segment.answer = Answer(segment.start, segment.attempted, text, decoding)

    def _settled_on(self, segment: Segment, decoding: Decoding) -> Decoding:
        """What long speech is cut by after every attempt; a text that stayed doubtful is all there is."""
        chosen = segment.answer.decoding if segment.answer is not None else decoding
        if chosen.verdict is Verdict.REJECT:
            segment.buffer.insert(chosen.text)
        return chosen

    def _attempt(self, segment: Segment, end: int) -> Attempt | None:
        """How to read the audio up to a position next; None if enough was tried."""
        has_context = self._context(segment, end) is not None
        return next_attempt(self._tried(segment, end), has_context=has_context, has_names=bool(segment.names))

    def _first_attempt(self, segment: Segment) -> Attempt:
        return Attempt.NAMES if segment.names else Attempt.SHORT

    def _context(self, segment: Segment, end: int) -> Answer | None:
        """The utterance before, if the segment may belong to it."""
        before = self._before
        if before is None or segment.committed or before.start < self._timeline.first:
            return None
        near = segment.speech_start - before.end <= int(CONTEXT_GAP_S * SAMPLE_RATE)
        short = end - before.start <= int(CONTEXT_S * SAMPLE_RATE)
        return before if near and short else None

    def _without_context(self, decoding: Decoding) -> Decoding:
        """What a joint decode adds to the utterance before."""
        before = split_units(self._before.decoding.text) if self._before is not None else []
        units = split_units(decoding.text)
        rest = "".join(units[continuation(before, units) :])
        if not rest:
            return replace(decoding, text="", verdict=Verdict.REJECT, avg_logprob=float("-inf"))
        return replace(decoding, text=rest)

    def _trim(self, job: Job, decoding: Decoding) -> None:
        """Cut audio whose words are settled; at the hard limit, whatever it holds."""
        segment, seconds = job.segment, job.request.seconds
        forced = seconds >= FORCE_TRIM_S
        units = split_units(decoding.text) if decoding.verdict is not Verdict.NO_SPEECH else []
        ends = trimming.unit_ends(decoding.text, decoding.times, seconds) if units else []
        if forced and units:
            goes = sum(end <= seconds - trimming.KEEP_S for end in ends)
            segment.buffer.accept(max(0, goes - continuation(segment.buffer.stable_units, units)))
        stable = segment.buffer.stable_units
        count = trimming.cut_after(units, ends, stable, seconds)
        if count and (not forced or ends[count - 1] >= trimming.KEEP_S):
            gone = trimming.release(segment.buffer, count, continuation(stable, units))
            cut = trimming.quietest(job.request.audio, int(ends[count - 1] * SAMPLE_RATE))
            heard_as = [len(unit) for unit in units[:count]]
            places = (np.cumsum(heard_as) * len(gone) / sum(heard_as)).round().astype(int).tolist()
            times: WordEnds = tuple(zip(places, ends[:count], strict=True))
        elif forced:
            gone = segment.buffer.stable + segment.buffer.unstable
            segment.buffer = HypothesisBuffer()
            cut = len(job.request.audio) - int(trimming.KEEP_S * SAMPLE_RATE)
            times = estimate_times(gone, job.request.audio[:cut])
        else:
            return
        segment.committed += gone
        segment.spoken += timed_words(gone, times, job.request.audio[:cut], job.start / SAMPLE_RATE)
        segment.start = job.start + cut
        segment.names = ()
        segment.attempts = []

    def _settle(self) -> list[Outcome]:
        """Answer the stopped segments, oldest first, as far as their words are known."""
        outcomes: list[Outcome] = []
        while self._segments and self._segments[0].stop is not None:
            segment = self._segments[0]
            if not segment.failed and not self._covers(segment, segment.speech_end):
                break
            outcomes.append(self._close(segment))
            self._segments.popleft()
        return outcomes

    def _close(self, segment: Segment) -> Outcome:
        answer = segment.answer
        if segment.failed or answer is None or not has_words(answer.text):
            return Empty(failed=segment.failed)
        self._before = answer
        decoding, speech_s = answer.decoding, segment.speech_s(answer.end)
        self._lock.observe(decoding.language, decoding.language_probability, decoding.avg_logprob, speech_s)
        return Final(
            text=answer.text.strip(),
            language=language_of(answer.text, decoding.language),
            avg_logprob=decoding.avg_logprob,
            start_s=segment.speech_start / SAMPLE_RATE,
            end_s=answer.end / SAMPLE_RATE,
            words=partial(_timed, tuple(segment.spoken), decoding),
        )


def _timed(spoken: tuple[TimedWord, ...], last: Decoding) -> tuple[TimedWord, ...]:
    return spoken + (last.words() if last.words is not None and last.text else ())
