"""Ctrl-C at any moment: what was said so far is kept, the files are closed and valid."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest

from memory.errors import UserError
from pipeline import interrupts, virtual_time
from pipeline.conversation import INPUT_RATE
from pipeline.memory_stores import MemoryStores, open_stores
from pipeline.output_folder import OutputFolder
from pipeline.player import Cue
from pipeline.replay_run import ReplaySinks, ReplaySummary, SessionPlan, replay
from pipeline.settings import Settings, load_settings
from tests.disk import full_beyond
from tests.fakes.scripted import ScriptedModels, Speech
from tests.pipeline.test_conversation import LONG_REPLY, play, silence

ROOT = Path(__file__).resolve().parent.parent.parent
SPEECHES = [
    Speech(0.5, 2.0, "My dog is called Bruno."),
    Speech(5.0, 6.5, "Wait, make it the afternoon."),
    Speech(11.0, 11.4, ""),
]


def settings_in(folder: Path) -> Settings:
    return load_settings(None, [f"memory.data_dir={folder / 'memory'}", "turn.silence_s=0.3"], environ={})


class Left:
    """What an interrupted conversation left behind."""

    def __init__(self, folder: Path, stores: MemoryStores, summary: ReplaySummary | None) -> None:
        self.lines = [json.loads(line) for line in (folder / "out" / "session.jsonl").read_text().splitlines()]
        self.remembered = [utterance.text for _, utterance in stores.journal.read("me")]
        self.summary = summary
        with wave.open(str(folder / "out" / "conversation.wav")) as file:
            self.seconds = file.getnframes() / INPUT_RATE


def interrupt_at(folder: Path, seconds: float, speeches: list[Speech] = SPEECHES) -> Left:
    settings = settings_in(folder)
    out = OutputFolder(folder / "out", INPUT_RATE)
    stores = open_stores(settings)
    models = ScriptedModels(speeches, [LONG_REPLY, "All right."])

    async def main() -> ReplaySummary:
        plan = SessionPlan([silence(60.0)])
        task = asyncio.ensure_future(replay(settings, models, stores, [plan], out, ReplaySinks()))
        await asyncio.sleep(seconds)
        task.cancel()
        return await task

    summary = virtual_time.run(main(), virtual=True)
    out.close()
    try:
        return Left(folder, stores, summary)
    finally:
        stores.close()


@pytest.mark.parametrize(
    "seconds", [0.001, 0.3, 0.9, 1.4, 1.9, 2.15, 2.3, 2.6, 3.0, 4.0, 5.3, 6.0, 6.7, 8.0, 11.2, 12.0]
)
def test_at_any_moment_the_files_are_valid_and_memory_holds_all_that_the_log_holds(tmp_path, seconds):
    left = interrupt_at(tmp_path, seconds)
    assert left.seconds == pytest.approx(seconds, abs=0.1)
    for line in left.lines:
        assert line["user_text"] in left.remembered
        assert not line["heard_text"] or line["heard_text"] in left.remembered
    assert left.summary is not None
    assert len(left.summary.turns) == len(left.lines)


@pytest.mark.parametrize(
    ("seconds", "words"), [(1.3, "My dog"), (1.75, "My dog is called"), (2.2, "My dog is called Bruno.")]
)
def test_half_a_sentence_is_kept(tmp_path, seconds, words):
    left = interrupt_at(tmp_path, seconds)
    assert left.remembered == [words]
    assert [line["user_text"] for line in left.lines] == [words]
    assert left.lines[0]["reply_text"] == left.lines[0]["heard_text"] == ""


@pytest.mark.parametrize(
    ("words", "said", "is_kept"),
    [
        ("Wait, make it the afternoon.", "Wait, make", True),
        ("不对 改成 下午 三点 见", "不对 改成", True),
        ("Mm-hmm, mm-hmm.", "", False),
    ],
)
def test_what_was_said_over_the_reply_is_kept_before_it_is_known_to_interrupt(tmp_path, words, said, is_kept):
    left = interrupt_at(tmp_path, 5.95, [SPEECHES[0], Speech(5.0, 7.0, words)])
    first, *rest = left.lines
    assert LONG_REPLY.startswith(first["heard_text"])
    assert first["interrupted"] is True
    assert [line["user_text"] for line in rest] == ([said] if is_kept else [])
    assert (said in left.remembered) is is_kept


def test_half_a_sentence_is_known_to_the_next_process(tmp_path):
    """The line goes dead in mid-turn; whoever takes up the conversation finds the words."""
    interrupt_at(tmp_path, 1.75, SPEECHES)
    models = ScriptedModels([Speech(0.5, 2.0, "What is my dog called?")], ["I do not know yet."])
    (line,) = play(tmp_path, models, 3.0, "llm.base_url=http://localhost:1")
    assert [item["text"] for item in line["recalled"]] == ["My dog is called"]
    assert "My dog is called" in json.dumps(models.model.prompts[0])


def test_words_of_an_interruption_survive_the_end_of_the_conversation(tmp_path):
    """It ends while the agent is paused, before anybody has decided who has the floor."""
    left = interrupt_at(tmp_path, 5.6)
    assert [line["user_text"] for line in left.lines][0] == "My dog is called Bruno."
    assert left.lines[0]["heard_text"] in LONG_REPLY


def test_a_cough_in_the_end_is_not_kept(tmp_path):
    left = interrupt_at(tmp_path, 3.0, [Speech(0.5, 1.0, "")])
    assert (left.lines, left.remembered) == ([], [])


def test_partial_words_that_turned_out_to_be_no_speech_are_not_kept(tmp_path):
    left = interrupt_at(tmp_path, 4.0, [Speech(0.5, 2.0, "Thanks for watching.", is_speech=False)])
    assert (left.lines, left.remembered) == ([], [])


def test_a_full_disk_ends_the_conversation_with_one_line_and_the_words_stay(tmp_path):
    settings = settings_in(tmp_path)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)

    async def main() -> None:
        plan = SessionPlan([silence(60.0)])
        models = ScriptedModels(SPEECHES, [LONG_REPLY, "All right."])
        await replay(settings, models, stores, [plan], out, ReplaySinks())

    # The recording is the largest file by far.
    with full_beyond(5 * INPUT_RATE * 4), pytest.raises(UserError, match=r"conversation\.wav: cannot write"):
        virtual_time.run(main(), virtual=True)
    out.close()
    left = Left(tmp_path, stores, None)
    stores.close()
    assert left.seconds == pytest.approx(5.0, abs=0.01)
    assert left.lines[0]["user_text"] == "My dog is called Bruno."
    assert left.lines[0]["heard_text"] in left.remembered


def test_a_reply_that_is_shorter_than_the_moment_to_interrupt_it_is_heard_to_its_end(tmp_path):
    settings = settings_in(tmp_path)
    out = OutputFolder(tmp_path / "out", INPUT_RATE)
    stores = open_stores(settings)
    cues = [Cue("a", words="Hello."), Cue("b", words="And now?", into_reply=1e6)]

    async def main() -> None:
        await replay(settings, ScriptedModels([], ["Hi.", "Now."]), stores, [SessionPlan(cues)], out, ReplaySinks())

    virtual_time.run(main(), virtual=True)
    out.close()
    left = Left(tmp_path, stores, None)
    stores.close()
    assert [line["interrupted"] for line in left.lines] == [False, False]
    assert left.seconds < 20


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from pipeline.cli import main; main()", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.15, 0.4, 1.0])
def test_while_it_loads_it_ends_at_once_with_one_line(tmp_path, number, seconds):
    scenario = tmp_path / "s.yaml"
    scenario.write_text("turns: [{say: hi}]")
    process = start("replay", str(scenario), "--text", "--out", str(tmp_path / "out"), "--offline")
    time.sleep(seconds)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    # A slow machine may not have come as far as the program itself.
    if process.returncode != -number:
        assert process.returncode == interrupts.INTERRUPTED
        assert err == "innervoice: interrupted\n"
