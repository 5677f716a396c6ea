"""Finds and loads the voice that the settings name: a Piper voice, or Kokoro for Mandarin."""

from __future__ import annotations

from memory.errors import UserError
from pipeline.settings import Settings
from pipeline.speech.pitch import UserVoice
from pipeline.speech.threads import model_threads
from pipeline.speech.voice import StyledVoice, Voice
from pipeline.weights import Weights

# The other speaker of the Kokoro weights, for a user who must not sound like the agent.
KOKORO_USER_STYLE = "jm_kumo"
USER_PITCH = 1.12


def load_voice(settings: Settings, weights: Weights) -> Voice:
    """Load the agent's voice; blocking.

    Args:
        settings: ``tts.voice`` names weights or a Piper ``.onnx`` file; without it the language decides.
        weights: The cache.

    Returns:
        The voice, at the configured speed.

    Raises:
        UserError: There is no such voice, or its files cannot be loaded.
    """
    # Each engine takes up to a second to import; one conversation needs one of them.
    from pipeline.speech.piper import PiperVoice

    name = settings.tts.voice or weights.voice(settings.agent.language)
    path = weights.locate(name)
    threads = model_threads()
    if path.is_file():
        return PiperVoice.load(path, speed=settings.tts.speed, threads=threads)
    if any(path.glob("voices*.npz")):
        from pipeline.speech.kokoro import KokoroVoice

        return KokoroVoice.load(path, speed=settings.tts.speed, threads=threads)
    models = sorted(path.glob("*.onnx"))
    if not models:
        raise UserError(f"tts.voice: {path}: holds neither a Piper voice nor Kokoro's files")
    return PiperVoice.load(models[0], name=name, speed=settings.tts.speed, threads=threads)


def user_voice(agent: Voice) -> Voice:
    """A second speaker for a scenario's user, from the weights that are loaded already.

    Args:
        agent: The agent's voice.
    """
    if isinstance(agent, StyledVoice):
        return agent.with_style(KOKORO_USER_STYLE)
    return UserVoice(agent, USER_PITCH)
