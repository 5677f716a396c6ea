"""Is this what somebody said? Replaces the safety net of ``transcribe()``, which short windows do without.

Measured on ``whisper-base`` int8 over noise, music, ambience and laughter: what is made up there has a mean
log-probability below -1.4, clear speech lies above -0.6, far-field and 8 kHz telephone in between. The exception
are the phrases that Whisper learned from subtitles, which it writes with confidence. A window shorter than
30 s sometimes says everything twice; the full window does not.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from pipeline.speech.decoding import Verdict
from pipeline.speech.units import has_words, is_han, split_units, unit_key

# Whisper's own thresholds (Radford et al. 2022, section 4.5).
NO_SPEECH = 0.6
MIN_AVG_LOGPROB = -1.0
MAX_COMPRESSION = 2.4

# Clear speech lies above it.
DOUBTFUL_AVG_LOGPROB = -0.6
# What is still less likely than this after every attempt was not said.
HOPELESS_AVG_LOGPROB = -1.3

_STOCK_PHRASES = re.compile(
    r"(thank(s| you)( so much| very much)?( for (watching|listening)( .{0,40})?)?|you|bye( bye)?|the|i m|i"
    r"|please subscribe.*|like and subscribe.*|see you (next time|in the next video)|subtitles by .*"
    r"|谢谢(大家|观看|收看|你)*|謝謝(大家|觀看|收看|你)*|.*(字幕|明镜|明鏡|点点栏目|點點欄目|订阅.*转发|訂閱.*轉發|不吝点赞).*)",
    re.IGNORECASE,
)

# The same words this often in a row are a loop, not emphasis.
MAX_REPEATS = 3


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on.

    Attributes:
        text: What the model wrote.
        avg_logprob: Mean log-probability per token.
        no_speech: The model's probability that nobody spoke.
        looped: The same words again and again.
    """

    text: str
    avg_logprob: float
    no_speech: float
    looped: bool


def judge(evidence: Evidence) -> Verdict:
    """Decide whether the text can be trusted.

    Args:
        evidence: The decode.

    Returns:
        The verdict on this decode alone.
    """
    if not has_words(evidence.text):
        return Verdict.NO_SPEECH
    unlikely = evidence.avg_logprob < MIN_AVG_LOGPROB
    doubtful = evidence.avg_logprob < DOUBTFUL_AVG_LOGPROB
    unheard = evidence.no_speech > NO_SPEECH
    if unlikely and unheard:
        return Verdict.NO_SPEECH
    if is_stock_phrase(evidence.text) and (unheard or doubtful):
        return Verdict.NO_SPEECH
    if unlikely or evidence.looped:
        return Verdict.REJECT
    return Verdict.DOUBT if doubtful else Verdict.ACCEPT


def is_loop(text: str, *, capped: bool) -> bool:
    """Whether a short window has led the model into saying things again.

    Args:
        text: What it wrote.
        capped: It ran into the length that the audio's duration allows.
    """
    return capped or says_it_twice(text) or compression(text) > MAX_COMPRESSION


def is_stock_phrase(text: str) -> bool:
    """Whether the whole text is something that Whisper likes to hear in noise."""
    return _STOCK_PHRASES.fullmatch(re.sub(r"\W+", " ", text).strip()) is not None


def compression(text: str) -> float:
    """How many times smaller zlib makes the text: high for a loop."""
    raw = text.encode("utf-8")
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def says_it_twice(text: str) -> bool:
    """Whether the text is one passage and then its repetition.

    A passage of four units or more may be cut short the second time; a shorter one must come whole. One or two
    Chinese characters are repeated all the time (谢谢, 好的好的).
    """
    units = split_units(text)
    keys = [unit_key(unit) for unit in units]
    shortest = 3 if units and is_han(units[-1]) else 1
    for period in range(shortest, len(keys)):
        whole = len(keys) % period == 0
        if (whole or (period >= 4 and len(keys) - period >= 3)) and keys[period:] == keys[:-period]:
            return True
    return False


def collapse_loops(text: str) -> str:
    """Cut words that repeat without end down to ``MAX_REPEATS``.

    Args:
        text: What the model wrote.

    Returns:
        The text with every run of the same one to eight units shortened.
    """
    units = split_units(text)
    keys = [unit_key(unit) for unit in units]
    for period in range(1, 9):
        start = 0
        while start + period * (MAX_REPEATS + 1) <= len(keys):
            end = start + period
            while end < len(keys) and keys[end] == keys[end - period]:
                end += 1
            keep = start + period * MAX_REPEATS
            if end - start >= period * (MAX_REPEATS + 1):
                del keys[keep:end], units[keep:end]
            start += 1
    return "".join(units) if units else text
