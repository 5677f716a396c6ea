"""Runs one turn or more through a language model's service in a real pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pipecat.frames.frames import (
    Frame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.llm_service import LLMService
from pipecat.tests.utils import run_test

from processors.frames import SpeechFailedFrame

USER = [{"role": "system", "content": "You are Joe."}, {"role": "user", "content": "Hello?"}]


def context_frame(messages: Sequence[dict[str, Any]]) -> LLMContextFrame:
    """A prompt as a frame."""
    return LLMContextFrame(context=LLMContext(messages=list(messages)))  # type: ignore[arg-type]


class Turns:
    """What came out: the text and the failures of each reply."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self.texts: list[str] = []
        self.pieces: list[list[str]] = []
        self.failures: list[SpeechFailedFrame] = []
        open_reply = False
        for frame in frames:
            if isinstance(frame, LLMFullResponseStartFrame):
                assert not open_reply, "a reply began inside another"
                open_reply = True
                self.pieces.append([])
            elif isinstance(frame, LLMTextFrame):
                assert open_reply, "text outside of a reply"
                self.pieces[-1].append(frame.text)
            elif isinstance(frame, LLMFullResponseEndFrame):
                assert open_reply, "a reply ended that never began"
                open_reply = False
            elif isinstance(frame, SpeechFailedFrame):
                self.failures.append(frame)
        assert not open_reply, "a reply never ended"
        self.texts = ["".join(pieces) for pieces in self.pieces]


async def run_turns(service: LLMService[Any], *prompts: Sequence[dict[str, Any]]) -> Turns:
    """One reply per prompt, one after the other."""
    down, up = await run_test(service, frames_to_send=[context_frame(prompt) for prompt in prompts], start_timeout=20.0)
    assert not up or all("Error" not in type(frame).__name__ for frame in up)
    assert service.is_usable
    return Turns(down)
