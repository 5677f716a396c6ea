"""A turn that was closed too early and goes on: what is known afterwards is what one unbroken turn would have said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.understanding import Understander
from pipeline.memory_stores import open_stores
from tests.fakes.scripted import ScriptedModels, Speech
from tests.pipeline.test_conversation import play, settings_in

# What is said, and where the turn was closed too early.
BROKEN = [
    ("Find me a meeting room tomorrow from ten", "to twelve."),
    ("What is the weather", "in Beijing tomorrow?"),
    ("My dog is called", "Bruno."),
    ("I live in New", "York."),
    ("帮我订明天上午十点到", "十二点的会议室。"),
    ("明天北京", "天气怎么样？"),
    ("我的小狗叫", "小白。"),
]


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander("auto")


def left_by(folder: Path, understander: Understander, speeches: list[Speech], answers: list[str]) -> dict:
    models = ScriptedModels(speeches, answers)
    models.understander = understander
    models.model._token_s = 0.3
    (line,) = play(folder, models, 5.0, "llm.base_url=http://localhost:1")
    stores = open_stores(settings_in(folder))
    claims = sorted((claim.attribute, claim.value) for claim in stores.journal.read_claims("me"))
    heard = [said.text for _, said in stores.journal.read("me") if str(said.speaker) == "user"]
    stores.close()
    state = {key: value for key, value in line["inner_state_after"].items() if key != "version"}
    return {"text": line["user_text"], "state": state, "claims": claims, "heard": heard, "line": line, "models": models}


@pytest.mark.parametrize(("one", "two"), BROKEN)
def test_a_broken_turn_is_understood_as_one(tmp_path, understander, one, two):
    joined = f"{one} {two}" if one.isascii() else one + two
    broken = [Speech(0.5, 1.5, one), Speech(2.2, 3.2, two)]
    merged = left_by(tmp_path / "broken", understander, broken, ["Nobody hears that.", "Good."])
    whole = left_by(tmp_path / "whole", understander, [Speech(0.5, 3.2, joined)], ["Good."])
    assert merged["text"] == whole["text"] == joined
    assert merged["state"] == whole["state"]
    assert merged["claims"] == whole["claims"]
    assert merged["heard"] == [one, two], "the words stay as they were heard"
    assert len(merged["models"].model.prompts) == 2
    assert joined in merged["models"].model.prompts[-1][-1]["content"]
    for trace in (merged["models"].model.prompts, merged["line"]):
        assert "Nobody hears" not in json.dumps(trace)
