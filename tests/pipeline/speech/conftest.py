"""Pipecat's TTS module warns about classes of its own while it is imported; that is not a use of ours."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import pipecat.services.tts_service  # noqa: F401
