"""The reply is read out of whatever a model writes, as it is written; the update only out of sound JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.reply_json import PREAMBLE_CHARS, ReplyResult, ReplyStream
from processors.reply_salvage import has_words


def read(*pieces: str) -> tuple[str, ReplyResult]:
    """What was streamed, and the result."""
    stream = ReplyStream()
    fed = "".join([stream.feed(piece) for piece in pieces])
    result = stream.finish()
    assert fed + result.rest == result.reply
    return fed, result


TEXTS = st.text(max_size=40)
ESCAPE_HEAVY = st.text(alphabet='"\\/\b\f\n\r\tu{}[]:, \u0000😀𝄞é中', max_size=30)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS | ESCAPE_HEAVY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("reply"), inner, max_size=3),
    max_leaves=8,
)
UPDATES = st.none() | st.dictionaries(TEXTS | st.just("reply"), JSON_VALUES, max_size=4)


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A valid answer as JSON text in one of the ways to write it, and what it says."""
    reply = draw(TEXTS | ESCAPE_HEAVY)
    extra = draw(st.dictionaries(TEXTS, JSON_VALUES, max_size=2))
    entries = [*(extra | {"reply": reply, "state_update": draw(UPDATES)}).items()]
    answer = dict(draw(st.permutations(entries)))
    ascii_only = draw(st.booleans())
    text = json.dumps(answer, ensure_ascii=ascii_only, indent=draw(st.sampled_from([None, 0, 2, "\t"])))
    if ascii_only and draw(st.booleans()):
        text = text.replace("/", "\\/")
    return draw(st.sampled_from(["", "\n", "  "])) + text + draw(st.sampled_from(["", "\n"])), answer


@given(answers())
def test_the_streamed_text_of_a_valid_answer_is_its_reply(case: tuple[str, dict[str, Any]]) -> None:
    text, answer = case
    fed, result = read(*text)
    assert fed == answer["reply"]
    if has_words(fed):
        assert result == ReplyResult(answer["reply"], answer["state_update"], None)
    else:
        assert result.state_update is None
        assert result.problem is not None


@given(answers())
def test_every_character_of_a_reply_comes_at_once(case: tuple[str, dict[str, Any]]) -> None:
    """Behind the reply's opening quote nothing waits but an escape that is not complete."""
    reply = case[1]["reply"]
    stream = ReplyStream()
    stream.feed('{"reply": "')
    for character in reply:
        escaped = json.dumps(character)[1:-1]
        assert stream.feed(escaped) == character
        assert not stream.is_written
    assert stream.feed('"') == ""
    assert stream.is_written


FRAGMENTS = st.sampled_from(
    [
        *"{}[]\",:\\`\n '“”=.",
        '{"reply": "',
        '"state_update": {',
        "\\u12",
        "\\ud83d",
        "\\ude00",
        "```json\n",
        "reply",
        "null",
        "-1e5",
        "Sure, room four.",
        "好的。",
        "\ud800",
    ]
)
GARBAGE = st.lists(FRAGMENTS | TEXTS, max_size=25).map("".join)


@given(GARBAGE | answers().map(lambda case: case[0]), st.data())
def test_how_an_answer_is_cut_changes_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(*pieces) == read(*text)


@given(answers(), st.integers(0, 200))
def test_a_truncated_answer_says_what_it_has_and_changes_nothing(case: tuple[str, dict[str, Any]], cut: int) -> None:
    text, answer = case
    part = text[: min(cut, len(text.rstrip()) - 1)]
    fed, result = read(*part)
    assert answer["reply"].startswith(fed[:-1])
    assert result.state_update is None
    assert result.problem is not None


@given(GARBAGE)
def test_garbage_is_never_an_update(text: str) -> None:
    _, result = read(text)
    json.dumps([result.reply, result.state_update], ensure_ascii=False)
    if result.state_update is not None:
        assert result.problem is None
        assert json.loads(text)["reply"] == result.reply


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 50_000, '{"reply": "' + "x" * 200_000, "{" * 50_000, "`{" * 50_000, '{"k' + "k" * 200_000]
    + [
        '{"a": "' + "\\u" * 50_000,
        '{"reply": ' + "9" * 100_000,
        ":" * 100_000,
        '{"reply": "' + '"x' * 50_000,
        "好" * 50_000,
    ],
)
def test_long_garbage_is_read_in_linear_time(text: str) -> None:
    read(text)


REPLY = "I found room four."
UPDATE = {"facts": {"room": "4"}}
WHOLE = json.dumps({"reply": REPLY, "state_update": UPDATE})

MALFORMED = {
    "fenced": f"```json\n{WHOLE}\n```",
    "fenced without a name": f"```\n{WHOLE}```",
    "behind prose": f"Sure! Here is the JSON you asked for:\n\n{WHOLE}",
    "behind prose and in a fence": f"Of course. This is my answer:\n```json\n{WHOLE}\n```\nI hope that helps!",
    "prose behind it": f"{WHOLE}\n\nLet me know if you need anything else.",
    "twice": WHOLE + WHOLE,
    "on two lines": f"{WHOLE}\n{WHOLE}",
    "cut in the update": WHOLE[:-12],
    "cut behind the reply": WHOLE[: WHOLE.index(",")],
    "never closed": WHOLE[:-1],
    "closed too often": WHOLE + "}",
    "two braces": "{" + WHOLE + "}",
    "no brace": WHOLE[1:],
    "in a list": f"[{WHOLE}]",
    "in an object": '{"turn": ' + WHOLE + "}",
    "a list of words": '{"reply": ["I found", "room four."], "state_update": {"facts": {"room": "4"}}}',
    "an object of words": '{"reply": {"text": "I found room four."}, "state_update": {"facts": {"room": "4"}}}',
    "another key": '{"response": "I found room four.", "state_update": {"facts": {"room": "4"}}}',
    "a capital": '{"Reply": "I found room four.", "state_update": {"facts": {"room": "4"}}}',
    "an unknown key": '{"mood": "glad", "line": "I found room four.", "state_update": {"facts": {"room": "4"}}}',
    "an update that is a text": '{"reply": "I found room four.", "state_update": "room 4"}',
    "an update that is a list": '{"reply": "I found room four.", "state_update": [{"facts": {"room": "4"}}]}',
    "single quotes": str({"reply": REPLY, "state_update": UPDATE}),
    "curly quotes": WHOLE.replace('"', "”"),
    "no quotes": "{reply: I found room four., state_update: {facts: {room: 4}}}",
    "keys without quotes": '{reply: "I found room four.", state_update: {"facts": {"room": "4"}}}',
    "a missing comma": WHOLE.replace(",", "", 1),
    "a surplus comma": WHOLE[:-1] + ",}",
    "a comment": WHOLE[:-1] + " // done\n}",
    "not a number": WHOLE.replace('"4"', "NaN"),
    "YAML": "reply: I found room four.\nstate_update:\n  facts:\n    room: 4",
    "given twice": '{"reply": "I found room four.", "reply": "Or five.", "state_update": {"facts": {"room": "4"}}}',
    "plain text": REPLY,
    "a text in quotes": f'"{REPLY}"',
    "plain text in a fence": f"```\n{REPLY}\n```",
    "plain text with an update": f'{REPLY} {{"state_update": {{"facts": {{"room": "4"}}}}}}',
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_answer_is_spoken_and_changes_nothing(name: str) -> None:
    _, result = read(*MALFORMED[name])
    assert result.reply.strip() == REPLY
    assert result.state_update is None
    assert result.problem


@pytest.mark.parametrize(
    "text",
    ["", " \n", "{", "{}", "[]", "null", '{"rep', '{"reply": "', '{"reply": null, "state_update": {"task": "x"}}']
    + [
        '{"reply": "", "state_update": {"task": "x"}}',
        '{"reply": true}',
        '{"state_update": {"task": "x"}}',
        "```json\n```",
    ]
    + ['{"reply": "…", "state_update": {"task": "x"}}'],
)
def test_an_answer_without_words_says_nothing_and_changes_nothing(text: str) -> None:
    _, result = read(*text)
    assert not has_words(result.reply)
    assert result.state_update is None
    assert result.problem


def test_what_is_not_escaped_is_read_anyway() -> None:
    assert read('{"reply": "He said "hi", twice.\nThen "bye".", "state_update": {}}')[1].reply == (
        'He said "hi", twice.\nThen "bye".'
    )
    assert read(*"{'reply': 'I'm here, it's fine.'}")[1].reply == "I'm here, it's fine."
    assert read('{"reply": "a\\x b\\u12 c\\ud83d d"}')[1].reply == "ax b c\ufffd d"


def test_a_number_can_be_said() -> None:
    assert read('{"reply": 42}')[1].reply == "42"
    assert read("42")[1].reply == "42"


def test_a_plain_answer_streams_once_it_is_clear_that_it_is_one() -> None:
    text = "There are four rooms free tomorrow morning, and three of them have a window. " * 3
    stream = ReplyStream()
    streamed = [stream.feed(character) for character in text]
    assert all(streamed[PREAMBLE_CHARS:])
    assert "".join(streamed) + stream.finish().rest == text
    mandarin = "明天上午有四间会议室空着，其中三间靠窗，都可以坐六个人，您想要哪一间呢？我可以先帮您看看。"
    assert len(read(mandarin)[0]) == len(mandarin)


def test_braces_in_a_plain_answer_are_text() -> None:
    for text in ("Call it {name}, or {0}.", "A `{x}` and a { brace.", "A set is {1, 2}. " * 10):
        assert read(*text)[1].reply == text


def test_json_behind_a_long_text_is_not_spoken() -> None:
    text = "Let me think about what the user wants. They want a room with a window, and they want it tomorrow. "
    for json_text in (WHOLE, f"```json\n{WHOLE}\n```"):
        _, result = read(*(text * 2 + json_text))
        assert result.reply == f"{text * 2} {REPLY}"


def test_an_update_holds_nothing_that_cannot_be_written() -> None:
    _, result = read('{"reply": "Hi.", "state_update": {"task": "a\\ud83d"}}')
    assert result.state_update == {"task": "a?"}


@pytest.mark.parametrize("text", ['{"reply": "Hi."}', '{"reply": "Hi.", "state_update": null}'])
def test_an_answer_needs_no_update(text: str) -> None:
    assert read(text)[1] == ReplyResult("Hi.", None, None)


@pytest.mark.parametrize(
    "character", ["\U00010000", "\U000103ff", "\U0010fc00", "\U0010ffff", "\ud7ff", "\ue000", "\uffff", "\0"]
)
def test_escaped_characters_at_the_edges(character: str) -> None:
    assert read(*json.dumps({"reply": f"a{character}b"}))[0] == f"a{character}b"


@pytest.mark.parametrize("half", ["\\ud800", "\\udbff", "\\udc00", "\\udfff", "\\ud83d\\ud83d", "\\ude00\\ud83d"])
def test_half_a_pair_is_replaced(half: str) -> None:
    fed, result = read(*f'{{"reply": "a{half}b", "state_update": {{}}}}')
    assert fed == "a" + "\ufffd" * (len(half) // 6) + "b"
    assert result.state_update == {}
