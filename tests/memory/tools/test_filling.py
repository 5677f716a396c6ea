"""Arguments from facts, results as facts and options, and whether arguments fit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.state_tools import MAX_OPTIONS, MAX_RESULT_CHARS
from memory.tools.arguments import WrongArguments, check_arguments, same_call
from memory.tools.filling import fill, revise
from memory.tools.names import kind_of, step_of, topics_of, words_of
from memory.tools.outcome import read_result
from memory.tools.spec import ToolSpec

FACTS = {
    "date": "2026-03-11",
    "time_range": "10:00-12:00",
    "people": "4",
    "amount": "84.5 EUR",
    "city": "Oslo",
    "order": "ORD123",
    "room": "A302",
    "equipment": "projector",
}


def spec(required: tuple[str, ...] = (), **properties: object) -> ToolSpec:
    typed = {name: value if isinstance(value, dict) else {"type": value} for name, value in properties.items()}
    return ToolSpec("tool", "", {"type": "object", "properties": typed, "required": list(required)})


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        ("date", "string", "2026-03-11"),
        ("startDate", "string", "2026-03-11"),
        ("start_time", "string", "10:00"),
        ("end", "string", "12:00"),
        ("time_range", "string", "10:00-12:00"),
        ("party_size", "integer", 4),
        ("amount", "number", 84.5),
        ("amount", "string", "84.5 EUR"),
        ("currency", "string", "EUR"),
        ("location", "string", "Oslo"),
        ("tracking_number", "string", "ORD123"),
        ("roomId", "string", "A302"),
        ("features", {"type": "array", "items": {"enum": ["projector", "window"]}}, ["projector"]),
        ("日期", "string", "2026-03-11"),
        ("开始时间", "string", "10:00"),
        ("人数", "integer", 4),
        ("金额", "number", 84.5),
        ("订单号", "string", "ORD123"),
        ("whatever", "string", None),
        ("people", "boolean", None),
    ],
)
def test_a_parameter_finds_its_fact(name, schema, value):
    assert fill(spec(**{name: schema}), FACTS).arguments.get(name) == value


def test_what_is_missing_is_named():
    filled = fill(spec(("date", "person", "task"), date="string", person="string", task="string"), FACTS, task="call")
    assert filled.missing == ("person",)
    assert filled.arguments == {"date": "2026-03-11", "task": "call"}


@pytest.mark.parametrize(
    ("arguments", "after", "revised"),
    [
        ({"amount": 84.5}, {"amount": "90 EUR"}, {"amount": 90}),
        ({"amount": "84.5 EUR"}, {"amount": "90 EUR"}, {"amount": "90 EUR"}),
        ({"from": "10:00", "to": "12:00"}, {"time_range": "14:00-16:00"}, {"from": "14:00", "to": "16:00"}),
        ({"room": "A302", "people": 4}, {"room": "B1"}, {"room": "B1", "people": 4}),
        ({"who": "Anna"}, {"amount": "90 EUR"}, None),
        ({"who": "Anna"}, {"floor": "2"}, {"who": "Anna"}),
    ],
)
def test_a_changed_fact_changes_the_arguments_made_from_it(arguments, after, revised):
    assert revise(arguments, FACTS, FACTS | after) == revised


@pytest.mark.parametrize(
    ("name", "words", "kind", "topics", "steps"),
    [
        ("search_rooms", ["search", "rooms"], "find", ("room",), ("searched rooms", "查询会议室")),
        (
            "getWeatherForecast",
            ["get", "weather", "forecast"],
            "find",
            ("weather",),
            ("got weather forecast", "查询天气"),
        ),
        ("pay-bill", ["pay", "bill"], "act", ("payment",), ("paid bill", "支付费用")),
        ("track_order", ["track", "order"], "find", ("order",), ("tracked order", "查询订单")),
    ],
)
def test_a_name_tells_what_a_tool_is_about(name, words, kind, topics, steps):
    tool = ToolSpec(name, "")
    assert (words_of(name), kind_of(tool), topics_of(tool)) == (words, kind, topics)
    assert (step_of(tool, "en"), step_of(tool, "zh")) == steps


def test_listed_things_become_options():
    outcome = read_result(
        [{"room": "A302", "window": True}, {"room": "B101", "projector": True, "seats": 4}, {"room": "C"}]
    )
    assert [(option.type, option.id, option.description) for option in outcome.options] == [
        ("room", "A302", "window"),
        ("room", "B101", "projector"),
        ("room", "C", ""),
    ]
    assert outcome.options[1].details == {"projector": "true", "seats": "4"}
    assert read_result('{"rooms": [{"room": "A1"}], "day": "today"}').options[0].id == "A1"
    assert read_result({"code": "T2093", "ok": True}).facts == {"code": "T2093"}
    assert read_result([]).count == 0 and read_result("fine").count is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=10), inner, max_size=8),
    max_leaves=40,
)


@given(result=JSON | st.binary(max_size=40) | st.builds(object) | st.sets(st.integers(), max_size=3))
def test_any_result_is_read_and_bounded(result):
    outcome = read_result(result)
    assert len(outcome.text) <= MAX_RESULT_CHARS
    assert len(outcome.options) <= MAX_OPTIONS and len(outcome.facts) <= 4
    json.dumps(outcome.value, allow_nan=False).encode()
    outcome.text.encode()


@given(arguments=JSON)
def test_any_arguments_fit_or_are_named(arguments):
    tool = spec(("amount",), amount="number", who="string", tags="array")
    try:
        fitting = check_arguments(tool, arguments)
    except WrongArguments as error:
        assert str(error)
    else:
        assert isinstance(fitting["amount"], int | float) and not isinstance(fitting["amount"], bool)
        assert set(fitting) <= {"amount", "who", "tags"}


def test_small_slips_are_mended():
    tool = spec(("amount",), amount="number", who="string", ok="boolean", mood={"type": "string", "enum": ["Glad"]})
    mended = check_arguments(tool, {"amount": "84", "who": 7, "ok": "True", "mood": "glad", "more": 1})
    assert mended == {"amount": 84, "who": "7", "ok": True, "mood": "Glad"}
    for wrong in ({"amount": "much"}, {"amount": True}, {"amount": 1, "mood": "sad"}, {}, {"amount": None}, [1], "x"):
        with pytest.raises(WrongArguments):
            check_arguments(tool, wrong)


def test_the_same_call_is_known_in_other_spelling():
    assert same_call({"a": 84, "b": "Anna "}, {"b": "anna", "a": 84.0, "c": None})
    assert not same_call({"a": 84}, {"a": 85})
