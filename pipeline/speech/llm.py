"""Makes the language model that the settings ask for, and checks an endpoint before a conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path

from openai import APIStatusError
from pipecat.services.llm_service import LLMService

from memory.errors import UserError
from pipeline.settings import LLMSettings
from pipeline.speech.embedded_model import model_file
from pipeline.speech.llm_embedded import EmbeddedLLMService
from pipeline.speech.llm_openai import CompatibleLLMService, endpoint_of, make_client
from pipeline.virtual_time import hold_time

PROBE_TIMEOUT_S = 3.0


def make_llm(settings: LLMSettings, *, language: str, weights_path: Path | None) -> LLMService:
    """Make the service.

    Args:
        settings: With a ``base_url`` for an OpenAI-compatible endpoint, without one for the embedded model.
        language: Language of the apologies where the user's words do not tell, ``en`` or ``zh``.
        weights_path: The embedded model's GGUF file, or the folder that holds it.

    Returns:
        A service that answers ``LLMContextFrame`` with text between a start and an end frame, whatever happens.

    Raises:
        UserError: The embedded model is wanted and its weights are missing or damaged.
    """
    if settings.base_url is not None:
        return CompatibleLLMService(settings, language=language)
    if weights_path is None:
        raise UserError("llm.base_url: not set, and the embedded model is missing; run 'innervoice weights pull'")
    return EmbeddedLLMService(settings, language=language, model_path=model_file(weights_path))


async def probe(settings: LLMSettings) -> str | None:
    """Ask an endpoint whether it is there and knows the model.

    Args:
        settings: The configuration.

    Returns:
        One line for the person who starts the program when something looks wrong, else None. A server without a
        list of models says nothing about itself, and neither does the embedded model.
    """
    if settings.base_url is None:
        return None
    brief = settings.model_copy(update={"timeout_s": min(settings.timeout_s, PROBE_TIMEOUT_S)})
    endpoint = endpoint_of(brief)
    try:
        with hold_time(brief.timeout_s):
            async with make_client(brief) as client, asyncio.timeout(brief.timeout_s):
                models = (await client.models.list()).data
                known = {str(model.id) for model in models}
                owners = {str(getattr(model, "owned_by", "")) for model in models}
    except APIStatusError as error:
        return None if error.status_code in (404, 405, 501) else endpoint.failure_of(error, answering=False).detail
    except Exception as error:
        # The boundary to a server that may do anything.
        failure = endpoint.failure_of(error, answering=False)
        return failure.detail if failure.reason in ("timeout", "unreachable") else endpoint.failure("garbage").detail
    # llama.cpp serves one model under any name; Ollama adds a tag to the name.
    fits = any(name == settings.model or name.startswith(f"{settings.model}:") for name in known)
    if fits or not known or "llamacpp" in owners:
        return None
    shown = ", ".join(sorted(known)[:5]) + (", …" if len(known) > 5 else "")
    return f"language model {settings.model} at {endpoint.shown}: not served there; it has {shown}. Set llm.model"
