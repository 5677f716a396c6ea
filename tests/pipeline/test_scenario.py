import json
import textwrap

import pytest

from memory.errors import UserError
from pipeline.scenario import load_scenario


def write(tmp_path, text: str):
    path = tmp_path / "s.yaml"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def test_a_scenario_with_everything(tmp_path):
    scenario = load_scenario(
        write(
            tmp_path,
            """
            user: anna
            language: zh
            clock: 2026-03-10T09:00:00
            tools:
              book_table: {description: "Book", parameters: {type: object}, returns: {code: T2093}, risky: true}
            turns:
              - say: "你好"
              - say: "等等"
                when: {into_reply: 1.2}
              - say: "早上好"
                new_session: {clock: 2026-03-11T08:30:00}
            """,
        )
    )
    assert scenario.clock is not None and scenario.clock.hour == 9
    assert scenario.turns[1].when is not None and scenario.turns[1].when.into_reply == 1.2
    assert scenario.turns[2].new_session is not None
    assert scenario.tools["book_table"].risky


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("turns: []", ["turns"]),
        ("just words", ["turns"]),
        ("turns: [{say: hi, audio: a.wav}]", ["turns.0", "either"]),
        ("turns: [{}]", ["turns.0", "either"]),
        ("turns: [{say: '  '}]", ["turns.0", "empty"]),
        ("turns: [{audio: missing.wav}]", ["turns.0.audio", "missing.wav", "no such file"]),
        ("turns: [{say: hi, when: {into_reply: -1}}]", ["turns.0.when.into_reply"]),
        ("turns: [{say: hi, when: {into_reply: 1}}]", ["turns.0.when", "before the first"]),
        ("turnz: [{say: hi}]", ["turnz"]),
        ("turns: [{say: hi, wen: 1}]", ["turns.0.wen", "unknown key"]),
        ("language: fr\nturns: [{say: hi}]", ["language"]),
        ("turns: [{say: hi}\n", ["YAML"]),
        ("turns: [{say: hi}]\nturns: [{say: ho}]\n", ["line 2", "turns is there twice"]),
        ("turns: " + "[" * 3000, ["not valid YAML"]),
        ('turns: [{say: "a\x01"}]', ["U+0001"]),
        ("clock: 2026-13-45\nturns: [{say: hi}]", ["not valid YAML", "month"]),
        ("clock: 0001-01-01T00:00:00\nturns: [{say: hi}]", ["clock", "1970"]),
        ("clock: 9999-12-31T23:59:59\nturns: [{say: hi}]", ["clock", "2999"]),
        ("turns: [{say: hi}, {say: ho, when: {into_reply: .inf}}]", ["turns.1.when.into_reply", "finite"]),
        ("turns: [{say: hi}, {say: ho, when: {into_reply: .nan}}]", ["turns.1.when.into_reply"]),
        ("turns: [{say: hi}, {say: ho, new_session: {}, when: {into_reply: 1}}]", ["turns.1.when", "first turn"]),
        ("user: ' '\nturns: [{say: hi}]", ["user", "empty"]),
        ("clock: tomorrow\nturns: [{say: hi}]", ["clock"]),
    ],
)
def test_bad_scenarios_end_in_one_line_that_names_the_place(tmp_path, text, words):
    path = write(tmp_path, text)
    with pytest.raises(UserError) as error:
        load_scenario(path)
    message = str(error.value)
    assert "\n" not in message
    for word in [str(path), *words]:
        assert word in message


def test_characters_that_json_wrote_in_two_halves_are_whole(tmp_path):
    scenario = load_scenario(write(tmp_path, json.dumps({"turns": [{"say": "I sing 🎤"}, {"say": "half \ud83d"}]})))
    assert [turn.say for turn in scenario.turns] == ["I sing 🎤", "half \ufffd"]


def test_unreadable_files(tmp_path):
    with pytest.raises(UserError, match=r"gone\.yaml"):
        load_scenario(tmp_path / "gone.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(UserError, match=r"binary\.yaml"):
        load_scenario(tmp_path / "binary.yaml")
