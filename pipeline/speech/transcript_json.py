"""Reads what a transcription endpoint sends: ``{"text"}`` from all of them, evidence and times from those that have it.

{"text": "…", "language": "english",
 "segments": [{"text", "start", "end", "avg_logprob", "no_speech_prob"}], "words": [{"word", "start", "end"}]}
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pipeline.speech.guard import MIN_AVG_LOGPROB, NO_SPEECH
from pipeline.speech.units import is_han

# Whisper's own names for the languages of a conversation.
_LANGUAGES = {"english": "en", "chinese": "zh", "mandarin": "zh", "cmn": "zh", "zho": "zh", "eng": "en"}
_MANY_CHARACTERS = 100_000


@dataclass(frozen=True)
class Transcript:
    """What an endpoint heard.

    Attributes:
        text: The words; begins with a space where words have spaces between them.
        language: ISO 639-1 code that the endpoint named; None if it named none.
        avg_logprob: Mean log-probability of its tokens; None if it gave no evidence.
        no_speech: Its probability that nobody spoke; None if it gave no evidence.
        times: (characters of ``text`` up to a place, its time in seconds), ascending.
        has_word_times: Whether these places are the ends of words; else of longer stretches.
    """

    text: str
    language: str | None = None
    avg_logprob: float | None = None
    no_speech: float | None = None
    times: tuple[tuple[int, float], ...] = ()
    has_word_times: bool = False


@dataclass(frozen=True)
class _Segment:
    text: str
    end: float | None
    avg_logprob: float | None
    no_speech: float | None


def read_transcript(raw: bytes) -> Transcript:
    """Read an answer.

    Args:
        raw: The body, whatever it is.

    Returns:
        The transcript without the segments that Whisper itself would have left out as silence.

    Raises:
        ValueError: It is no transcript.
    """
    try:
        body = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        raise ValueError("JSON without a text")
    if len(body["text"]) > _MANY_CHARACTERS:
        raise ValueError("a text without end")
    language = _language(body.get("language"))
    given = list(_segments(body.get("segments")))
    segments = [segment for segment in given if not _is_silence(segment)]
    if not given or _letters(body["text"]) != _letters("".join(segment.text for segment in given)):
        text = _spaced("", _clean(body["text"]))
        # Segments that are not the text say nothing of its times, but may of its likelihood.
        words = _word_times(body.get("words"), text)
        return Transcript(text, language, *_evidence(segments or given), words, bool(words))
    text, ends = "", []
    for segment in segments:
        text += _spaced(text, segment.text)
        if segment.end is not None:
            ends.append((len(text), segment.end))
    words = _word_times(body.get("words"), text)
    return Transcript(text, language, *_evidence(segments or given), words or _ascending(ends), bool(words))


def _segments(value: Any) -> Iterator[_Segment]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("text"), str):
            yield _Segment(
                _clean(entry["text"]),
                _number(entry.get("end")),
                _number(entry.get("avg_logprob"), -100.0, 0.0),
                _number(entry.get("no_speech_prob"), 0.0, 1.0),
            )


def _is_silence(segment: _Segment) -> bool:
    if segment.avg_logprob is None or segment.no_speech is None:
        return False
    return segment.no_speech > NO_SPEECH and segment.avg_logprob < MIN_AVG_LOGPROB


def _evidence(segments: list[_Segment]) -> tuple[float | None, float | None]:
    """Means over the segments, by the length of their text."""
    sure = [segment for segment in segments if segment.avg_logprob is not None]
    if not sure:
        return None, None
    weights = [max(1, len(segment.text)) for segment in sure]
    pairs = list(zip(weights, sure, strict=True))
    logprob = sum(weight * (segment.avg_logprob or 0.0) for weight, segment in pairs) / sum(weights)
    no_speech = sum(weight * (segment.no_speech or 0.0) for weight, segment in pairs) / sum(weights)
    return logprob, no_speech


def _word_times(value: Any, text: str) -> tuple[tuple[int, float], ...]:
    """Where each word ends in the text, and when."""
    folded, times, position = text.casefold(), [], 0
    if len(folded) != len(text):
        return ()
    for entry in value if isinstance(value, list) else ():
        word, end = (entry.get("word"), _number(entry.get("end"))) if isinstance(entry, dict) else (None, None)
        if not isinstance(word, str) or end is None or not word.strip():
            continue
        found = folded.find(word.strip().casefold(), position)
        # A word that the text lacks must not be taken for the same word far behind.
        if 0 <= found <= position + 20:
            position = found + len(word.strip())
            times.append((position, end))
    return _ascending(times)


def _ascending(times: list[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    latest, out = 0.0, []
    for characters, end in times:
        latest = max(latest, end)
        out.append((characters, latest))
    return tuple(out)


def _language(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    name = value.strip().casefold().replace("_", "-").partition("-")[0]
    return _LANGUAGES.get(name, name)


def _number(value: Any, low: float = 0.0, high: float = 86_400.0) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if low <= value <= high and math.isfinite(value) else None


def _clean(text: str) -> str:
    """Without half surrogates, which no file takes."""
    return text.encode("utf-8", "replace").decode()


def _letters(text: str) -> str:
    return "".join(character for character in _clean(text) if not character.isspace())


def _spaced(before: str, text: str) -> str:
    """The text as it stands behind what was said before: words apart, Chinese characters together."""
    bare = text.strip()
    if not bare or is_han(bare[0]) or (before and is_han(before[-1]) and not text[0].isspace()):
        return bare
    return f" {bare}"
