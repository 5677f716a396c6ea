"""espeak-ng, which keeps one voice for the whole process: whoever sets it speaks before the next one may."""

from __future__ import annotations

import threading

from piper import PiperVoice as PiperEngine
from piper.phonemize_espeak import EspeakPhonemizer

_ONE_VOICE = threading.Lock()


class PatientPiperEngine(PiperEngine):
    """Piper, which waits for espeak-ng while another thread asks it for sounds."""

    def phonemize(self, text: str) -> list[list[str]]:
        """Text to phonemes, a list for each sentence."""
        with _ONE_VOICE:
            return super().phonemize(text)


class Phonemizer:
    """Words to phonemes in one accent, from any thread."""

    def __init__(self, voice: str) -> None:
        """Get ready.

        Args:
            voice: espeak-ng's name for the accent, such as ``en-us``.
        """
        self._voice = voice
        self._espeak = EspeakPhonemizer()

    def phonemes(self, text: str) -> list[str]:
        """The phonemes of a text, stress marks and pauses included.

        Args:
            text: Words.
        """
        with _ONE_VOICE:
            return [sound for sentence in self._espeak.phonemize(self._voice, text) for sound in sentence]
