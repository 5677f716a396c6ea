#!/usr/bin/env python3
"""Make or refresh the environment in .venv: everything from the lock, then the project itself, editable.

    python3 scripts/setup.py          what `innervoice` needs
    python3 scripts/setup.py --dev    and what the tests, lint and types need

Needs Python 3.11 or newer and a package index (the one that pip is configured for); no root, no compiler, no
module outside of the standard library. A second run with the same lock does nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".innervoice"
LOCKS = {"run": ROOT / "requirements.lock", "dev": ROOT / "requirements-dev.lock"}

# pip's word for a setting of the package index, and uv's variable for the same.
INDEX_SETTINGS = (
    ("index-url", "UV_DEFAULT_INDEX", " "),
    ("extra-index-url", "UV_INDEX", " "),
    ("find-links", "UV_FIND_LINKS", ","),
    ("trusted-host", "UV_INSECURE_HOST", " "),
    ("cert", "SSL_CERT_FILE", " "),
    ("proxy", "ALL_PROXY", " "),
)


class SetupError(Exception):
    """Something the person at the keyboard can mend, in one line."""


def main(arguments: list[str]) -> None:
    """Bring .venv up to date."""
    if sys.version_info < (3, 11):  # noqa: UP036
        raise SetupError(
            f"innervoice needs Python 3.11 or newer, and {sys.executable} is {sys.version.split()[0]}; "
            "install one, or name it: make demo PYTHON=/path/to/python3.12"
        )
    for argument in arguments:
        if argument != "--dev":
            raise SetupError(f"unknown option {argument}; known: --dev")
    kind = "dev" if arguments else "run"
    if up_to_date(kind):
        return
    started = time.monotonic()
    make_environment()
    install_uv()
    install_locked(LOCKS[kind])
    pip("install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--editable", str(ROOT))
    STAMP.write_text(f"{kind} {fingerprint(kind)}\n", encoding="utf-8")
    say(f"environment ready in {time.monotonic() - started:.0f} s")


def up_to_date(kind: str) -> bool:
    """Whether .venv holds this lock already; the environment of the tests holds all that running needs."""
    if not PYTHON.exists() or not STAMP.exists():
        return False
    have = STAMP.read_text(encoding="utf-8").split()
    return any(have == [held, fingerprint(held)] for held in (kind, "dev")) and succeeds(PYTHON, "-c", "")


def fingerprint(kind: str) -> str:
    """Changes when the lock, the project's metadata, its place or the Python of .venv change."""
    digest = hashlib.sha256()
    for path in (LOCKS[kind], ROOT / "pyproject.toml", VENV / "pyvenv.cfg"):
        digest.update(path.read_bytes())
    digest.update(str(ROOT).encode())
    return digest.hexdigest()


def make_environment() -> None:
    """Create .venv with a pip in it, unless a working one is there."""
    if has_pip():
        return
    if VENV.exists():
        say("the environment in .venv does not work; making it anew")
        shutil.rmtree(VENV)
    say(f"making .venv with Python {sys.version.split()[0]}")
    if succeeds(sys.executable, "-m", "venv", VENV) and has_pip():
        return
    # Debian and Ubuntu split off what puts pip into an environment; a pip outside of it can.
    shutil.rmtree(VENV, ignore_errors=True)
    if succeeds(sys.executable, "-m", "venv", "--without-pip", VENV):
        if succeeds(sys.executable, "-m", "pip", "--python", PYTHON, "install", "pip") and has_pip():
            return
        if (uv := shutil.which("uv")) and succeeds(uv, "pip", "install", "--python", PYTHON, "pip") and has_pip():
            return
    shutil.rmtree(VENV, ignore_errors=True)
    require_space()
    raise SetupError(
        f"{sys.executable} cannot make an environment with pip: on Debian and Ubuntu install python3-venv, "
        "elsewhere name another Python: make demo PYTHON=/path/to/python3.12"
    )


def has_pip() -> bool:
    """Whether .venv has a pip that runs."""
    return PYTHON.exists() and succeeds(PYTHON, "-m", "pip", "--version")


def install_uv() -> None:
    """Put the locked uv into .venv: it installs in a fraction of pip's time."""
    if succeeds(PYTHON, "-m", "uv", "--version"):
        return
    say("fetching the installer")
    wanted = VENV / "uv.lock"
    wanted.write_text(locked("uv", LOCKS["dev"]), encoding="utf-8")
    pip("install", "--quiet", "--require-hashes", "--only-binary=:all:", "-r", str(wanted))


def locked(name: str, lock: Path) -> str:
    """The part of a lock that pins one package: its version and its hashes."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(f"{name}==")), None)
    if start is None:
        raise SetupError(f"{lock.name} does not pin {name}; run `make lock`")
    end = start + 1
    while end < len(lines) and lines[end].strip().startswith("--hash"):
        end += 1
    return "\n".join(lines[start:end]).rstrip(" \\") + "\n"


def install_locked(lock: Path) -> None:
    """Install exactly what the lock says, every file checked against its hash."""
    say(f"installing the packages of {lock.name}")
    command = [
        PYTHON,
        "-m",
        "uv",
        "pip",
        "sync",
        "--require-hashes",
        "--build-constraints",
        lock,
        "--python",
        PYTHON,
        lock,
    ]
    if subprocess.run(command, env=uv_environment(), check=False).returncode == 0:
        return
    require_space()
    say("uv could not do it; trying with pip")
    pip("install", "--require-hashes", "-r", str(lock))


def uv_environment() -> dict[str, str]:
    """The environment for uv: pip's settings of the package index in uv's words. What uv was told itself wins."""
    environment = dict(os.environ)
    listing = subprocess.run([PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    told = {}
    for line in listing.stdout.splitlines():  # global.index-url='…', install.index-url='…', :env:.index-url='…'
        key, _, value = line.partition("=")
        told[key.rpartition(".")[2]] = value.strip("'\"").replace("\\n", " ").split()
    for setting, variable, separator in INDEX_SETTINGS:
        if told.get(setting):
            environment.setdefault(variable, separator.join(told[setting]))
    if told.get("extra-index-url"):
        # pip takes a version from whichever index has it, uv from the first that knows the package; hashes guard both.
        environment.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    return environment


def pip(*arguments: str) -> None:
    """Run the pip of .venv; its failure becomes one line."""
    command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return
    require_space()
    errors = done.stderr.lower()
    if any(sign in errors for sign in ("connection", "name resolution", "timed out", "proxyerror")):
        raise SetupError(
            "no package index can be reached: check the network, or tell pip about your index "
            "(pip config set global.index-url URL)"
        )
    if "no matching distribution" in errors or "failed to build" in errors or "failed building" in errors:
        version = ".".join(str(part) for part in sys.version_info[:2])
        sys.stderr.write(done.stderr)
        raise SetupError(
            f"a package has no prebuilt file for Python {version} on this machine; try Python 3.11 to 3.13"
        )
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    raise SetupError(f"pip {arguments[0]} failed: {lines[-1] if lines else f'exit code {done.returncode}'}")


def require_space() -> None:
    """Name a full disk as the reason, whatever the installer made of it."""
    for place in (ROOT, Path.home(), Path(tempfile.gettempdir())):
        if place.exists() and shutil.disk_usage(place).free < 50_000_000:
            raise SetupError(f"the disk is full at {place}: innervoice needs 3 GB for .venv and the caches")


def succeeds(*command: str | Path) -> bool:
    """Run a command without its output; whether it ended well."""
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return done.returncode == 0


def say(text: str) -> None:
    """One line for the person at the keyboard."""
    print(f"setup: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SetupError as error:
        say(str(error))
        sys.exit(2)
    except OSError as error:
        say(f"{error.filename or ROOT}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        say("interrupted; the next run goes on")
        sys.exit(130)
