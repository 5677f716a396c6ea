"""The agent's own voice in the microphone, with real weights: what the canceller left is no user turn."""

from __future__ import annotations

import json
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from pipeline.command_line import run

ECHO_DB = -10.0
ECHO_DELAY_S = 0.06


def replay(monkeypatch: pytest.MonkeyPatch, source: Path, out: Path) -> list[dict]:
    monkeypatch.setattr(sys, "argv", ["innervoice", "replay", str(source), "--fast", "--out", str(out), "--offline"])
    assert run() == 0
    return [json.loads(line) for line in (out / "session.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.weights
def test_an_echo_that_the_canceller_left_begins_no_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, weights: object
) -> None:
    for name in ("whisper-base", "piper-en-joe", "smollm2-135m"):
        weights(name)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    scenario = tmp_path / "s.yaml"
    scenario.write_text("turns:\n  - say: I like window seats, and my sister works in a small library.\n")
    (clean,) = replay(monkeypatch, scenario, tmp_path / "clean")
    with wave.open(str(tmp_path / "clean" / "conversation.wav")) as file:
        rate = file.getframerate()
        user, agent = np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, 2).T.astype(float)
    assert np.abs(agent).max() > 3000
    echo = 10 ** (ECHO_DB / 20) * np.roll(agent, int(ECHO_DELAY_S * rate))
    with wave.open(str(tmp_path / "mic.wav"), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((user + echo).clip(-32768, 32767).astype("<i2").tobytes())
    lines = replay(monkeypatch, tmp_path / "mic.wav", tmp_path / "echo")
    finals = [event["text"] for event in lines[0]["timeline"] if event["kind"] == "final"]
    assert len(finals) > sum(event["kind"] == "final" for event in clean["timeline"]), "the echo was not heard at all"
    assert [(line["user_text"], line["interrupted"]) for line in lines] == [(clean["user_text"], False)]
    assert lines[0]["heard_text"] == clean["heard_text"] == clean["reply_text"]
    assert [word for word, _, _ in lines[0]["user_words"]] == [word for word, _, _ in clean["user_words"]]
