"""The typed conversation: answers, memory, the end of the input."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipeline.chat_command import run_chat
from pipeline.settings import load_settings


@pytest.mark.weights
@pytest.mark.parametrize(
    ("language", "fact", "question", "answer"),
    [
        ("en", "My dog is called Bruno.", "What is my dog's name?", "Bruno"),
        ("zh", "我的小狗叫小白。", "我的小狗叫什么名字？", "小白"),
    ],
)
def test_a_fact_is_answered_in_the_next_turn_and_in_the_next_chat(weights, tmp_path, language, fact, question, answer):
    weights("smollm2-135m")
    overrides = [f"memory.data_dir={tmp_path}", f"agent.language={language}", f"asr.language={language}"]
    settings = load_settings(None, overrides, environ={})

    def chat(*lines: str) -> list[str]:
        printed = io.StringIO()
        console = Console(file=printed, width=200)
        code = run_chat(settings, console, io.StringIO("".join(f"{line}\n" for line in lines)))
        assert code == 0
        return [line for line in printed.getvalue().splitlines() if line.startswith(f"{settings.agent.name}:")]

    first, second = chat(fact, question)
    assert answer in second
    (later,) = chat(question)
    assert answer in later
    assert first != second


@pytest.mark.weights
def test_an_empty_input_ends_at_once(weights, tmp_path):
    weights("smollm2-135m")
    settings = load_settings(None, [f"memory.data_dir={tmp_path}"], environ={})
    assert run_chat(settings, Console(file=io.StringIO()), io.StringIO("\n  \n")) == 0
