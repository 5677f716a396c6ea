"""Setting up: what goes wrong is said in one line, and pip's settings reach uv."""

from __future__ import annotations

import collections
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.scripts import SCRIPTS, load_script


@pytest.fixture
def setup(tmp_path: Path) -> ModuleType:
    """The script, in an empty folder in place of the project's."""
    script = load_script("setup")
    script.ROOT = tmp_path
    script.VENV = tmp_path / ".venv"
    script.PYTHON = script.VENV / "bin" / "python"
    script.STAMP = script.VENV / ".innervoice"
    return script


def fail_with(script: ModuleType, monkeypatch: pytest.MonkeyPatch, errors: str) -> str:
    monkeypatch.setattr(subprocess, "run", lambda *a, **o: SimpleNamespace(returncode=1, stderr=errors, stdout=""))
    with pytest.raises(script.SetupError) as caught:
        script.pip("install", "something")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_old_python_is_told_so(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    with pytest.raises(setup.SetupError, match=r"needs Python 3\.11 or newer.*PYTHON="):
        setup.main([])


def test_an_unknown_option_ends_with_two() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "setup.py", "--devel"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "setup: unknown option --devel; known: --dev\n"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ("WARNING: Retrying: NewConnectionError\nERROR: No matching distribution", "no package index can be reached"),
        ("ERROR: No matching distribution found for av", "no prebuilt file for Python"),
        ("ERROR: something odd\n", "pip install failed: ERROR: something odd"),
        ("", "pip install failed: exit code 1"),
    ],
)
def test_what_pip_says_becomes_one_line(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, errors: str, said: str
) -> None:
    assert said in fail_with(setup, monkeypatch, errors)


def test_a_full_disk_is_the_reason(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = collections.namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(1, 1, 0))
    assert "the disk is full" in fail_with(setup, monkeypatch, "ERROR: anything")


def test_an_environment_that_cannot_be_made(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "succeeds", lambda *command: False)
    with pytest.raises(setup.SetupError, match="install python3-venv"):
        setup.make_environment()
    assert not setup.VENV.exists()


def test_the_settings_of_pip_reach_uv(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = (
        "global.index-url='https://index.example/simple'\n"
        "global.extra-index-url='\\nhttps://one.example\\nhttps://two.example'\n"
        ":env:.find-links='/a /b'\n"
        "global.timeout='60'\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda *a, **o: SimpleNamespace(returncode=0, stdout=listing))
    for variable in ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(variable, raising=False)
    environment = setup.uv_environment()
    assert environment["UV_DEFAULT_INDEX"] == "https://index.example/simple"
    assert environment["UV_INDEX"] == "https://one.example https://two.example"
    assert environment["UV_FIND_LINKS"] == "/a,/b"
    assert environment["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mine.example")
    assert setup.uv_environment()["UV_DEFAULT_INDEX"] == "https://mine.example"


def test_one_package_is_cut_out_of_the_lock(setup: ModuleType, tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_text(
        "uvicorn==1.0 \\\n    --hash=sha256:aa\n    # via x\n"
        "uv==0.13.9 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n    # via innervoice\nwasabi==1 \\\n"
    )
    assert setup.locked("uv", lock) == "uv==0.13.9 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"
    with pytest.raises(setup.SetupError, match="x.lock does not pin numpy"):
        setup.locked("numpy", lock)


def test_the_environment_is_fresh_only_for_the_same_lock(setup: ModuleType, tmp_path: Path) -> None:
    for name in ("run.lock", "dev.lock", "pyproject.toml"):
        (tmp_path / name).write_text(name)
    setup.LOCKS = {"run": tmp_path / "run.lock", "dev": tmp_path / "dev.lock"}
    assert not setup.up_to_date("run")
    setup.PYTHON.parent.mkdir(parents=True)
    setup.PYTHON.symlink_to(sys.executable)
    (setup.VENV / "pyvenv.cfg").write_text("version = 3")
    setup.STAMP.write_text(f"run {setup.fingerprint('run')}\n")
    assert setup.up_to_date("run") and not setup.up_to_date("dev")
    setup.STAMP.write_text(f"dev {setup.fingerprint('dev')}\n")
    assert setup.up_to_date("run") and setup.up_to_date("dev")
    (tmp_path / "dev.lock").write_text("newer")
    assert not setup.up_to_date("run")
