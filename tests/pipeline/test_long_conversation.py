"""A conversation that goes on and on: the prompt, the state and the tasks stay as small as they were."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from memory.inner_state import MAX_FACTS, MAX_PENDING
from memory.tokens import estimate_tokens
from pipeline import virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, replay
from tests.fakes.scripted import ScriptedModel, ScriptedModels
from tests.pipeline.test_conversation import settings_in

TURNS = 50
# System prompt, history, memories, a full state, and some air.
PROMPT_TOKENS = 4000


def answer(turn: int) -> str:
    """A model that writes a lot into the state."""
    update = {
        "task": f"task {turn // 7}",
        "topic": f"topic{turn // 7}",
        "facts": {f"fact {turn % 31} {key}": "a value of some length " * 5 for key in "abc"},
        "pending": {"add": [f"question {turn} {key}" for key in "abc"]},
        "steps": [f"step {turn}"],
        "preference": {f"like {turn % 17}": "something"},
        "history_summary": f"In turn {turn} a lot was said. " * 8,
    }
    reply = f"Number {turn}: " + ("a long answer " * 8 if turn % 9 == 0 else "yes.")
    return json.dumps({"reply": reply, "state_update": update})


def test_a_long_conversation_stays_small(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, "llm.base_url=http://localhost:1", "llm.reply_format=json")
    models = ScriptedModels([], [])
    models.model = ScriptedModel([answer(turn) for turn in range(TURNS)], 0.0, "whole")
    words = ["I want a room with {} seats.", "我要订{}个人的会议室。", "Number {}, please. " + "And so on. " * 40]
    cues = [Cue(str(turn), words=words[turn % 3].format(turn)) for turn in range(TURNS)]
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)
    tasks: list[int] = []
    sinks = ReplaySinks(on_closed=[lambda turn: tasks.append(len(asyncio.all_tasks()))])
    plan = SessionPlan(cues, datetime(2026, 3, 10, 9, 0))
    virtual_time.run(replay(settings, models, stores, [plan], out, sinks), virtual=True)
    out.close()
    stores.close()
    lines = [json.loads(line) for line in (tmp_path / "out" / "session.jsonl").read_text().splitlines()]
    assert len(lines) == len(models.model.prompts) == TURNS
    assert len({json.dumps(prompt[0]) for prompt in models.model.prompts}) == 1, "the fixed part never changes"
    fronts = [prompt[:-1] for prompt in models.model.prompts]
    kept = sum(after[: len(before)] == before for before, after in pairwise(fronts))
    assert kept >= TURNS * 0.6, "from turn to turn, most prompts go on where the last one ended"
    sizes = [sum(estimate_tokens(message["content"]) for message in prompt) for prompt in models.model.prompts]
    assert max(sizes) < PROMPT_TOKENS
    assert max(sizes[TURNS // 2 :]) <= max(sizes[: TURNS // 2]) * 1.2
    for line in lines:
        assert len(line["inner_state_after"]["facts"]) <= MAX_FACTS
        assert len(line["inner_state_after"]["pending"]) <= MAX_PENDING
    assert lines[-1]["inner_state_after"]["version"] > TURNS
    assert max(tasks[10:]) <= max(tasks[:10]), "no task is left over"
