"""When the things of a turn happened, and what its latencies follow from. Seconds on the conversation's clock."""

from __future__ import annotations

from processors.turn_record import Latencies, milliseconds

_OF_SPEECH = ("vad_stop", "speech_end", "final")
# Who begins to speak less than this after a reply is heard has not reacted to it.
REACTION_S = 0.05


class Moments:
    """Keeps one moment per name; the last one counts."""

    def __init__(self, moments: dict[str, float] | None = None) -> None:
        self._at = dict(moments or {})

    def speech_since(self, began: float | None) -> Moments:
        """The moments of the speech that began at ``began``; they belong to the turn that it opens."""
        if began is None:
            return Moments()
        return Moments({name: at for name, at in self._at.items() if name in _OF_SPEECH and at >= began})

    @property
    def user_went_on(self) -> bool:
        """Whether the user's latest speech began before the reply could be heard."""
        onset, audible = self._at.get("onset"), self._at.get("audible")
        return onset is not None and audible is not None and onset < audible + REACTION_S

    def speech_started(self, onset: float) -> None:
        """The user speaks since ``onset``."""
        self._at["onset"] = onset

    def speech_stopped(self, at: float, speech_end: float) -> None:
        """The VAD hears silence since ``speech_end``."""
        self._at |= {"vad_stop": at, "speech_end": speech_end}

    def final_words(self, at: float) -> None:
        """The words are final."""
        self._at["final"] = at

    def turn_ended(self, at: float, latency: Latencies) -> None:
        """The user's turn is over: what is said until the reply comes does not count for it."""
        stop = self._at.get("vad_stop")
        if stop is None:
            return
        latency.speech_end_to_vad_stop = milliseconds(self._at["speech_end"], stop)
        latency.asr_final = milliseconds(stop, self._at.get("final", stop))
        latency.turn_decision = milliseconds(stop, at)
        self._at["turn_speech_end"] = self._at["speech_end"]

    def model_asked(self, at: float) -> None:
        """A new reply begins."""
        self._at.pop("first_token", None)
        self._at.pop("first_audio", None)
        self._at["asked"] = at

    def first_token(self, at: float, latency: Latencies) -> bool:
        """The model says something; True for the first time."""
        if "first_token" in self._at:
            return False
        self._at["first_token"] = at
        latency.llm_first_token = milliseconds(self._at.get("asked", at), at)
        return True

    def first_audio(self, at: float, latency: Latencies) -> bool:
        """The voice made audio; True for the first time."""
        if "first_audio" in self._at:
            return False
        self._at["first_audio"] = at
        latency.tts_first_audio = milliseconds(self._at.get("first_token", at), at)
        return True

    def audible(self, at: float, latency: Latencies) -> None:
        """The reply is heard."""
        self._at["audible"] = at
        latency.voice_to_voice = milliseconds(self._at.get("turn_speech_end", at), at)
