"""Which language to decode in: fixed, or detected on the first confident speech and then locked.

Whisper hears Welsh and Nynorsk in noise, so only the languages of the conversation are candidates, and only
speech whose words were accepted has a say. Locked, a session changes over when somebody really does::

    lock en ─► "请帮我订一个房间" (p(zh) >= 0.85) decoded as zh, one vote
            ─► what is too short to be asked leans to zh, too
            ─► a second vote in a row, or one of three seconds ─► lock zh
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.speech.units import is_han, split_units

# Speech shorter than this never locks or switches, and is not asked for its language once locked.
MIN_SPEECH_S = 1.0
LOCK_PROBABILITY = 0.6
SWITCH_PROBABILITY = 0.85
MIN_AVG_LOGPROB = -0.7
SWITCH_VOTES = 2
SWITCH_SPEECH_S = 3.0
# A phrase; fewer words of English may be said in Mandarin.
PHRASE_WORDS = 4


@dataclass(frozen=True)
class LanguageChoice:
    """How one decode finds its language.

    Attributes:
        preferred: The fixed or locked language; None while nothing is known.
        candidates: Languages that may be chosen, the likelier first.
        detect: Whether to ask the model.
    """

    preferred: str | None
    candidates: tuple[str, ...]
    detect: bool

    def pick(self, probabilities: Mapping[str, float]) -> str:
        """Choose a language.

        Args:
            probabilities: The model's probability for every language code.

        Returns:
            A candidate: the preferred one unless another is very likely.
        """
        likeliest = max(self.candidates, key=lambda code: probabilities.get(code, 0.0))
        if self.preferred is None:
            return likeliest
        return likeliest if probabilities.get(likeliest, 0.0) >= SWITCH_PROBABILITY else self.preferred


class LanguageLock:
    """The language of one session."""

    def __init__(self, fixed: str | None, candidates: Sequence[str] = ("en", "zh")) -> None:
        """Begin a session.

        Args:
            fixed: A language code that never changes; None to detect.
            candidates: What may be detected.
        """
        self._fixed = fixed is not None
        self._candidates = tuple(candidates)
        self._votes = 0
        self._leaning: str | None = None
        self.language = fixed

    def choice(self, speech_s: float, *, last: bool) -> LanguageChoice:
        """The choice for one decode.

        Args:
            speech_s: Speech in the audio, seconds.
            last: Whether its text may become the final one.

        Returns:
            What the decoder needs to know.
        """
        unknown = self.language is None
        detect = not self._fixed and (unknown or (last and speech_s >= MIN_SPEECH_S))
        preferred = self.language if detect or self._leaning is None else self._leaning
        return LanguageChoice(preferred, self._candidates, detect)

    def observe(self, language: str, probability: float | None, avg_logprob: float, speech_s: float) -> None:
        """Learn from a final transcript that was accepted.

        Args:
            language: What it was decoded in.
            probability: The model's probability for that language; None if it was not asked.
            avg_logprob: Mean log-probability of its tokens.
            speech_s: Speech in it, seconds.
        """
        if self._fixed or probability is None or speech_s < MIN_SPEECH_S or avg_logprob < MIN_AVG_LOGPROB:
            return
        if language == self.language:
            self._votes, self._leaning = 0, None
        elif self.language is None:
            if probability >= LOCK_PROBABILITY:
                self.language = language
        else:
            self._votes += 1
            self._leaning = language
            if self._votes >= SWITCH_VOTES or speech_s >= SWITCH_SPEECH_S:
                self.language, self._votes, self._leaning = language, 0, None


def language_of(text: str, decoded: str) -> str:
    """The language of a transcript: told to read one language, a model still writes the other where it hears it.

    Args:
        text: The transcript.
        decoded: What it was decoded in.

    Returns:
        ``zh`` if most of its units are Chinese characters; ``en`` for a phrase without any that was decoded as
        ``zh`` (a word such as "OK" is as good in Mandarin); else what it was decoded in.
    """
    units = split_units(text)
    chinese = sum(map(is_han, units))
    if 2 * chinese > len(units):
        return "zh"
    words = sum(any(letter.isalpha() for letter in unit) for unit in units)
    return "en" if decoded == "zh" and not chinese and words >= PHRASE_WORDS else decoded
