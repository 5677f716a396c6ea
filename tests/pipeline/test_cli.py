"""The command line: exit codes, one clear line for bad input, and what the memory commands print."""

from __future__ import annotations

import json
import sys
import wave
from pathlib import Path

import pytest
from loguru import logger

from memory.inner_state import InnerState, StateHistory, reduce
from memory.nouns import Claim, Speaker, Utterance
from memory.state_events import FactsStated, TaskStarted
from pipeline.command_line import run as run_command
from pipeline.memory_stores import open_stores
from pipeline.settings import load_settings
from tests.fakes.openai_server import fails
from tests.fakes.transcription import hears, serving


@pytest.fixture(autouse=True)
def _own_logging():
    """A command sets up logging for its own process."""
    yield
    logger.remove()
    logger.add(sys.__stderr__)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command; gives (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY", "INNERVOICE_DATA", "INNERVOICE_ASR_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["innervoice", *words])
        code = run_command()
        output = capsys.readouterr()
        return code, output.out, output.err

    return command


@pytest.fixture
def remembered(tmp_path) -> Path:
    """A memory folder in which Anna has said two things."""
    folder = tmp_path / "memory"
    stores = open_stores(load_settings(None, [f"memory.data_dir={folder}"], environ={}))
    for number, text in enumerate(["My dog is called Bruno.", "我喜欢靠窗的位子。"]):
        stores.journal.append(Utterance(f"u{number}", "anna", "s1", number + 1, Speaker.USER, text, 1000.0 + number))
    stores.journal.store_claims(
        "anna", [Claim("user", "dog's name", "Bruno", kind="single", since=1000.0, utterances=("u0",))]
    )
    stores.close()
    return folder


def bad(result: tuple[int, str, str]) -> str:
    code, out, err = result
    assert code == 2
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("innervoice: ")
    return lines[0]


def test_bad_input_is_one_line_and_exit_code_2(run, tmp_path):
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "words.wav").write_text("no audio here " * 100)
    (tmp_path / "s.yaml").write_text("turns: [{say: hi, audio: x.wav}]")
    (tmp_path / "clip.yaml").write_text("turns: [{audio: gone.wav}]")
    (tmp_path / "file").write_text("x")
    (tmp_path / "ok.yaml").write_text("turns: [{say: hi}]")
    (tmp_path / "clip_of_ok.yaml").write_text("turns: [{audio: tone.wav}]")
    with wave.open(str(tmp_path / "tone.wav"), "wb") as tone:
        tone.setparams((1, 2, 16_000, 0, "NONE", ""))
        tone.writeframes(b"\1\0" * 16_000)
    assert "gone.wav: no such file" in bad(run("replay", "gone.wav", "--out", "o"))
    assert "empty" in bad(run("replay", "empty.wav", "--out", "o"))
    assert "words.wav" in bad(run("replay", "words.wav", "--out", "o"))
    assert "turns.0" in bad(run("replay", "s.yaml", "--out", "o"))
    assert "gone.wav" in bad(run("replay", "clip.yaml", "--out", "o"))
    assert "file" in bad(run("replay", "ok.yaml", "--out", "file/below"))
    assert "alone" in bad(run("replay", "ok.yaml", "empty.wav", "--out", "o"))
    assert "--text" in bad(run("replay", "empty.wav", "--text", "--out", "o"))
    assert "turns.0.audio" in bad(run("replay", "clip_of_ok.yaml", "--text", "--out", "o"))
    empty_cache = ("--offline", "--set", f"weights.cache_dir={tmp_path / 'cache'}")
    assert "whisper-base" in bad(run("replay", "ok.yaml", "--out", "o", *empty_cache))
    assert "whisper-base" in bad(run("demo", "--out", "o", *empty_cache))
    assert "asr.foo" in bad(run("replay", "ok.yaml", "--out", "o", "--set", "asr.foo=1"))
    assert "nowhere.yaml" in bad(run("replay", "ok.yaml", "--out", "o", "--config", "nowhere.yaml"))
    assert "en or zh" in bad(run("demo", "--language", "xx"))
    assert "nix" in bad(run("nix"))
    assert "inputs" in bad(run("replay", "--out", "o"))


def test_a_secret_in_a_file_of_settings_is_refused_and_never_shown(run, tmp_path):
    (tmp_path / "c.yaml").write_text("llm: {api_key: hush-hush}")
    line = bad(run("memory", "show", "--user", "a", "--config", "c.yaml"))
    assert "OPENAI_API_KEY" in line
    assert "hush-hush" not in line


def test_help_has_an_example_for_every_command(run):
    for words in (
        ["demo"],
        ["replay"],
        ["report"],
        ["weights", "list"],
        ["weights", "pull"],
        *(["memory", name] for name in ("show", "search", "forget", "export", "import")),
    ):
        code, out, _ = run(*words, "--help")
        assert code == 0
        assert f"  innervoice {' '.join(words)}" in out, words


def test_memory_show_follows_the_contract(run, remembered):
    code, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")
    assert code == 0
    known = json.loads(out)
    assert set(known) >= {"claims", "entities", "affect", "traits", "sessions"}
    (claim,) = known["claims"]
    assert claim["attribute"] == "dog's name"
    assert set(claim) == {"subject", "attribute", "value", "polarity", "class", "since", "until", "utterances"}
    assert [row["text"] for row in known["utterances"]] == ["My dog is called Bruno.", "我喜欢靠窗的位子。"]
    code, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered))
    assert code == 0
    assert "Bruno" in out


def test_every_version_of_a_state_can_be_read(run, remembered):
    stores = open_stores(load_settings(None, [f"memory.data_dir={remembered}"], environ={}))
    history = StateHistory()
    for event in (TaskStarted("book a room"), FactsStated({"time": "10:00"}), FactsStated({"time": "14:00"})):
        before = history.current.version
        stores.sessions.save("anna", "s1", history.apply(event), before)
    stores.close()
    here = ("memory", "show", "--user", "anna", "--data", str(remembered), "--versions")
    versions = json.loads(run(*here, "--json")[1])["versions"]["s1"]
    assert [state["facts"] for state in versions] == [{}, {"time": "10:00"}, {"time": "14:00"}]
    assert [state["version"] for state in versions] == [1, 2, 3]
    code, out, _ = run(*here)
    assert code == 0
    assert "facts.time" in out and "14:00" in out


def test_another_user_sees_nothing(run, remembered):
    _, out, _ = run("memory", "show", "--user", "bert", "--data", str(remembered), "--json")
    assert json.loads(out)["utterances"] == []


def test_memory_search_finds_in_both_languages(run, remembered):
    _, out, _ = run("memory", "search", "What is my dog's name?", "--user", "anna", "--data", str(remembered), "--json")
    assert json.loads(out)["recalled"][0]["text"] == "My dog is called Bruno."
    _, out, _ = run("memory", "search", "我喜欢坐哪里？", "--user", "anna", "--data", str(remembered), "--json")
    assert json.loads(out)["recalled"][0]["text"] == "我喜欢靠窗的位子。"


def test_export_forget_import_round_trip(run, remembered, tmp_path):
    assert run("memory", "export", "--user", "anna", "--data", str(remembered), "--out", "anna.json")[0] == 0
    code, out, _ = run("memory", "forget", "--user", "anna", "--data", str(remembered), "--yes")
    assert (code, "2 utterances" in out) == (0, True)
    assert not any(b"Bruno" in path.read_bytes() for path in remembered.rglob("*") if path.is_file())
    _, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")
    assert json.loads(out)["utterances"] == []
    code, out, _ = run("memory", "import", "anna.json", "--user", "anna", "--data", str(remembered))
    assert (code, out.startswith("2 utterances")) == (0, True)
    _, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")
    assert len(json.loads(out)["claims"]) == 1


def test_forgetting_one_utterance_takes_its_claim_along(run, remembered):
    assert run("memory", "forget", "--user", "anna", "--id", "u0", "--data", str(remembered), "--yes")[0] == 0
    _, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")
    known = json.loads(out)
    assert [row["id"] for row in known["utterances"]] == ["u1"]
    assert known["claims"] == []


def test_forget_asks_first(run, remembered, monkeypatch):
    monkeypatch.setattr("typer.confirm", lambda question: False)
    code, out, _ = run("memory", "forget", "--user", "anna", "--data", str(remembered))
    assert code == 1
    assert "Nothing was forgotten" in out
    _, out, _ = run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")
    assert len(json.loads(out)["utterances"]) == 2


def test_import_of_something_else_is_refused(run, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "y.json").write_text("not json")
    assert "archive" in bad(run("memory", "import", "x.json", "--user", "a", "--data", "m"))
    assert "y.json" in bad(run("memory", "import", "y.json", "--user", "a", "--data", "m"))
    assert "z.json" in bad(run("memory", "import", "z.json", "--user", "a", "--data", "m"))


def test_a_folder_without_a_memory_is_named_and_not_made(run, tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in ("typo", "empty"):
        for words in (["show"], ["search", "dog"], ["export"], ["forget", "--yes"]):
            assert f"{folder}: no memory here" in bad(run("memory", *words, "--user", "a", "--data", folder))
    assert not (tmp_path / "typo").exists()
    assert list((tmp_path / "empty").iterdir()) == []


def test_nobody_has_no_memory(run, remembered):
    assert "--user" in bad(run("memory", "show", "--user", " ", "--data", str(remembered)))


def test_a_folder_may_be_called_like_a_value_of_yaml(run, remembered, tmp_path):
    for name in ("2026", "null", "a: b"):
        remembered.rename(tmp_path / name)
        code, out, _ = run("memory", "show", "--user", "anna", "--data", name, "--json")
        assert (code, len(json.loads(out)["utterances"])) == (0, 2)
        (tmp_path / name).rename(remembered)


def test_a_replay_that_cannot_begin_leaves_the_memory_of_an_older_one(run, remembered, tmp_path):
    (tmp_path / "o").mkdir()
    remembered.rename(tmp_path / "o" / "memory")
    (tmp_path / "ok.yaml").write_text("turns: [{say: hi}]")
    empty_cache = ("--offline", "--set", f"weights.cache_dir={tmp_path / 'cache'}")
    assert "whisper-base" in bad(run("replay", "ok.yaml", "--out", "o", *empty_cache))
    _, out, _ = run("memory", "show", "--user", "anna", "--data", "o/memory", "--json")
    assert len(json.loads(out)["utterances"]) == 2


@pytest.mark.weights
def test_with_an_endpoint_no_whisper_is_needed_and_a_wrong_key_is_one_line(run, tmp_path, weights):
    for name in ("piper-en-joe", "smollm2-135m"):
        place = tmp_path / "cache" / "weights" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(weights(name))
    (tmp_path / "s.yaml").write_text("turns: [{say: I like window seats.}]\n")
    options = ["--set", f"weights.cache_dir={tmp_path / 'cache'}", "--offline", "--fast", "--json"]
    with serving(hears("I like window seats.")) as server:
        code, out, _ = run("replay", "s.yaml", "--out", "o", "--set", f"asr.base_url={server.base_url}", *options)
    assert code == 0
    assert json.loads(out)["turns"] == 1
    assert json.loads((tmp_path / "o" / "session.jsonl").read_text())["user_text"] == "I like window seats."
    with serving(fails(401)) as server:
        line = bad(run("replay", "s.yaml", "--out", "o", "--set", f"asr.base_url={server.base_url}", *options))
    assert "INNERVOICE_ASR_API_KEY" in line


def test_a_session_store_that_is_not_there_is_one_line(run, remembered):
    for command in (("show",), ("forget", "--yes"), ("export",)):
        store = "session.store=redis://:sk-secret@127.0.0.1:1/2"
        result = run("memory", *command, "--user", "anna", "--data", str(remembered), "--set", store)
        line = bad(result)
        assert "session.store: redis://127.0.0.1:1/2: cannot be reached" in line
        assert "sk-secret" not in line
    assert (
        len(json.loads(run("memory", "show", "--user", "anna", "--data", str(remembered), "--json")[1])["utterances"])
        > 1
    )


def test_memory_is_shown_and_forgotten_where_redis_holds_the_states(run, remembered, redis_server):
    here = ("--user", "anna", "--data", str(remembered))
    on_redis = (*here, "--set", f"session.store={redis_server.url}")
    stores = open_stores(
        load_settings(None, [f"memory.data_dir={remembered}", f"session.store={redis_server.url}"], environ={})
    )
    stores.sessions.save("anna", "s1", reduce(InnerState(), FactsStated({"room": "A302"})), 0)
    assert json.loads(run("memory", "show", *on_redis, "--json")[1])["state"]["facts"] == {"room": "A302"}
    assert json.loads(run("memory", "show", *here, "--json")[1])["state"] == {}
    status, out, _ = run("memory", "forget", *on_redis, "--yes")
    assert status == 0 and "1 sessions" in out
    assert stores.sessions.sessions("anna") == []
    stores.close()
