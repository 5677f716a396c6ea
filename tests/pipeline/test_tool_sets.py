"""Where tools come from: functions, the example, entries of the settings, scenarios, MCP servers."""

from __future__ import annotations

import asyncio
import json
import sys
from enum import Enum
from pathlib import Path

import pytest

from memory.errors import UserError
from memory.tools.spec import ToolError
from pipeline.scenario import load_scenario
from pipeline.settings import load_settings
from pipeline.tools import tool
from pipeline.tools.context import ToolContext
from pipeline.tools.loading import load_entry, open_tools
from pipeline.tools.meeting_rooms import FILE, MeetingRooms, make_tools
from pipeline.tools.scripted import scenario_tools
from tests.fakes.openai_server import calls, says
from tests.pipeline.tool_dialogues import converse, statuses


class Colour(Enum):
    RED = "red"


def test_a_function_is_a_tool():
    @tool(risky=True)
    async def paint(wall: str, colour: Colour, litres: float = 1.5, note: str | None = None) -> dict:
        """Paint a wall
        in a colour.

        It dries within a day.
        """
        return {"painted": wall, "litres": litres, "colour": colour.value}

    assert (paint.spec.name, paint.spec.risky) == ("paint", True)
    assert paint.spec.description == "Paint a wall in a colour."
    assert paint.spec.required == ("wall", "colour")
    assert paint.spec.properties["colour"] == {"enum": ["red"], "type": "string"}
    assert paint.spec.properties["note"] == {"type": "string", "default": None}
    made = asyncio.run(paint.call({"wall": "north", "colour": "red"}))
    assert made == {"painted": "north", "litres": 1.5, "colour": "red"}
    with pytest.raises(ToolError, match="colour"):
        asyncio.run(paint.call({"wall": "north", "colour": "blue"}))


def test_rooms_are_found_and_booked_once(tmp_path):
    rooms = MeetingRooms(tmp_path / FILE)
    free = rooms.free("2026-03-11", "10:00", "12:00")
    assert {"room": "A302", "seats": 6, "window": True} in free
    assert [room["room"] for room in rooms.free("2026-03-11", "10:00", "12:00", 7, ("projector",))] == ["B101", "D410"]
    assert rooms.book("a302", "2026-03-11", "10:00", "12:00") == {"room": "A302", "booking": "R0001"}
    again = MeetingRooms(tmp_path / FILE)
    assert "A302" not in [room["room"] for room in again.free("2026-03-11", "11:30", "13:00")]
    assert "A302" in [room["room"] for room in again.free("2026-03-11", "12:00", "13:00")]
    assert "A302" in [room["room"] for room in again.free("2026-03-12", "10:00", "12:00")]
    with pytest.raises(ToolError, match="taken"):
        again.book("A302", "2026-03-11", "9:00", "10:30")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("Z9", "2026-03-11", "10:00", "12:00"), "no room Z9"),
        (("A302", "2026-02-30", "10:00", "12:00"), "no date"),
        (("A302", "2026-03-11", "ten", "12:00"), "no time"),
        (("A302", "2026-03-11", "12:00", "10:00"), "not after"),
    ],
)
def test_what_cannot_be_booked_is_said(tmp_path, arguments, complaint):
    with pytest.raises(ToolError, match=complaint):
        MeetingRooms(tmp_path / FILE).book(*arguments)


def test_the_example_is_used_by_one_setting_and_lives_beside_the_memory(tmp_path):
    settings = load_settings(None, ["tools.meeting_rooms=true"], environ={})

    async def names() -> list[str]:
        async with open_tools(settings, tmp_path) as tools:
            return [made.spec.name for made in tools]

    assert asyncio.run(names()) == ["search_meeting_rooms", "book_meeting_room"]
    assert (tmp_path / "tools" / FILE).exists()


def test_a_scenario_s_tools_win_over_others_of_their_name(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        "tools:\n  search_meeting_rooms: [{room: X1}]\n  slow: {delay_s: 1, error: no luck}\nturns: [{say: Hi}]\n"
    )
    settings = load_settings(None, ["tools.meeting_rooms=true"], environ={})

    async def call() -> object:
        async with open_tools(settings, tmp_path, extra=scenario_tools(load_scenario(path))) as tools:
            by_name = {made.spec.name: made for made in tools}
            assert list(by_name) == ["search_meeting_rooms", "slow", "book_meeting_room"]
            with pytest.raises(ToolError, match="no luck"):
                await by_name["slow"].call({})
            return await by_name["search_meeting_rooms"].call({})

    assert asyncio.run(call()) == [{"room": "X1"}]


@pytest.mark.parametrize(
    ("tools", "complaint"),
    [
        ("{two words: {}}", "tools"),
        ("{a: {parameters: {time: string}}}", "tools.a.parameters: expected a JSON schema"),
        ("{a: {delay_s: -1}}", "tools.a.delay_s"),
        ("{a: {return: 1}}", "tools.a.return: unknown key"),
    ],
)
def test_a_wrong_scenario_tool_is_named(tmp_path, tools, complaint):
    path = tmp_path / "s.yaml"
    path.write_text(f"tools: {tools}\nturns: [{{say: Hi}}]\n")
    with pytest.raises(UserError, match="(?s)" + complaint):
        load_scenario(path)


MODULE = """
from pipeline.tools import tool

@tool
def hello(name: str) -> str:
    "Say hello."
    return f"Hello {name}"

both = [hello]

def make(context):
    return [hello]

def broken(context):
    raise RuntimeError("no")

number = 5
"""


def test_tools_of_one_s_own_are_named_in_the_settings(tmp_path, monkeypatch):
    (tmp_path / "my_own_tools.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    context = ToolContext(tmp_path / "data", "anna", "en")
    for entry in ("hello", "both", "make"):
        (made,) = load_entry(f"my_own_tools:{entry}", context)
        assert asyncio.run(made.call({"name": "Bo"})) == "Hello Bo"
    for entry, complaint in (
        ("my_own_tools:number", "expected a tool"),
        ("my_own_tools:broken", "made no tools: RuntimeError"),
        ("my_own_tools:absent", "has no absent"),
        ("not_there_at_all:x", "cannot be imported"),
    ):
        with pytest.raises(UserError, match=f"tools.use: {entry}.*{complaint}"):
            load_entry(entry, context)
    with pytest.raises(UserError, match=r"tools.use: expected entries such as"):
        load_settings(None, ["tools.use=[hello]"], environ={})
    with pytest.raises(UserError, match=r"tools.mcp.0: needs either"):
        load_settings(None, ["tools.mcp=[{name: x}]"], environ={})


def test_the_example_is_booked_in_a_conversation(tmp_path):
    context = ToolContext(tmp_path / "tools", "anna", "en")
    span = {"date": "2026-03-11", "start": "10:00", "end": "12:00"}
    lines, _ = converse(
        tmp_path,
        make_tools(context),
        ["Find me a free meeting room tomorrow from ten to twelve.", "Book A302.", "Yes, go ahead."],
        calls(("search_meeting_rooms", span)),
        says("A302 by the window is free."),
        calls(("book_meeting_room", {"room": "A302", **span})),
        says("A302 tomorrow from ten to twelve. Shall I book it?"),
        says("A302 is booked for you."),
    )
    assert [statuses(line) for line in lines] == [["completed"], ["waiting_confirmation"], ["completed"]]
    assert lines[2]["tool_calls"][0]["result"] == {"room": "A302", "booking": "R0001"}
    state = lines[2]["inner_state_after"]
    assert (state["status"], state["facts"]["room"], state["facts"]["booking"]) == ("completed", "A302", "R0001")
    assert lines[2]["heard_text"] == "A302 is booked for you."


# --- MCP

SERVER = Path(__file__).parents[1] / "fakes" / "mcp_server.py"
needs_mcp = pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("mcp") is None, reason="the package mcp is not installed"
)


def mcp_settings(*servers: dict):
    return load_settings(None, [f"tools.mcp={json.dumps(servers)}"], environ={})


@needs_mcp
def test_an_mcp_server_s_tools_are_called(tmp_path):
    own = {"name": "sheep", "command": sys.executable, "args": [str(SERVER)]}

    async def use() -> None:
        async with open_tools(mcp_settings(own), tmp_path) as tools:
            by_name = {made.spec.name: made for made in tools}
            assert {name: made.spec.risky for name, made in by_name.items()} == {
                "count_sheep": False,
                "send_sheep": True,
            }
            count = by_name["count_sheep"]
            assert count.spec.description == "Count the sheep in a field."
            assert count.spec.required == ("field",)
            assert json.loads(await count.call({"field": "north"})) == {"field": "north", "sheep": 7}

    asyncio.run(use())


@needs_mcp
def test_an_mcp_server_that_is_down_costs_its_tools_only(tmp_path):
    said: list[str] = []
    servers = (
        {"name": "gone", "command": str(tmp_path / "no-such-program")},
        {"name": "dead", "command": sys.executable, "args": ["-c", "raise SystemExit(3)"]},
        {"name": "far", "url": "http://127.0.0.1:9/mcp"},
        {"name": "sheep", "command": sys.executable, "args": [str(SERVER)], "only": ["count_sheep"]},
    )

    async def use() -> list[str]:
        async with open_tools(mcp_settings(*servers), tmp_path, say=said.append) as tools:
            return [made.spec.name for made in tools]

    assert asyncio.run(use()) == ["count_sheep"]
    assert [line.split(":")[0] for line in said] == ["MCP server gone", "MCP server dead", "MCP server far"]
    assert all(line.endswith("its tools are not there") for line in said)


def test_without_the_package_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.tools.mcp_servers.importlib.util.find_spec", lambda name: None)
    said: list[str] = []

    async def use() -> None:
        async with open_tools(mcp_settings({"name": "x", "command": "x"}), tmp_path, say=said.append) as tools:
            assert tools == []

    asyncio.run(use())
    assert said == ["MCP server x: the package 'mcp' is missing; install innervoice[mcp]"]


def test_what_a_server_s_tools_risk_can_be_said(tmp_path):
    from pipeline.tools.mcp_servers import is_risky

    (server,) = mcp_settings({"name": "x", "command": "x", "risky": ["look"], "safe": ["send_ping"]}).tools.mcp
    risks = {name: is_risky(name, server) for name in ("look", "send_ping", "deleteFile", "list_files", "place-order")}
    assert risks == {"look": True, "send_ping": False, "deleteFile": True, "list_files": False, "place-order": True}
