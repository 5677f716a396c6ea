"""Whole conversations with a model that answers in JSON: what is spoken, when, and what becomes of the state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memory.nouns import Understanding
from memory.state_events import FactsStated, TaskStarted
from pipeline import virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, replay
from pipeline.speech.apologies import apology
from pipeline.speech.llm import make_llm
from tests.fakes.openai_server import FakeOpenAI, breaks_off, fails, hangs, says
from tests.fakes.scripted import PlainUnderstander, ScriptedModel, ScriptedModels, Speech
from tests.pipeline.test_conversation import LONG_REPLY, play, settings_in
from tests.processors.test_reply_json import MALFORMED, REPLY

JSON = ("llm.base_url=http://localhost:1", "llm.reply_format=json")
SPEECH = Speech(0.5, 2.0, "Find me a room.")
TASK = {"task": "find a room", "facts": {"people": "4"}, "pending": {"add": ["date"]}}


def answer(reply: str, update: Any = None) -> str:
    return json.dumps({"reply": reply, "state_update": update or {}}, ensure_ascii=False)


class RoomUnderstander(PlainUnderstander):
    """Understands every utterance to name the day."""

    def understand(self, text, *, now, state, language=None) -> Understanding:
        updates = (TaskStarted("find a room", "room"), FactsStated({"date": text}))
        return Understanding(text=text, language="en", updates=updates)


def models_with(*answers: str, speeches: Sequence[Speech] = (SPEECH,), by: str = "char", token_s: float = 0.002):
    models = ScriptedModels(list(speeches), [])
    models.model = ScriptedModel(list(answers), token_s, by)
    models.understander = RoomUnderstander()
    return models


def play_typed(folder: Path, models: ScriptedModels, cues: list[Cue], *overrides: str) -> list[dict]:
    settings = settings_in(folder, *overrides)
    out = OutputFolder(folder / "out", INPUT_RATE)
    stores = open_stores(settings)

    async def main() -> None:
        await replay(settings, models, stores, [SessionPlan(cues, datetime(2026, 3, 10, 9, 0))], out, ReplaySinks())

    try:
        virtual_time.run(main(), virtual=True)
    finally:
        out.close()
        stores.close()
    return [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text().splitlines()]


def test_the_reply_is_spoken_and_the_update_kept(tmp_path):
    raw = answer("For how many people?", TASK)
    speeches = (SPEECH, Speech(6.0, 7.0, "For tomorrow."))
    models = models_with(raw, answer("All right."), speeches=speeches)
    first, second = play(tmp_path, models, 8.0, *JSON)
    assert first["llm_response"] == raw
    assert first["reply_text"] == first["heard_text"] == "For how many people?"
    assert first["state_update"] == TASK
    assert first["inner_state_after"]["facts"] == {"date": "Find me a room.", "people": "4"}
    assert first["inner_state_after"]["pending"] == ["date"]
    assert first["failures"] == []
    assert second["inner_state_before"] == first["inner_state_after"]
    assert "people = 4" in models.model.prompts[1][-1]["content"]
    assert models.model.prompts[0][0] == models.model.prompts[1][0]
    assert "state_update" in models.model.prompts[0][0]["content"]
    assert second["state_update"] == {}


def test_without_a_proposal_the_update_is_what_the_words_changed(tmp_path):
    models = models_with('{"reply": "All right."}')
    (line,) = play(tmp_path, models, 3.0, *JSON)
    assert line["state_update"]["facts"] == {"date": "Find me a room."}
    assert line["failures"] == []


def first_audio(folder: Path, raw: str, *overrides: str) -> float:
    (line,) = play(folder, models_with(raw), 3.0, *overrides)
    return next(event["t"] for event in line["timeline"] if event["kind"] == "agent_speech_start")


@pytest.mark.parametrize(
    "reply",
    [
        "Yes",
        "Sure.",
        "Of course, I will look for one. Tomorrow at ten?",
        LONG_REPLY,
        "好的，我来看看明天上午有没有空的会议室。",
    ],
)
def test_the_first_audio_of_json_is_no_later_than_that_of_plain_text(tmp_path, reply):
    """Character by character, with an update behind the reply that takes seconds."""
    plain = first_audio(tmp_path / "plain", reply, JSON[0])
    as_json = first_audio(tmp_path / "json", answer(reply, {"history_summary": "x" * 2000}), *JSON)
    assert as_json <= plain + 0.05


def test_the_turn_waits_for_its_update(tmp_path):
    """The reply is over seconds before the answer is."""
    update = {"task": "find a room", "history_summary": "x" * 900}
    models = models_with(answer("Sure.", update), token_s=0.01)
    (line,) = play(tmp_path, models, 3.0, *JSON)
    times = {event["kind"]: event["t"] for event in line["timeline"]}
    assert times["agent_speech_stop"] - times["agent_word"] > 5
    assert line["heard_text"] == "Sure."
    assert "x" * 100 in line["inner_state_after"]["history_summary"]


@pytest.mark.parametrize("into", [0.3, 1.1, 2.4, 3.6])
def test_what_was_proposed_in_an_interrupted_turn_changes_nothing(tmp_path, into):
    raw = answer(LONG_REPLY, TASK)
    start = first_audio(tmp_path / "whole", raw, *JSON)
    speeches = (SPEECH, Speech(start + into - 0.2, start + into + 0.8, "Wait please."))
    models = models_with(raw, answer("All right."), speeches=speeches)
    cut, following = play(tmp_path / "cut", models, start + into + 2.0, *JSON)
    assert cut["interrupted"] is True
    assert cut["reply_text"] == LONG_REPLY
    assert LONG_REPLY.startswith(cut["heard_text"])
    assert cut["state_update"] == TASK
    words_only = cut["inner_state_after"]
    assert words_only["facts"] == {"date": "Find me a room."}
    assert (words_only["version"], words_only["pending"]) == (following["inner_state_before"]["version"], [])
    assert following["inner_state_after"]["facts"] == {"date": "Wait please."}
    assert f"Heard: {cut['heard_text'] or 'nothing'} |" in models.model.prompts[1][-1]["content"]


def test_an_update_that_was_cut_off_changes_nothing(tmp_path):
    """The user speaks when the reply has been heard, but the answer is still being written."""
    raw = answer("Sure.", {"task": "find a room", "history_summary": "x" * 900})
    speeches = (SPEECH, Speech(5.0, 6.0, "Thanks."))
    models = models_with(raw, answer("You are welcome."), speeches=speeches, token_s=0.01)
    first, second = play(tmp_path, models, 8.0, *JSON)
    assert (first["reply_text"], first["heard_text"], first["interrupted"]) == ("Sure.", "Sure.", False)
    assert first["llm_response"] != raw
    assert first["inner_state_after"]["history_summary"] == ""
    assert first["failures"] == []
    assert second["reply_text"] == "You are welcome."


def test_the_proposal_of_a_reply_that_nobody_heard_is_dropped(tmp_path):
    speeches = (Speech(0.5, 1.5, "Find me a room."), Speech(2.0, 3.0, "For tomorrow."))
    late = json.dumps({"state_update": TASK, "reply": "Wrong."})
    models = models_with(late, answer("Tomorrow, then."), speeches=speeches, by="word", token_s=0.1)
    (line,) = play(tmp_path, models, 4.0, *JSON)
    assert line["user_text"] == "Find me a room. For tomorrow."
    assert line["reply_text"] == "Tomorrow, then."
    assert line["llm_response"] == answer("Tomorrow, then.")
    assert line["state_update"] == {}
    assert "people" not in line["inner_state_after"]["facts"]


def test_a_malformed_answer_is_spoken_and_changes_nothing(tmp_path):
    models = models_with(*MALFORMED.values(), speeches=(), by="word")
    models.understander = PlainUnderstander()
    cues = [Cue(name, words=f"Which room, {name}?") for name in MALFORMED]
    lines = play_typed(tmp_path, models, cues, *JSON)
    assert len(lines) == len(MALFORMED) > 20
    for name, line in zip(MALFORMED, lines, strict=True):
        assert line["reply_text"] == line["heard_text"] == REPLY, name
        assert line["inner_state_after"]["version"] == 0, name
        assert line["state_update"] == {}, name
        assert [failure["reason"] for failure in line["failures"]] == ["malformed"], name


@pytest.mark.parametrize(
    ("update", "facts"),
    [
        ({"facts": {"people": "4"}, "pending": 5}, {}),
        ({"facts": ["people", "4"], "task": "find a room"}, {}),
        ({"facts": {"people": ["4"]}}, {}),
        ({"fact": {"people": "4"}}, {}),
        ({"facts": {"people": 4}, "mood": "glad"}, {"people": "4"}),
    ],
)
def test_an_update_is_checked(tmp_path, update, facts):
    models = models_with(answer("All right.", update))
    models.understander = PlainUnderstander()
    (line,) = play(tmp_path, models, 3.0, *JSON)
    assert line["reply_text"] == "All right."
    assert line["state_update"] == update
    assert line["inner_state_after"]["facts"] == facts
    assert line["inner_state_after"]["task"] == ""


@pytest.mark.parametrize(
    "raw", ['{"state_update": {"task": "x"}}', "{", '{"reply": "", "state_update": {"task": "x"}}']
)
def test_an_answer_without_words_is_apologised_for(tmp_path, raw):
    (line,) = play(tmp_path, models_with(raw), 3.0, *JSON)
    assert line["reply_text"] == line["heard_text"] == apology("en", "garbage")
    assert line["llm_response"] == raw
    assert line["inner_state_after"]["task"] == "find a room"


def test_markup_in_a_reply_is_not_spoken(tmp_path):
    raw = answer('**Room four** is [free](http://x.example/y) 🎉:\n- it has a "window"')
    (line,) = play(tmp_path, models_with(raw), 3.0, *JSON)
    assert line["reply_text"] == 'Room four is free :\nit has a "window"'
    assert line["heard_text"].split() == line["reply_text"].split()


# Through the service for OpenAI-compatible endpoints


def played_with(
    folder: Path, *behaviours: Any, turns: int = 1, timeout_s: float = 20.0
) -> tuple[list[dict], FakeOpenAI]:
    """Typed turns, answered by a scripted server."""
    server = FakeOpenAI(*behaviours)
    models = ScriptedModels([], [])
    models.understander = RoomUnderstander()
    models.language_model = lambda settings: make_llm(settings.llm, language="en", weights_path=None)
    out = OutputFolder(folder / "out", INPUT_RATE)
    cues = [Cue(str(turn), words=f"Day {turn}.") for turn in range(turns)]

    async def main() -> None:
        async with server:
            endpoint = (f"llm.base_url={server.base_url}", "llm.model=fake", f"llm.timeout_s={timeout_s}")
            settings = settings_in(folder, *endpoint, "llm.reply_format=json")
            stores = open_stores(settings)
            try:
                await replay(settings, models, stores, [SessionPlan(cues)], out, ReplaySinks())
            finally:
                stores.close()

    try:
        virtual_time.run(main(), virtual=True)
    finally:
        out.close()
    return [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text().splitlines()], server


def test_a_server_that_streams_character_by_character(tmp_path):
    raw = answer("For how many people?", TASK)
    (line,), server = played_with(tmp_path, says(raw, by="char"))
    assert line["llm_response"] == raw
    assert line["reply_text"] == line["heard_text"] == "For how many people?"
    assert line["inner_state_after"]["facts"] == {"date": "Day 0.", "people": "4"}
    assert server.requests[0].body["response_format"]["type"] == "json_schema"


def test_a_server_that_refuses_the_format(tmp_path):
    async def picky(request, reply):
        behaviour = fails(400, "response_format is not supported") if "response_format" in request.body else says(raw)
        await behaviour(request, reply)

    raw = answer("For how many people?", TASK)
    lines, server = played_with(tmp_path, picky, turns=2)
    assert [line["reply_text"] for line in lines] == ["For how many people?"] * 2
    assert lines[0]["inner_state_after"]["pending"] == ["date"]
    assert [line["failures"] for line in lines] == [[], []]
    assert ["response_format" in request.body for request in server.requests] == [True, True, False, False]


@pytest.mark.parametrize(
    ("behaviour", "said", "reasons"),
    [
        (breaks_off(answer("Room four is free.", TASK)[:-20]), "Room four is free.", ["truncated"]),
        (breaks_off('{"state_update": {"task": "something else"'), apology("en", "garbage"), ["truncated"]),
        (says(""), apology("en", "empty"), ["empty"]),
        (fails(500), apology("en", "http_500"), ["http_500"]),
        (says("Room four is free."), "Room four is free.", ["malformed"]),
    ],
)
def test_a_fault_of_the_server_changes_nothing_and_is_named_once(tmp_path, behaviour, said, reasons):
    (line,), _ = played_with(tmp_path, behaviour)
    assert line["reply_text"] == line["heard_text"] == said
    assert [failure["reason"] for failure in line["failures"]] == reasons
    state = line["inner_state_after"]
    assert (state["task"], state["facts"]) == ("find a room", {"date": "Day 0."})


# A second try for the update


def retries(lines: list[dict]) -> list[str]:
    return [event["outcome"] for line in lines for event in line["timeline"] if event["kind"] == "update_retry"]


@pytest.mark.parametrize(
    "first",
    [
        '{"reply": "For how many people?", "state_update": {"facts": ',
        '{"reply": "For how many people?", "state_update": {"facts": 4}}',
        '{"reply": "For how many people?", "state_update": "four"}',
        'Sure: {"reply": "For how many people?", "state_update": {}}',
        "For how many people?",
    ],
)
def test_a_malformed_update_is_asked_for_once_more(tmp_path, first):
    """While the reply is spoken; nobody waits for it."""
    second = json.dumps({"state_update": TASK})
    lines, server = played_with(tmp_path, says(first), says(second), says(answer("All right.")), turns=2)
    assert lines[0]["reply_text"] == lines[0]["heard_text"] == "For how many people?"
    assert lines[1]["inner_state_before"]["facts"] == {"date": "Day 0.", "people": "4"}
    assert retries(lines) == ["proposed"]
    again = server.requests[1].body
    assert again["messages"][-2] == {"role": "assistant", "content": first.strip()}
    assert again["messages"][:-2] == server.requests[0].body["messages"]
    assert set(again["response_format"]["json_schema"]["schema"]["properties"]) == {"state_update"}
    assert len(server.requests) == 3


def test_a_server_that_breaks_off_is_asked_once_more(tmp_path):
    lines, _ = played_with(
        tmp_path, breaks_off(answer("Room four is free.", TASK)[:-20]), says(json.dumps({"state_update": TASK}))
    )
    assert lines[0]["reply_text"] == "Room four is free."
    assert lines[0]["inner_state_after"]["facts"] == {"date": "Day 0.", "people": "4"}


def test_a_second_try_that_hangs_costs_nothing(tmp_path):
    """The next turn is answered as ever, and the state is what the words made of it."""
    lines, server = played_with(
        tmp_path, says("For how many people?"), hangs(), says(answer("All right.")), turns=2, timeout_s=0.5
    )
    assert [line["reply_text"] for line in lines] == ["For how many people?", "All right."]
    assert lines[1]["inner_state_after"]["facts"] == {"date": "Day 1."}
    assert retries(lines) in (["failed"], ["dropped"])
    assert len(server.requests) == 3


def test_a_model_that_never_writes_json_is_soon_asked_no_more(tmp_path):
    lines, server = played_with(tmp_path, says("All right."), turns=6)
    assert [line["reply_text"] for line in lines] == ["All right."] * 6
    assert len(server.requests) == 6 + 3
    assert retries(lines) == ["failed"] * 3


def test_a_fault_without_an_answer_is_not_tried_again(tmp_path):
    _, server = played_with(tmp_path, fails(500), says(answer("Yes.")), turns=2)
    assert len(server.requests) == 2
