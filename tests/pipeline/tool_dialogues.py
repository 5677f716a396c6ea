"""Typed conversations with tools, against a scripted server or the embedded model's planner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.tools.spec import Tool
from memory.understanding import Understander
from pipeline import virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, replay
from pipeline.scenario import ScriptedTool
from pipeline.speech.llm import make_llm
from pipeline.speech.llm_embedded import EmbeddedLLMService
from pipeline.tools.scripted import ScenarioTool
from tests.fakes.openai_server import Behaviour, FakeOpenAI
from tests.fakes.scripted import ScriptedModels, Speech
from tests.pipeline.test_conversation import settings_in, silence

CLOCK = datetime(2026, 3, 10, 9, 0)
AMOUNT = {"type": "object", "properties": {"amount": {"type": "number"}, "bill": {"type": "string"}}}
PAY = {"description": "Pay a bill", "parameters": {**AMOUNT, "required": ["amount"]}, "risky": True}
ROOMS = [{"room": "A302", "window": True}, {"room": "B101", "projector": True}, {"room": "C205"}]
SEARCH = {
    "description": "Search free meeting rooms",
    "parameters": {
        "type": "object",
        "properties": {"date": {"type": "string"}, "start": {"type": "string"}, "end": {"type": "string"}},
        "required": ["date"],
    },
    "returns": ROOMS,
}


def scripted(**tools: dict[str, Any]) -> list[ScenarioTool]:
    return [ScenarioTool(name, ScriptedTool.model_validate(script)) for name, script in tools.items()]


class CountingTool(ScenarioTool):
    """Counts what it is really called with."""

    def __init__(self, name: str, script: dict[str, Any]) -> None:
        super().__init__(name, ScriptedTool.model_validate(script))
        self.calls: list[dict[str, Any]] = []

    async def call(self, arguments):
        self.calls.append(dict(arguments))
        return await super().call(arguments)


class ToolModels(ScriptedModels):
    """Scripted hearing and voice around a real language model's service; the words are really understood."""

    def __init__(self, language: str = "en", speeches: Sequence[Speech] = ()) -> None:
        super().__init__(list(speeches), [])
        self.understander = Understander(language)

    def language_model(self, settings):
        if settings.llm.base_url is None:
            # What is planned is said without the model; it needs no weights.
            return EmbeddedLLMService(settings.llm, language=settings.agent.language, model_path=Path("absent"))
        return make_llm(settings.llm, language=settings.agent.language, weights_path=None)


def converse(
    folder: Path,
    tools: Sequence[Tool],
    turns: Sequence[str | tuple[str, float] | Speech],
    *behaviours: Behaviour,
    language: str = "en",
    overrides: Sequence[str] = (),
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Play typed turns, or speeches; a typed turn with a number interrupts the reply so far into it.

    Without behaviours there is no server, and the embedded model's planner answers.

    Returns:
        The lines of the log, and the requests that the server got.
    """
    speeches = [turn for turn in turns if isinstance(turn, Speech)]
    cues = [silence(speeches[-1].end + 4.0)] if speeches else []
    for turn in turns:
        if isinstance(turn, str):
            cues.append(Cue(turn, words=turn))
        elif isinstance(turn, tuple):
            cues.append(Cue(turn[0], words=turn[0], into_reply=turn[1]))
    out = OutputFolder(folder / "out", INPUT_RATE)
    requests: list[Any] = []

    async def main() -> None:
        async with FakeOpenAI(*behaviours) as server:
            address = [f"llm.base_url={server.base_url}", "llm.model=fake"] if behaviours else []
            settings = settings_in(folder, *address, f"agent.language={language}", *overrides)
            stores = open_stores(settings)
            try:
                plan = SessionPlan(cues, CLOCK)
                await replay(settings, ToolModels(language, speeches), stores, [plan], out, ReplaySinks(), tools)
            finally:
                stores.close()
            requests.extend(request.body for request in server.requests)

    try:
        virtual_time.run(main(), virtual=True)
    finally:
        out.close()
    return [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text().splitlines()], requests


def statuses(line: dict[str, Any]) -> list[str]:
    return [call["status"] for call in line["tool_calls"]]
