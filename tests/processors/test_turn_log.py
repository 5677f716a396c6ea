"""The turn log: whole lines only, also on a full disk and with text that is no Unicode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.errors import UserError
from processors.turn_log import TurnLog
from processors.turn_record import TurnRecord
from tests.disk import full_beyond


def turn(number: int, text: str = "My dog is called Bruno.") -> TurnRecord:
    record = TurnRecord(session_id="s", turn_id=number, user_id="u", started_at=0.0, language="en")
    record.user_text = text
    return record


def texts(path: Path) -> list[str]:
    return [json.loads(line)["user_text"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_turn_is_there_when_write_returns(tmp_path):
    log = TurnLog(tmp_path / "s.jsonl")
    log.write(turn(1, "我的狗叫布鲁诺。🎤"))
    assert texts(tmp_path / "s.jsonl") == ["我的狗叫布鲁诺。🎤"]
    log.close()
    log.close()


def test_half_a_surrogate_pair_is_written_as_json_escapes_it(tmp_path):
    log = TurnLog(tmp_path / "s.jsonl")
    log.write(turn(1, "a\ud83db"))
    log.close()
    assert texts(tmp_path / "s.jsonl") == ["a\ud83db"]


def test_a_full_disk_leaves_whole_lines_and_a_turn_that_waits_for_room(tmp_path):
    path = tmp_path / "s.jsonl"
    log = TurnLog(path)
    log.write(turn(1, "one"))
    with full_beyond(path.stat().st_size + 100), pytest.raises(UserError, match=r"s\.jsonl: cannot write"):
        log.write(turn(2, "two"))
    assert texts(path) == ["one"]
    log.write(turn(3, "three"))
    log.close()
    assert texts(path) == ["one", "two", "three"]


def test_a_turn_that_is_lost_in_the_end_is_told(tmp_path):
    path = tmp_path / "s.jsonl"
    log = TurnLog(path)
    with full_beyond(10):
        with pytest.raises(UserError):
            log.write(turn(1))
        with pytest.raises(UserError, match=r"s\.jsonl"):
            log.close()
    log.close()
    assert texts(path) == []
