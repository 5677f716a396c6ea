"""How the end of an utterance is read when the first look leaves doubts.

short   the utterance and a few seconds of silence
names   the same, the model told which known names it sounds like; without them again if it writes none of them
joint   the same behind the utterance before it: what the VAD cut apart makes sense together
full    Whisper's whole window, which loops least and costs most
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from pipeline.speech.decoding import FULL_WINDOW_S, Decoding, Verdict
from pipeline.speech.guard import HOPELESS_AVG_LOGPROB

# Words that make sense behind what was said before may be this much less likely than words that do not need to.
JOINT_BONUS = 0.15
# A name that is told costs the words around it a little.
NAMES_BONUS = 0.1
# What a short window can hardly read is read better in the window that the model was trained on.
FULL_BONUS = 0.1

# A shorter window is good for interims only.
FINAL_WINDOW_S = 10.0


class Attempt(Enum):
    """A way to decode."""

    SHORT = "short"
    NAMES = "names"
    JOINT = "joint"
    FULL = "full"


# Silence behind the audio, seconds.
_PADDING_S = {Attempt.SHORT: 5.0, Attempt.NAMES: 5.0, Attempt.JOINT: 10.0, Attempt.FULL: FULL_WINDOW_S}


_BONUS = {Attempt.JOINT: JOINT_BONUS, Attempt.NAMES: NAMES_BONUS, Attempt.FULL: FULL_BONUS}


def padding(attempt: Attempt, seconds: float, *, final: bool) -> float:
    """How much silence follows the audio.

    Args:
        attempt: The way to decode.
        seconds: Length of the audio.
        final: Whether the text may become final.

    Returns:
        Seconds.
    """
    silence = _PADDING_S[attempt]
    return max(silence, FINAL_WINDOW_S - seconds) if final else silence


def next_attempt(
    tried: Sequence[tuple[Attempt, Decoding]], *, has_context: bool, has_names: bool = False
) -> Attempt | None:
    """The next way to try.

    Args:
        tried: What was tried, and what it gave.
        has_context: Whether there is an utterance just before.
        has_names: Whether the utterance sounded like known names before all of it was heard.

    Returns:
        None if it is enough.
    """
    ways = {way for way, _ in tried}
    verdicts = {decoding.verdict for _, decoding in _believable(tried)}
    if not tried:
        return Attempt.NAMES if has_names else Attempt.SHORT
    way, decoding = tried[-1]
    if way is Attempt.NAMES and Attempt.SHORT not in ways and not _names_helped(decoding):
        return Attempt.SHORT
    if way is Attempt.SHORT and decoding.verdict is Verdict.ACCEPT and decoding.similar and Attempt.NAMES not in ways:
        return Attempt.NAMES
    if verdicts & {Verdict.ACCEPT, Verdict.NO_SPEECH}:
        return None
    if has_context and Attempt.JOINT not in ways and Attempt.FULL not in ways:
        return Attempt.JOINT
    # The full window ends loops; of what is hopeless it makes nothing.
    worth = any(decoding.looped or decoding.avg_logprob >= HOPELESS_AVG_LOGPROB for _, decoding in tried)
    return Attempt.FULL if worth and Verdict.DOUBT not in verdicts and Attempt.FULL not in ways else None


def best(tried: Sequence[tuple[Attempt, Decoding]]) -> Decoding:
    """The decode to believe.

    Args:
        tried: At least one.

    Returns:
        The likeliest that is no loop; of what was nothing but unlikely, no speech.
    """
    tried = _believable(tried)
    worded = [(way, decoding) for way, decoding in tried if decoding.verdict is not Verdict.NO_SPEECH]
    trusted = any(decoding.verdict in {Verdict.ACCEPT, Verdict.DOUBT} for _, decoding in worded)
    if not trusted and len(worded) < len(tried):
        return next(decoding for _, decoding in tried if decoding.verdict is Verdict.NO_SPEECH)
    _, chosen = max(worded, key=lambda attempt: (not attempt[1].looped, _likelihood(*attempt)))
    if chosen.avg_logprob < HOPELESS_AVG_LOGPROB:
        return replace(chosen, text="", verdict=Verdict.NO_SPEECH)
    return chosen


def _believable(tried: Sequence[tuple[Attempt, Decoding]]) -> Sequence[tuple[Attempt, Decoding]]:
    """Without what was told of names that are not there, which does the other words no good."""
    if all(way is not Attempt.SHORT for way, _ in tried):
        return tried
    return [(way, decoding) for way, decoding in tried if way is not Attempt.NAMES or _names_helped(decoding)]


def _names_helped(decoding: Decoding) -> bool:
    return bool(decoding.written) and decoding.verdict is Verdict.ACCEPT


def _likelihood(way: Attempt, decoding: Decoding) -> float:
    return decoding.avg_logprob + _BONUS.get(way, 0.0)
