"""Whole conversations in lock-step: real pipeline, real memory, scripted ears, model and voice."""

from __future__ import annotations

import asyncio
import json
import wave
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from pipeline import virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, replay
from pipeline.settings import Settings, load_settings
from tests.fakes.scripted import ScriptedModels, Speech

LONG_REPLY = "Sure, I will look for a free room and tell you what I can find in the whole building."


def settings_in(folder: Path, *overrides: str) -> Settings:
    return load_settings(None, [f"memory.data_dir={folder / 'memory'}", "turn.silence_s=0.3", *overrides], environ={})


def silence(seconds: float) -> Cue:
    samples = np.zeros(int(seconds * INPUT_RATE), dtype=np.int16)
    return Cue("speech", blocks=lambda: iter([samples]))


def play(folder: Path, models: ScriptedModels, seconds: float, *overrides: str, virtual: bool = True) -> list[dict]:
    """Play ``seconds`` of input and give the lines of the log."""
    settings = settings_in(folder, *overrides)
    out = OutputFolder(folder / "out", INPUT_RATE)
    stores = open_stores(settings)

    async def main() -> None:
        plan = SessionPlan([silence(seconds)], datetime(2026, 3, 10, 9, 0))
        await replay(settings, models, stores, [plan], out, ReplaySinks())

    try:
        virtual_time.run(main(), virtual=virtual)
    finally:
        out.close()
        stores.close()
    return [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text().splitlines()]


def without_ids(lines: list[dict]) -> str:
    text = json.dumps(lines)
    for line in lines:
        text = text.replace(line["session_id"], "S")
        for item in line["recalled"]:
            for identifier in [item["id"], *item["utterances"]]:
                text = text.replace(identifier, "U")
    return text


def agent_channel(folder: Path) -> np.ndarray:
    with wave.open(str(folder / "out" / "conversation.wav")) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16).reshape(-1, 2)[:, 1]


def test_a_turn_is_heard_answered_and_logged(tmp_path):
    models = ScriptedModels([Speech(0.5, 2.0, "My dog is called Bruno.")], ["Nice to meet Bruno."])
    (line,) = play(tmp_path, models, 3.0)
    assert line["user_text"] == "My dog is called Bruno."
    assert line["reply_text"] == line["heard_text"] == "Nice to meet Bruno."
    assert line["interrupted"] is False
    assert line["llm_response"] == "Nice to meet Bruno."
    kinds = [event["kind"] for event in line["timeline"]]
    assert kinds.index("speech_tail") < kinds.index("vad_stop") < kinds.index("final") < kinds.index("turn_end")
    assert kinds.index("turn_end") < kinds.index("llm_first_token") < kinds.index("agent_speech_start")
    assert line["started_at"].startswith("2026-03-10T")


def test_a_fact_reaches_the_model_in_the_next_turn(tmp_path):
    speeches = [Speech(0.5, 2.0, "My dog is called Bruno."), Speech(6.0, 7.5, "What is my dog called?")]
    models = ScriptedModels(speeches, ["Good.", "Bruno."])
    lines = play(tmp_path, models, 8.0)
    assert [item["text"] for item in lines[1]["recalled"]] == ["My dog is called Bruno."]
    assert "Bruno" in json.dumps(models.model.prompts[1])
    assert lines[1]["recall"]["ms"] < 134


def test_a_fact_survives_the_process(tmp_path):
    play(tmp_path, ScriptedModels([Speech(0.5, 2.0, "My dog is called Bruno.")], ["Good."]), 3.0)
    models = ScriptedModels([Speech(0.5, 2.0, "What is my dog called?")], ["Bruno."])
    (line,) = play(tmp_path, models, 3.0)
    assert [item["text"] for item in line["recalled"]] == ["My dog is called Bruno."]


@pytest.mark.parametrize("into", [0.3, 0.9, 1.7, 2.4, 3.6])
def test_a_barge_in_leaves_exactly_the_words_that_were_played(tmp_path, into):
    """The reply starts at a known time; the cut is placed into it."""
    reply_at = play(tmp_path, ScriptedModels([Speech(0.5, 2.0, "Find me a room.")], [LONG_REPLY]), 3.0)[0]
    start = next(event["t"] for event in reply_at["timeline"] if event["kind"] == "agent_speech_start")
    speeches = [Speech(0.5, 2.0, "Find me a room."), Speech(start + into - 0.2, start + into + 1.0, "Wait please.")]
    models = ScriptedModels(speeches, [LONG_REPLY, "All right."])
    folder = tmp_path / "cut"
    lines = play(folder, models, start + into + 2.0, "llm.base_url=http://localhost:1")
    cut = lines[0]
    assert cut["interrupted"] is True
    assert cut["reply_text"] == LONG_REPLY
    assert LONG_REPLY.startswith(cut["heard_text"])
    assert cut["heard_text"] != LONG_REPLY
    played_s = float(np.count_nonzero(agent_channel(folder)[: int((start + into + 0.6) * INPUT_RATE)])) / INPUT_RATE
    # The scripted voice says 15 characters a second; at most one word may be under way at the cut.
    heard = len(cut["heard_text"])
    under_way = LONG_REPLY[heard:].split()[0]
    assert heard <= played_s * 15 + 2
    assert played_s * 15 <= heard + len(under_way) + 4
    assert lines[1]["user_text"] == "Wait please."
    assert lines[1]["reply_text"] == "All right."
    prompt = json.dumps(models.model.prompts[1])
    assert cut["heard_text"] in prompt


def test_words_that_follow_before_the_reply_is_heard_join_the_turn(tmp_path):
    speeches = [Speech(0.5, 1.5, "Find me a room."), Speech(2.0, 3.0, "For tomorrow.")]
    models = ScriptedModels(speeches, ["Wrong answer that nobody hears.", "Tomorrow, then."])
    models.model._token_s = 0.3
    (line,) = play(tmp_path, models, 4.0, "llm.base_url=http://localhost:1")
    assert line["user_text"] == "Find me a room. For tomorrow."
    assert line["reply_text"] == "Tomorrow, then."
    stored = json.dumps(models.model.prompts)
    assert "nobody hears" not in stored


def test_a_slow_recogniser_is_waited_for(tmp_path):
    """The final words come seconds after the silence that would end an incomplete turn."""
    models = ScriptedModels([Speech(0.5, 2.0, "Find me a room.")], ["Sure."], words_late_s=6.0)
    (line,) = play(tmp_path, models, 3.0)
    assert (line["user_text"], line["reply_text"]) == ("Find me a room.", "Sure.")


def test_words_after_the_turn_was_given_up_are_answered(tmp_path):
    models = ScriptedModels([Speech(0.5, 2.0, "Find me a room.")], ["Sure."], words_late_s=18.0)
    (line,) = play(tmp_path, models, 20.0)
    assert (line["user_text"], line["reply_text"]) == ("Find me a room.", "Sure.")


def test_a_cough_makes_no_turn_and_no_answer(tmp_path):
    models = ScriptedModels([Speech(0.5, 0.9, "")], [])
    assert play(tmp_path, models, 3.0) == []
    assert models.model.prompts == []


def test_two_runs_in_lock_step_are_alike(tmp_path):
    def run(name: str) -> str:
        speeches = [
            Speech(0.5, 2.0, "My dog is called Bruno."),
            Speech(5.0, 6.0, "Find me a room."),
            Speech(8.0, 9.0, "Wait please."),
            Speech(13.0, 14.0, "What is my dog called?"),
        ]
        models = ScriptedModels(speeches, ["Good.", LONG_REPLY, "All right.", "Bruno."])
        return without_ids(play(tmp_path / name, models, 16.0))

    assert run("a") == run("b")


def test_the_users_channel_is_as_long_as_the_conversation_and_bit_exact(tmp_path):
    settings = settings_in(tmp_path)
    samples = np.random.default_rng(0).integers(-500, 500, INPUT_RATE * 2, dtype=np.int16)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)

    async def main() -> None:
        cue = Cue("noise", blocks=lambda: iter([samples]))
        await replay(
            settings, ScriptedModels([Speech(9e9, 9e9, "")], []), stores, [SessionPlan([cue])], out, ReplaySinks()
        )

    virtual_time.run(main(), virtual=True)
    out.close()
    stores.close()
    with wave.open(str(tmp_path / "out" / "conversation.wav")) as file:
        user = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16).reshape(-1, 2)[:, 0]
    assert np.array_equal(user[: len(samples)], samples)
    assert not user[len(samples) :].any()


def test_typed_turns_are_cut_where_a_voice_would_be(tmp_path):
    settings = settings_in(tmp_path)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)
    models = ScriptedModels([], [LONG_REPLY, "All right."])

    async def main() -> None:
        cues = [Cue("a", words="Find me a room."), Cue("b", words="Wait.", into_reply=2.0)]
        await replay(settings, models, stores, [SessionPlan(cues)], out, ReplaySinks())

    virtual_time.run(main(), virtual=True)
    out.close()
    stores.close()
    first, second = [json.loads(line) for line in (tmp_path / "out" / "session.jsonl").read_text().splitlines()]
    assert first["interrupted"] is True
    assert len(first["heard_text"]) == pytest.approx(30, abs=6)
    assert second["user_text"] == "Wait."
    assert second["latency_ms"]["voice_to_voice"] < 1000, "typed words end where they are typed"


def test_a_new_session_is_the_same_user_at_another_time(tmp_path):
    settings = settings_in(tmp_path)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)
    models = ScriptedModels([], ["Good.", "Bruno."])
    plans = [
        SessionPlan([Cue("a", words="My dog is called Bruno.")], datetime(2026, 3, 10, 9, 0)),
        SessionPlan([Cue("b", words="What is my dog called?")], datetime(2026, 3, 11, 8, 30)),
    ]

    async def main() -> None:
        models.language_model = lambda settings: type(models.model)([models.model._answers.pop(0)])
        await replay(settings, models, stores, plans, out, ReplaySinks())

    virtual_time.run(main(), virtual=True)
    out.close()
    stores.close()
    first, second = [json.loads(line) for line in (tmp_path / "out" / "session.jsonl").read_text().splitlines()]
    assert first["session_id"] != second["session_id"]
    assert (first["turn_id"], second["turn_id"]) == (1, 1)
    assert [item["text"] for item in second["recalled"]] == ["My dog is called Bruno."]
    assert second["recalled"][0]["said_at"][:10] == first["started_at"][:10]
    times = [event["t"] for line in (first, second) for event in line["timeline"]]
    assert times == sorted(times), "both sessions lie on one clock"


def test_ctrl_c_keeps_what_was_said(tmp_path):
    settings = settings_in(tmp_path)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)
    models = ScriptedModels([Speech(0.5, 2.0, "Find me a room.")], [LONG_REPLY])

    async def main() -> None:
        task = asyncio.ensure_future(
            replay(settings, models, stores, [SessionPlan([silence(60.0)])], out, ReplaySinks())
        )
        await asyncio.sleep(4.5)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    virtual_time.run(main(), virtual=True)
    out.close()
    stores.close()
    (line,) = [json.loads(text) for text in (tmp_path / "out" / "session.jsonl").read_text().splitlines()]
    assert line["user_text"] == "Find me a room."
    assert line["interrupted"] is True
    assert LONG_REPLY.startswith(line["heard_text"])
    with wave.open(str(tmp_path / "out" / "conversation.wav")) as file:
        assert file.getnframes() / INPUT_RATE == pytest.approx(4.5, abs=0.3)
