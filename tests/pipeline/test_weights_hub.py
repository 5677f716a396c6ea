"""The hub as a source, against a small server on this machine that answers as the hub does."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

from memory.errors import UserError
from pipeline.settings import Settings
from pipeline.weights import Weights
from pipeline.weights_manifest import Manifest, WeightFile
from pipeline.weights_sources import Hub

COMMIT = "a" * 40
DATA = b"weights " * 5000


class FakeHub(ThreadingHTTPServer):
    """Serves one file at every address; notes what it was asked, and may break off once."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.data = DATA
        self.status = 200
        self.asked: list[str] = []
        self.break_off_after: int | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        wanted = self.headers.get("Range", "")
        self.server.asked.append(f"{self.command} {wanted}".strip())
        if self.server.status != 200:
            self.send_response(self.server.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        data = self.server.data[start:]
        self.send_response(206 if wanted else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(self.server.data).hexdigest()}"')
        self.send_header("Content-Length", str(len(data)))
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(self.server.data) - 1}/{len(self.server.data)}")
        self.end_headers()
        if body:
            self.wfile.write(data[: self.server.break_off_after])
            self.server.break_off_after = None

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeHub]:
    server = FakeHub()
    template = huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE
    template = template.replace(huggingface_hub.constants.ENDPOINT, server.address)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.address)
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def make(tmp_path: Path, data: bytes = DATA) -> Weights:
    pinned = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    files = {"a.bin": pinned, "b.bin": pinned}
    source = {"hub": "owner/name", "revision": COMMIT, "files": {name: f"deep/{name}" for name in files}}
    model = {"what": "a model", "licence": "MIT", "files": files, "sources": [source]}
    settings = Settings.model_validate({"weights": {"cache_dir": tmp_path / "cache"}})
    return Weights(settings.weights, Manifest.model_validate({"voices": {}, "models": {"m": model}}), folders=[])


def test_files_come_from_the_hub(tmp_path: Path, hub: FakeHub) -> None:
    weights = make(tmp_path)
    assert weights.pull(["m"]) == ["m"]
    assert (weights.path("m") / "a.bin").read_bytes() == DATA
    assert not (tmp_path / "cache" / "weights" / ".incoming" / "m").exists()


def test_other_bytes_are_refused_before_they_are_downloaded(tmp_path: Path, hub: FakeHub) -> None:
    hub.data = DATA[::-1]
    with pytest.raises(UserError, match="the hub has other bytes than the pinned ones"):
        make(tmp_path).pull(["m"])
    assert not [asked for asked in hub.asked if asked.startswith("GET")]


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_a_reason(tmp_path: Path, hub: FakeHub, status: int) -> None:
    hub.status = status
    with pytest.raises(UserError, match=rf"a\.bin cannot be had .*the hub answers {status}"):
        make(tmp_path).pull(["m"])


def test_a_hub_out_of_reach_is_asked_once(tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.shutdown()
    hub.server_close()
    weights = make(tmp_path)
    with pytest.raises(UserError, match="the hub is out of reach"):
        weights.pull(["m"])

    def asked(*arguments: object, **options: object) -> None:
        raise AssertionError("the hub was asked again")

    monkeypatch.setattr(huggingface_hub, "get_hf_file_metadata", asked)
    with pytest.raises(UserError, match="the hub is out of reach"):
        weights.pull(["m"])


def test_an_interrupted_download_goes_on_where_it_stopped(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make(tmp_path).manifest.models["m"].sources[0]
    wanted = WeightFile(bytes=len(DATA), sha256=hashlib.sha256(DATA).hexdigest())
    to = tmp_path / "a.part"
    monkeypatch.setattr(huggingface_hub.constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    hub.break_off_after = 10_000
    Hub().fetch(source, "a.bin", wanted, tmp_path / "scratch", to)  # type: ignore[arg-type]
    assert to.read_bytes() == DATA
    assert hub.asked[-1] == "GET bytes=10000-"
