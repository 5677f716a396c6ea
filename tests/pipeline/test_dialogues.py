"""The dialogues, played through the whole pipeline against a scripted server: what each turn leaves in the log.

The server answers what the dialogue's agent says: in plain text, where the state comes from understanding the words,
and in JSON without a proposal. What only a tool can leave (``tool_called``, a completed payment) is left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.understanding import Understander
from pipeline import virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, replay
from pipeline.speech.llm import make_llm
from tests.dialogues import dialogues, state_problems
from tests.fakes.openai_server import FakeOpenAI, says
from tests.fakes.scripted import ScriptedModels
from tests.pipeline.test_conversation import settings_in

# The dialogues of other_dialogues.yaml are played without a pipeline, in tests/memory/understanding.
PLAYED = [(d, "plain") for d in dialogues("dialogues.yaml", "more_dialogues.yaml")]
PLAYED += [(d, "json") for d in dialogues("dialogues.yaml")]
# Said where the dialogue leaves the answer open; long enough to be interrupted.
OPEN = {
    "en": "All right, that is noted and I have it all here for you now.",
    "zh": "好的，这个我已经记下来了，您接着说。",
}


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander("auto")


def played(
    folder: Path, clock: Any, language: str, turns: list[dict[str, Any]], reader: Understander, reply_format: str
) -> tuple[list[dict], list[str]]:
    """The log of a dialogue, and what was put before the user's last words in each prompt."""
    replies = [turn.get("agent", OPEN[language]) for turn in turns]
    if reply_format == "json":
        replies = [json.dumps({"reply": text, "state_update": {}}, ensure_ascii=False) for text in replies]
    server = FakeOpenAI(*(says(text) for text in replies))
    models = ScriptedModels([], [])
    models.understander = reader
    models.language_model = lambda settings: make_llm(settings.llm, language=language, weights_path=None)
    out = OutputFolder(folder / "out", INPUT_RATE)
    cues = [Cue(turn["user"], words=turn["user"], into_reply=turn.get("when", {}).get("into_reply")) for turn in turns]

    async def main() -> None:
        async with server:
            settings = settings_in(
                folder,
                f"llm.base_url={server.base_url}",
                "llm.model=fake",
                f"llm.reply_format={reply_format}",
                f"agent.language={language}",
            )
            stores = open_stores(settings)
            try:
                await replay(settings, models, stores, [SessionPlan(cues, clock)], out, ReplaySinks())
            finally:
                stores.close()

    try:
        virtual_time.run(main(), virtual=True)
    finally:
        out.close()
    lines = [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text(encoding="utf-8").splitlines()]
    return lines, [request.body["messages"][-1]["content"] for request in server.requests]


@pytest.mark.parametrize(
    ("clock", "language", "turns", "reply_format"),
    [pytest.param(*dialogue[1:], form, id=f"{dialogue[0]}-{form}") for dialogue, form in PLAYED],
)
def test_every_turn_leaves_the_state_that_the_dialogue_describes(
    tmp_path: Path, understander: Understander, clock: Any, language: str, turns: list[dict], reply_format: str
) -> None:
    lines, prompts = played(tmp_path, clock, language, turns, understander, reply_format)
    assert [line["user_text"] for line in lines] == [turn["user"] for turn in turns]
    problems = []
    for number, (line, turn) in enumerate(zip(lines, turns, strict=True)):
        state = line["inner_state_after"]
        problems += [f"{turn['user']}: {problem}" for problem in state_problems(state, turn, tools=False)]
        # What is known stands in the prompt, so that it is not asked again.
        for key in turn.get("not_asked", ()):
            if f"{key} = {state['facts'][key]}" not in prompts[number]:
                problems.append(f"{turn['user']}: {key} is not in the prompt")
        problems += [
            f"{turn['user']}: {needed} is not in the prompt's state"
            for needed in turn.get("answer_needs", ())
            if needed not in prompts[number].partition("</state>")[0]
        ]
        if turn.get("when"):
            assert lines[number - 1]["interrupted"] is True
            assert lines[number - 1]["heard_text"]
    assert problems == []
