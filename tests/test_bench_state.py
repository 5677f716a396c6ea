"""The script that times the inner state runs, prints what it says, and leaves nothing behind."""

from __future__ import annotations

import json
import sys

import pytest

from tests.fakes.redis_server import RedisServer
from tests.scripts import load_script


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_it_measures(kind, monkeypatch, capsys, request) -> None:
    server: RedisServer | None = request.getfixturevalue("redis_server") if kind == "redis" else None
    store = "sqlite" if server is None else server.url
    monkeypatch.setattr(sys, "argv", ["bench_state.py", "--store", store, "--turns", "12", "--json"])
    if server is not None:
        with server.client() as client:
            before = client.dbsize()
    assert load_script("bench_state").main() == 0
    found = json.loads(capsys.readouterr().out)
    assert found["turns"] == 12
    assert all(row["p50"] <= row["p95"] <= row["p99"] for row in found["milliseconds"].values())
    assert set(found["milliseconds"]) == {"loop", "durable"}
    if server is not None:
        with server.client() as client:
            assert client.dbsize() == before


def test_a_store_that_is_not_there_is_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_state.py", "--store", "unix:///no/such/socket"])
    assert load_script("bench_state").main() == 2
    assert "cannot be reached" in capsys.readouterr().err
