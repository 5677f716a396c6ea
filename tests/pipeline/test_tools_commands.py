"""Tools behind the commands: a scenario replayed as text, and a chat, against a server that calls tools."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.chat_command import run_chat
from pipeline.replay_command import run_replay
from pipeline.replay_inputs import ReplayRequest
from pipeline.settings import load_settings
from tests.fakes.openai_server import Behaviour, FakeOpenAI, calls, says

ARGUMENTS = {"amount": 84, "bill": "electricity"}


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[str]:
    """A server in a thread of its own; gives its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = FakeOpenAI(*behaviours)
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(5)
    try:
        yield server.base_url
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


SCENARIO = """
user: anna
language: {language}
clock: 2026-03-10T09:00:00
tools:
  pay_bill:
    description: Pay a bill
    parameters: {{type: object, properties: {{amount: {{type: number}}, bill: {{type: string}}}}}}
    returns: {{receipt: R17}}
    risky: true
    delay_s: 0.2
turns:
  - say: "{ask}"
  - say: "{unsure}"
  - say: "{yes}"
"""
TALK = {
    "en": ["Pay the electricity bill, it's eighty four euros.", "Hmm, I'm not sure.", "Yes, go ahead."],
    "zh": ["帮我交一下电费，八十四块。", "嗯，再想想。", "可以，付吧。"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_scenario_with_a_risky_tool_is_replayed_as_text(tmp_path, language):
    path = tmp_path / "pay.yaml"
    ask, unsure, yes = TALK[language]
    path.write_text(SCENARIO.format(language=language, ask=ask, unsure=unsure, yes=yes), encoding="utf-8")
    question = "That is 84 euros. Shall I pay it?" if language == "en" else "电费84元，确认支付吗？"
    with serving(calls(("pay_bill", ARGUMENTS)), says(question), says("OK."), says("OK.")) as address:
        request = ReplayRequest(
            inputs=[path],
            out=tmp_path / "out",
            virtual=True,
            text=True,
            language=None,
            user=None,
            show="json",
            config=None,
            overrides=[f"llm.base_url={address}", "llm.model=fake"],
            data=None,
        )
        assert run_replay(request) == 0
    lines = [json.loads(line) for line in (tmp_path / "out" / "session.jsonl").read_text().splitlines()]
    assert [[call["status"] for call in line["tool_calls"]] for line in lines] == [
        ["waiting_confirmation"],
        [],
        ["completed"],
    ]
    assert lines[2]["tool_calls"][0] == {
        "name": "pay_bill",
        "arguments": ARGUMENTS,
        "result": {"receipt": "R17"},
        "status": "completed",
    }
    assert [line["inner_state_after"]["status"] for line in lines] == [
        "waiting_confirmation",
        "waiting_confirmation",
        "completed",
    ]
    assert "pay_bill" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_chat_books_a_room_and_keeps_it_for_the_next_one(tmp_path):
    span = {"date": "2026-03-11", "start": "10:00", "end": "12:00"}
    behaviours = [
        calls(("book_meeting_room", {"room": "A302", **span})),
        says("A302 on March 11 from ten to twelve. Shall I book it?"),
        says("A302 is booked."),
        calls(("search_meeting_rooms", span)),
        says("Four rooms are free."),
    ]
    with serving(*behaviours) as address:
        overrides = [f"memory.data_dir={tmp_path}", f"llm.base_url={address}", "tools.meeting_rooms=true"]
        settings = load_settings(None, overrides, environ={})

        def chat(*lines: str) -> list[str]:
            printed = io.StringIO()
            text = io.StringIO("".join(f"{line}\n" for line in lines))
            assert run_chat(settings, Console(file=printed, width=200), text) == 0
            return [line.partition(": ")[2] for line in printed.getvalue().splitlines() if line.startswith("Joe:")]

        assert chat("Book A302 on March 11 from ten to twelve.", "Yes, please do.") == [
            "A302 on March 11 from ten to twelve. Shall I book it?",
            "A302 is booked.",
        ]
        assert chat("What is free on March 11 from ten to twelve?") == ["Four rooms are free."]
    files = [path.name for path in Path(tmp_path / "tools").iterdir()]
    assert "meeting_rooms.sqlite3" in files
