"""The pure parts around the language model: dialects, thoughts, circles, failures, apologies."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.speech.apologies import apology
from pipeline.speech.dialect import Dialect
from pipeline.speech.llm_failure import Endpoint, scrub
from pipeline.speech.repetition import RepetitionGuard
from pipeline.speech.thoughts import ThoughtFilter

MESSAGES = [
    {"role": "system", "content": "You are Joe."},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hi."},
    {"role": "user", "content": "Bye."},
]


def request(dialect: Dialect) -> dict[str, Any]:
    return dialect.request({"model": "m", "messages": MESSAGES, "stream_options": {}}, max_tokens=9, temperature=0.5)


def test_openai_gets_its_own_name_for_the_limit() -> None:
    assert "max_completion_tokens" in request(Dialect.of("https://api.openai.com/v1", developer_role=True))
    assert "max_tokens" in request(Dialect.of("http://localhost:11434/v1", developer_role=False))


def test_a_dialect_is_learnt_step_by_step_and_comes_to_an_end() -> None:
    dialect = Dialect()
    for _ in range(2):
        assert dialect.learn("Extra fields not permitted: max_tokens")
    assert not {"max_tokens", "max_completion_tokens", "stream_options"} & set(request(dialect))
    assert dialect.learn("temperature must be 1")
    assert dialect.learn("Conversation roles must alternate user/assistant/user/assistant/...")
    assert request(dialect)["messages"] == [
        {"role": "user", "content": "You are Joe.\n\nHello."},
        *MESSAGES[2:],
    ]
    for complaint in ("max_tokens", "temperature", "system role", "developer", "something else"):
        assert not dialect.learn(complaint)


def test_a_server_is_held_to_as_much_json_as_it_takes() -> None:
    dialect = Dialect.of("http://localhost:8000/v1", developer_role=False, as_json=True)
    formats = []
    for _ in range(3):
        sent = dialect.request({"messages": MESSAGES}, max_tokens=9, temperature=0.5, schema={"type": "object"})
        formats.append(sent.get("response_format"))
        dialect.learn("This response_format type is unavailable now")
    assert formats == [
        {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}},
        {"type": "json_object"},
        None,
    ]
    assert not dialect.learn("This response_format type is unavailable now")


def test_a_refusal_without_a_reason_is_blamed_on_the_format_last() -> None:
    dialect = Dialect(json_format="json_object")
    assert dialect.learn("temperature must be 1")
    assert dialect.json_format == "json_object"
    assert dialect.learn("Bad request")
    assert dialect.json_format is None
    assert not dialect.learn("Bad request")


def test_a_request_never_changes_the_messages_it_is_made_from() -> None:
    before = copy.deepcopy(MESSAGES)
    request(Dialect(system_role=False))
    assert before == MESSAGES


TEXT = st.text(alphabet="ab <>/think", max_size=40)


@given(TEXT, st.lists(TEXT, max_size=3), st.data())
def test_thoughts_are_dropped_however_the_answer_is_cut(head: str, thoughts: list[str], data: st.DataObject) -> None:
    plain = [part.replace("<think>", "").replace("</think>", "").replace("<", "") for part in (head, *thoughts)]
    whole = plain[0] + "".join(f"<think>{part}</think>{part}" for part in plain[1:])
    expected = "".join(plain).lstrip()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=6)))
    reader = ThoughtFilter()
    spoken = "".join(reader.feed(whole[a:b]) for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True))
    assert spoken + reader.end() == expected


@given(st.text(alphabet="a<think/> ", max_size=60).filter(lambda text: "<think>" not in text))
def test_text_without_thoughts_arrives_whole(text: str) -> None:
    reader = ThoughtFilter()
    assert "".join(reader.feed(char) for char in text) + reader.end() == text.lstrip()


def test_a_thought_that_never_ends_is_never_spoken() -> None:
    reader = ThoughtFilter()
    assert reader.feed("Hm. <think>secret") + reader.feed(" more") + reader.end() == "Hm. "


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        ("I'm sorry, I'm sorry, I'm sorry, I'm sorry,", True),
        ("It is here. It is here.", True),
        ("You like tea and coffee and tea again. You like tea.", False),
        ("", False),
        ("您说过您喜欢喝茶。您喜欢靠窗的座位。", False),
    ],
)
def test_circles(text: str, circles: bool) -> None:
    guard = RepetitionGuard()
    assert any([guard.feed(char) for char in text]) is circles


def test_a_failure_shows_no_secret() -> None:
    endpoint = Endpoint("http://joe:pa55@host:8000/v1?token=t0k", "qwen", 20.0, ("sk-1", ""))
    detail = endpoint.failure("http_400", "bad\nkey sk-1 " + "x" * 500).detail
    assert detail.startswith("language model qwen at http://host:8000/v1: it refused the request: bad key ***")
    assert len(detail) < 250
    for secret in ("pa55", "t0k", "sk-1", "joe"):
        assert secret not in detail
        assert secret not in repr(endpoint) or secret != "sk-1"
    assert scrub("abc", [""]) == "abc"


@pytest.mark.parametrize("reason", ["http_401", "http_429", "http_500", "timeout", "unreachable", "garbage", "weights"])
def test_apologies_are_short_and_in_the_language(reason: str) -> None:
    english, mandarin = apology("en", reason), apology("zh", reason)
    assert english.startswith("Sorry")
    assert len(english.split()) < 20
    assert mandarin.startswith("抱歉")
    assert len(mandarin) < 30
    assert not any("a" <= char <= "z" for char in mandarin)
