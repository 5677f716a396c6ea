"""Who comes back in time goes on where it stopped; who comes later begins anew with what carries over."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from rich.console import Console

from memory.nouns import Speaker, Utterance
from memory.past_turns import PastTurn, goes_on, past_turns
from memory.state_events import FactsStated, PendingChanged, PreferenceStated, TaskStarted
from pipeline import virtual_time
from pipeline.chat_command import run_chat
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, SessionPlan, plan_scenario, replay
from pipeline.scenario import Scenario
from tests.fakes.openai_server import says
from tests.fakes.redis_server import RedisServer
from tests.fakes.scripted import PlainUnderstander, ScriptedModel, ScriptedModels
from tests.fakes.transcription import serving
from tests.pipeline.test_conversation import LONG_REPLY, settings_in

ROOT = Path(__file__).resolve().parents[2]
LATE = {"into_reply": 0.8}


class RoomUnderstander(PlainUnderstander):
    """What is said of a room begins a task; the number of people is asked for."""

    def understand(self, text, *, now, state, language=None):
        understanding = super().understand(text, now=now, state=state, language=language)
        updates = ()
        if "room" in text:
            updates = (
                TaskStarted("find a room", "room"),
                FactsStated({"date": "2026-03-11"}),
                PreferenceStated({"seat": "window"}),
                PendingChanged(add=("people",)),
            )
        return type(understanding)(text=text, language="en", updates=updates)


def play(folder: Path, *plans: SessionPlan, answers: tuple[str, ...] = (), overrides: tuple[str, ...] = ()):
    """Play sessions with one memory folder; gives the log's lines and the prompts."""
    settings = settings_in(folder, "llm.base_url=http://localhost:1", *overrides)
    number = len(list(folder.glob("out*")))
    out = OutputFolder(folder / f"out{number}", INPUT_RATE)
    stores = open_stores(settings)
    models = ScriptedModels([], [])
    models.understander = RoomUnderstander()
    prompts: list[list[dict]] = []
    left = list(answers)

    def model(_):
        made = ScriptedModel(left)
        made._answers, made.prompts = left, prompts
        return made

    models.language_model = model
    try:
        virtual_time.run(replay(settings, models, stores, plans, out, ReplaySinks()), virtual=True)
    finally:
        out.close()
        stores.close()
    log = (out.path if hasattr(out, "path") else folder / f"out{number}") / "session.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()], prompts


def at(hour: int, minute: int, *words: str, day: int = 10) -> SessionPlan:
    return SessionPlan([Cue(text, words=text) for text in words], datetime(2026, 3, day, hour, minute))


# The rule, and the turns of before


@pytest.mark.parametrize(
    ("since", "expected"), [(0.0, True), (1800.0, True), (1800.1, False), (-0.1, False), (-86400.0, False)]
)
def test_a_session_goes_on_within_its_idle_timeout(since: float, expected: bool) -> None:
    assert goes_on(1000.0, 1000.0 + since, 1800.0) is expected


def test_the_turns_of_before_are_put_together() -> None:
    def said(turn: int, speaker: Speaker, text: str, at: float, unheard: str = "", session: str = "s") -> Utterance:
        return Utterance(f"{turn}{text}", "anna", session, turn, speaker, text, at, "en", unheard=unheard)

    utterances = [
        said(1, Speaker.USER, "Find a room.", 1.0),
        said(1, Speaker.USER, "For tomorrow.", 2.0),
        said(1, Speaker.AGENT, "Sure, I", 3.0, "will look."),
        said(1, Speaker.USER, "Somewhere else.", 3.5, session="other"),
        said(2, Speaker.USER, "Wait.", 4.0),
    ]
    assert past_turns(utterances, "s") == [
        PastTurn(1, 1.0, "en", "Find a room. For tomorrow.", "Sure, I", "will look."),
        PastTurn(2, 4.0, "en", "Wait."),
    ]
    assert past_turns(utterances, "none") == []


# Whole conversations


def test_a_call_that_was_dropped_goes_on_where_it_was(tmp_path: Path) -> None:
    cut = SessionPlan(
        [Cue("a", words="Find me a room."), Cue("b", words="Wait.", into_reply=0.8)], datetime(2026, 3, 10, 9, 0)
    )
    before, _ = play(tmp_path, cut, answers=(LONG_REPLY, "For how many people?"))
    after, prompts = play(tmp_path, at(9, 20, "Four."), answers=("Fine.",))
    (line,) = after
    assert line["session_id"] == before[0]["session_id"]
    assert [turn["turn_id"] for turn in (*before, *after)] == [1, 2, 3]
    assert line["inner_state_before"] == before[-1]["inner_state_after"]
    assert "people" in line["inner_state_before"]["pending"], "the open question"
    system, *history, last = prompts[0]
    assert [message["content"] for message in history] == [
        "Find me a room.",
        before[0]["heard_text"],
        "Wait.",
        "For how many people?",
    ]
    assert "<earlier>" not in last["content"] and last["content"].endswith("Four.")


def test_what_was_cut_off_before_the_drop_is_said_to_the_model(tmp_path: Path) -> None:
    cut = SessionPlan([Cue("a", words="Find me a room.")], datetime(2026, 3, 10, 9, 0))
    play(tmp_path, cut, answers=(LONG_REPLY,))
    settings = settings_in(tmp_path)
    stores = open_stores(settings)
    session = stores.journal.last("me")[0]
    utterance = Utterance("x", "me", session, 2, Speaker.AGENT, "Well, I", 1.0, "en", unheard="see two rooms.")
    stores.journal.append(utterance)
    stores.close()
    _, prompts = play(tmp_path, at(9, 10, "Hello?"), overrides=("session.idle_timeout_s=1e12",))
    assert "Heard: Well, I | not heard: see two rooms." in prompts[0][-1]["content"]


def test_who_comes_later_begins_a_new_session_with_what_carries_over(tmp_path: Path) -> None:
    (before,), _ = play(tmp_path, at(9, 0, "Find me a room."))
    (after,), prompts = play(tmp_path, at(9, 45, "Hello."))
    assert after["session_id"] != before["session_id"]
    assert after["turn_id"] == 1
    state = after["inner_state_before"]
    assert (state["task"], state["facts"], state["pending"]) == ("", {}, [])
    assert state["preference"] == {"seat": "window"}
    assert [task["task"] for task in state["tasks"]] == ["find a room"]
    (_, last) = prompts[0]
    assert "- find a room (date = 2026-03-11)\n</earlier>" in last["content"]
    (again,), prompts = play(tmp_path, at(9, 50, "The room, please."))
    assert again["session_id"] == after["session_id"]
    assert again["inner_state_after"]["facts"] == {"date": "2026-03-11"}
    assert "<earlier>" not in prompts[0][-1]["content"], "the task was taken up"


def test_the_idle_timeout_is_a_setting(tmp_path: Path) -> None:
    (before,), _ = play(tmp_path, at(9, 0, "Find me a room."))
    (after,), _ = play(tmp_path, at(9, 1, "Hello."), overrides=("session.idle_timeout_s=30",))
    (third,), _ = play(tmp_path, at(19, 1, "Hello."), overrides=("session.idle_timeout_s=90000",))
    assert after["session_id"] != before["session_id"]
    assert third["session_id"] == after["session_id"]


def test_a_scenario_decides_by_its_clock(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(
        {
            "clock": "2026-03-10T09:00:00",
            "turns": [
                {"say": "Find me a room."},
                {"say": "Four.", "new_session": {"clock": "2026-03-10T09:10:00"}},
                {"say": "Hello.", "new_session": {"clock": "2026-03-11T08:30:00"}},
                {"say": "And now?", "new_session": {}},
            ],
        }
    )
    lines, _ = play(tmp_path, *plan_scenario(scenario, None, print))
    sessions = [line["session_id"] for line in lines]
    assert sessions[0] == sessions[1]
    assert len(set(sessions)) == 3
    assert [line["turn_id"] for line in lines] == [1, 2, 1, 1]


_KILLED = """
import asyncio, sys
from datetime import datetime
from pathlib import Path
from tests.pipeline.test_sessions_go_on import *
folder = Path(sys.argv[1])
settings = settings_in(folder, "llm.base_url=http://localhost:1", *sys.argv[2:])
stores = open_stores(settings)
models = ScriptedModels([], [LONG_REPLY])
models.model._token_s = 0.5
models.understander = RoomUnderstander()
plan = SessionPlan([Cue("a", words="Find me a room.")], datetime(2026, 3, 10, 9, 0))
def heard(event):
    if event["kind"] == "llm_first_token":
        print("speaking", flush=True)
async def main():
    await replay(settings, models, stores, [plan], OutputFolder(folder / "out", INPUT_RATE), ReplaySinks([heard]))
virtual_time.run(main(), virtual=False)
"""


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_a_turn_that_kill_9_cut_survives_and_the_call_goes_on(tmp_path: Path, store: str, request) -> None:
    override = f"session.store={request.getfixturevalue('redis_server').url}" if store == "redis" else ""
    overrides = (override,) if override else ()
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path), *overrides],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "speaking\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    (line,), prompts = play(tmp_path, at(9, 5, "Hello? Are you there?"), overrides=overrides)
    assert line["turn_id"] == 2
    assert line["inner_state_before"]["task"] == "find a room"
    assert line["inner_state_before"]["facts"] == {"date": "2026-03-11"}
    assert "Find me a room." in prompts[0][1]["content"]


# Typed


def chat(folder: Path, url: str, *lines: str, overrides: tuple[str, ...] = ()) -> str:
    settings = settings_in(folder, f"llm.base_url={url}", "llm.model=fake", *overrides)
    printed = io.StringIO()
    typed = io.StringIO("".join(f"{line}\n" for line in lines))
    assert run_chat(settings, Console(file=printed, width=200), typed) == 0
    return printed.getvalue()


def sessions_in(folder: Path) -> list[tuple[str, int]]:
    stores = open_stores(settings_in(folder))
    try:
        return [(session.session_id, session.turns) for session in stores.journal.sessions("me")]
    finally:
        stores.close()


def test_a_chat_goes_on_where_it_was_left(tmp_path: Path) -> None:
    with serving(says("Hello.")) as server:
        assert "Going on" not in chat(tmp_path, server.base_url, "I like window seats.")
        assert "Going on where you left off." in chat(tmp_path, server.base_url, "Which seats?")
        assert [turns for _, turns in sessions_in(tmp_path)] == [2]
        messages = server.requests[1].body["messages"]
        assert [message["content"] for message in messages[1:3]] == ["I like window seats.", "Hello."]
        later = ("session.idle_timeout_s=0.001",)
        assert "Going on" not in chat(tmp_path, server.base_url, "Hello again.", overrides=later)
        assert [turns for _, turns in sessions_in(tmp_path)] == [2, 1]


class SlowLines(io.StringIO):
    """Types the lines with a pause before each."""

    def __init__(self, *lines: str) -> None:
        super().__init__()
        self._left = list(lines)

    def readline(self, *_: int) -> str:
        import time

        time.sleep(0.6)
        return f"{self._left.pop(0)}\n" if self._left else ""


def test_an_open_chat_that_was_silent_for_too_long_begins_a_new_session(tmp_path: Path) -> None:
    with serving(says("Hello.")) as server:
        settings = settings_in(
            tmp_path, f"llm.base_url={server.base_url}", "llm.model=fake", "session.idle_timeout_s=0.3"
        )
        printed = io.StringIO()
        assert run_chat(settings, Console(file=printed, width=200), SlowLines("One.", "Two.")) == 0
    assert printed.getvalue().count("a new session begins") == 2
    assert [turns for _, turns in sessions_in(tmp_path)] == [1, 1]
    assert len(server.requests) == 2


# A session store that goes away


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_redis_that_dies_in_the_middle_costs_the_conversation_nothing(tmp_path: Path, comes_back: bool) -> None:
    with RedisServer() as server:
        settings = settings_in(tmp_path, f"session.store={server.url}", "llm.base_url=http://localhost:1")
        stores = open_stores(settings)
        models = ScriptedModels([], ["One.", "Two.", "Three."])
        models.understander = RoomUnderstander()
        out = OutputFolder(tmp_path / "out", INPUT_RATE)

        def closed(turn) -> None:
            if turn.turn_id == 1:
                server.stop()
            elif turn.turn_id == 2 and comes_back:
                server.start()

        plan = at(9, 0, "Hello.", "Find me a room.", "Thanks for the room.")
        sinks = ReplaySinks(on_closed=[closed])
        summary = virtual_time.run(replay(settings, models, stores, [plan], out, sinks), virtual=True)
        out.close()
        assert [turn.heard_text for turn in summary.turns] == ["One.", "Two.", "Three."]
        assert summary.turns[-1].inner_state_after["facts"] == {"date": "2026-03-11"}
        assert len(list(stores.journal.read("me"))) == 6, "words wait for no store of states"
        if comes_back:
            assert summary.problems == []
            _, state, _ = stores.sessions.latest("me")
            assert state.to_contract() == summary.turns[-1].inner_state_after
        else:
            (problem,) = summary.problems
            assert "memory is not written: session.store: unix://" in problem
        stores.close()


@pytest.mark.realtime
def test_a_redis_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    """Frozen in the middle, the turns go on; what waited is saved when it moves again."""
    with RedisServer() as server:
        settings = settings_in(tmp_path, f"session.store={server.url}", "llm.base_url=http://localhost:1")
        stores = open_stores(settings)
        models = ScriptedModels([], ["One.", "Two.", "Three."])
        models.understander = RoomUnderstander()
        out = OutputFolder(tmp_path / "out", INPUT_RATE)

        def closed(turn) -> None:
            if turn.turn_id == 1:
                server.freeze()
            elif turn.turn_id == 3:
                server.thaw()

        plan = at(9, 0, "Hello.", "Find me a room.", "Thanks for the room.")
        sinks = ReplaySinks(on_closed=[closed])
        summary = virtual_time.run(replay(settings, models, stores, [plan], out, sinks), virtual=False)
        out.close()
        assert [turn.heard_text for turn in summary.turns] == ["One.", "Two.", "Three."]
        assert summary.problems == []
        _, state, _ = stores.sessions.latest("me")
        assert state.to_contract() == summary.turns[-1].inner_state_after
        stores.close()
