"""Printing: in any encoding, to a reader that is gone, to a full disk, to nobody."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from loguru import logger

from memory.nouns import Speaker, Utterance
from pipeline import command_line
from pipeline.memory_stores import open_stores
from pipeline.settings import load_settings
from pipeline.terminal import make_console

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, "-c", "from pipeline.cli import main; main()"]
FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def remembered(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("terminal") / "memory"
    stores = open_stores(load_settings(None, [f"memory.data_dir={folder}"], environ={}))
    stores.journal.append(Utterance("u0", "anna", "s1", 1, Speaker.USER, "我的狗叫布鲁诺。🎤", 1000.0))
    stores.close()
    return folder


def run(*words: str, stdout: int = subprocess.PIPE, **environ: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [*COMMAND, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", **environ},
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    return done.returncode, (done.stdout or b"").decode("utf-8"), done.stderr.decode("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_a_terminal_that_lacks_a_character_shows_an_escape_and_json_loses_nothing(remembered, encoding):
    show = ("memory", "show", "--user", "anna", "--data", str(remembered))
    done = subprocess.run(
        [*COMMAND, *show],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"anna" not in done.stdout
    assert "\\U0001f3a4".encode(encoding) in done.stdout or "…".encode(encoding, "backslashreplace") in done.stdout
    for words in ((*show, "--json"), ("memory", "export", *show[2:])):
        code, out, err = run(*words, PYTHONIOENCODING=encoding)
        assert (code, err) == (0, "")
        assert json.loads(out)["utterances"][0]["text"] == "我的狗叫布鲁诺。🎤"


def test_a_path_in_the_c_locale_is_named(tmp_path):
    code, out, err = run("report", str(tmp_path / "会议"), LC_ALL="C", LANG="C")
    assert (code, out) == (2, "")
    assert err.startswith("innervoice: ")
    assert "session.jsonl" in err


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_data_that_does_not_fit_on_the_disk_is_told_in_one_line(remembered):
    with FULL.open("wb") as full:
        code, _, err = run(
            "memory", "show", "--user", "anna", "--data", str(remembered), "--json", stdout=full.fileno()
        )
    assert code == 2
    assert err == "innervoice: standard output: cannot write: No space left on device\n"


def test_a_reader_that_is_gone_is_no_error(remembered):
    read, write = os.pipe()
    os.close(read)
    for words in (("--json",), ()):
        code, _, err = run("memory", "show", "--user", "anna", "--data", str(remembered), *words, stdout=write)
        assert (code, err) == (0, "")
    os.close(write)


def test_without_standard_output_and_error_it_works_all_the_same(remembered):
    command = f"exec {sys.executable} -c 'from pipeline.cli import main; main()' memory show --user anna --data"
    for folder, code in ((remembered, 0), (remembered / "nowhere", 2)):
        done = subprocess.run(["sh", "-c", f"{command} '{folder}' >&- 2>&-"], cwd=ROOT, timeout=120, check=False)
        assert done.returncode == code


def test_a_console_falls_silent_when_nothing_can_be_written(monkeypatch):
    class Gone(io.StringIO):
        writes = 0

        def write(self, text: str) -> int:
            self.writes += 1
            raise BrokenPipeError

    gone = Gone()
    monkeypatch.setattr(sys, "stdout", gone)
    console = make_console()
    console.print("one")
    console.print("two")
    assert gone.writes == 1


@pytest.mark.parametrize("level", ["nonsense", "10"])
def test_a_log_level_that_there_is_not_is_named(level):
    code, out, err = run("weights", "list", INNERVOICE_LOG=level)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "INNERVOICE_LOG" in err


@pytest.mark.parametrize(("level", "shows_traces"), [("", False), ("WARNING", False), ("DEBUG", True)])
def test_a_log_line_shows_no_values_and_a_trace_only_when_asked_for(monkeypatch, capsys, level, shows_traces):
    monkeypatch.setenv("INNERVOICE_LOG", level)
    monkeypatch.setattr(sys, "argv", ["innervoice", "weights", "list", "--json"])
    assert command_line.run() == 0
    capsys.readouterr()
    try:
        raise KeyError("words")
    except KeyError:
        logger.exception("it failed")
    lines = capsys.readouterr().err.splitlines()
    logger.remove()
    logger.add(sys.__stderr__)
    assert lines[0].startswith("ERROR: it failed")
    assert not any("└" in line for line in lines), "no values of variables"
    assert any("Traceback" in line for line in lines) == shows_traces
    assert shows_traces or lines == ["ERROR: it failed (KeyError)"]


def test_a_chat_without_an_input_ends_at_once(tmp_path):
    command = f"exec {sys.executable} -c 'from pipeline.cli import main; main()' chat --data"
    done = subprocess.run(["sh", "-c", f"{command} '{tmp_path}' --offline <&-"], cwd=ROOT, timeout=120, check=False)
    assert done.returncode in (0, 2), "2 where the weights are missing"
