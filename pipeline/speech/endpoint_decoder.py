"""A decoder whose model runs elsewhere, behind an OpenAI-compatible transcription endpoint."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace

import numpy as np

from pipeline.speech.decoding import DecodeRequest, Decoding, Samples, Verdict, WordEnds
from pipeline.speech.guard import MAX_COMPRESSION, Evidence, collapse_loops, compression, is_stock_phrase, judge
from pipeline.speech.llm_failure import EndpointFailure
from pipeline.speech.script import ChineseScript
from pipeline.speech.time_estimate import estimate_times
from pipeline.speech.transcript_json import Transcript
from pipeline.speech.transcription_client import PASSING, TranscriptionClient
from pipeline.speech.units import is_han

# Words while somebody speaks are worth no longer wait: the last decode comes after them.
INTERIM_TIMEOUT_S = 2.0
# The log-probability of an answer that comes without one: as good as clear speech.
UNKNOWN_LOGPROB = -0.5
# An endpoint names a language without saying how sure it is; the lock's votes guard against its errors.
NAMED_PROBABILITY = 0.9
# Text beyond this is no speech: fast English has 20 characters a second.
CHARACTERS_AT_LEAST = 60
CHARACTERS_PER_SECOND = 40

_NOTHING: Samples = np.zeros(0, dtype=np.int16)
# Stock phrases that are said in conversations, too.
_COURTESIES = re.compile(
    r"thank(s| you)( so much| very much)?|bye( bye)?|you|谢谢(大家|你)*|謝謝(大家|你)*", re.IGNORECASE
)


class EndpointDecoder:
    """The decoder of one conversation; the client is shared. Called in a thread, which waits for the network."""

    def __init__(self, client: TranscriptionClient, script: ChineseScript) -> None:
        """Make a decoder.

        Args:
            client: Asks the endpoint.
            script: Chinese characters are written in it.
        """
        self._client = client
        self._script = script
        self._answered: deque[tuple[DecodeRequest, Decoding]] = deque(maxlen=4)

    def decode(self, request: DecodeRequest) -> Decoding:
        """Decode once; what may become final is tried a second time if the network or the server failed.

        Args:
            request: Audio and how to read it. The silence behind it is the endpoint's affair.

        Returns:
            The words and the verdict on them; where the endpoint gives no evidence, only what is said endlessly
            or out of subtitles is doubted.

        Raises:
            EndpointFailure: There is no usable answer.
        """
        for asked, decoding in self._answered:
            if _asks_the_same(request, asked):
                return decoding
        decoding = self._decode(request)
        self._answered.append((request, decoding))
        return decoding

    def _decode(self, request: DecodeRequest) -> Decoding:
        choice = request.language
        fixed = None if choice.detect else choice.preferred or choice.candidates[0]
        heard = self._ask(request, fixed)
        if fixed is not None:
            return self._judged(request, heard, fixed, None)
        named = heard.language or ("zh" if is_han(heard.text) else "en")
        language = choice.pick({named: NAMED_PROBABILITY})
        if language == named:
            return self._judged(request, heard, language, NAMED_PROBABILITY)
        # What was heard as a third language is read again in one of the conversation's.
        return self._judged(request, self._ask(request, language), language, None)

    def _ask(self, request: DecodeRequest, language: str | None) -> Transcript:
        timeout_s = self._client.endpoint.timeout_s
        timeout_s = timeout_s if request.final else min(timeout_s, INTERIM_TIMEOUT_S)
        names = f"Hello {', '.join(reversed(request.names))}." if request.names else ""
        prompt = " ".join(part for part in (names, request.prompt.strip()) if part)

        def ask() -> Transcript:
            return self._client.transcribe(
                request.audio, language=language, prompt=prompt, word_times=request.word_times, timeout_s=timeout_s
            )

        try:
            return ask()
        except EndpointFailure as failure:
            if not request.final or not (failure.reason in PASSING or failure.reason.startswith("http_5")):
                raise
        return ask()

    def _judged(self, request: DecodeRequest, heard: Transcript, language: str, probability: float | None) -> Decoding:
        text = collapse_loops(heard.text)
        endless = len(text) > CHARACTERS_AT_LEAST + CHARACTERS_PER_SECOND * request.seconds
        looped = endless or compression(heard.text) > MAX_COMPRESSION
        logprob = UNKNOWN_LOGPROB if heard.avg_logprob is None else heard.avg_logprob
        no_speech = heard.no_speech or 0.0
        verdict = judge(Evidence(text, logprob, no_speech, looped))
        if heard.avg_logprob is None and is_stock_phrase(text) and not _COURTESIES.fullmatch(_bare(text)):
            verdict = Verdict.NO_SPEECH
        if verdict is Verdict.NO_SPEECH:
            return Decoding("", verdict, language, probability, logprob, no_speech, looped)
        shown = self._script.convert(text)
        # Times point into the text as it came.
        told = heard.times if len(shown) == len(heard.text) else ()
        told = tuple((characters, min(end, request.seconds)) for characters, end in told)

        def align() -> WordEnds:
            return told if told and heard.has_word_times else estimate_times(shown, request.audio, told)

        times = align() if request.word_times else ()
        return Decoding(shown, verdict, language, probability, logprob, no_speech, looped, times, align=align)


def _asks_the_same(request: DecodeRequest, earlier: DecodeRequest) -> bool:
    """Whether an endpoint would be asked the very same: more silence behind the audio changes nothing there."""
    ours, theirs = (replace(one, audio=_NOTHING, padding_s=0.0, final=False) for one in (request, earlier))
    return ours == theirs and _same_audio(request.audio, earlier.audio)


def _same_audio(one: Samples, other: Samples) -> bool:
    return len(one) == len(other) and one.tobytes() == other.tobytes()


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()
