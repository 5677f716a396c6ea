"""A Redis server of one's own for a test: on a socket in a folder, without a port, gone afterwards."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import redis

_START_S = 20.0


class RedisServer:
    """Starts and stops ``redis-server``; skips the test where there is none.

    Attributes:
        folder: What it keeps on the disk.
        url: For ``session.store``.
    """

    def __init__(self, *options: str) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("needs redis-server (Debian: apt-get install redis-server)")
        self._command = [program, "--port", "0", "--daemonize", "no", *(options or ("--save", ""))]
        self._process: subprocess.Popen[bytes] | None = None
        # The path of a socket is short.
        self.folder = Path(tempfile.mkdtemp(prefix="redis-"))
        self.url = f"unix://{self.folder / 'socket'}"

    def start(self) -> None:
        """Start it, with what it has kept, and wait until it answers."""
        self._process = subprocess.Popen(
            [*self._command, "--unixsocket", str(self.folder / "socket"), "--dir", str(self.folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + _START_S
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.ConnectionError:
                    assert self._process.poll() is None and time.monotonic() < until, "redis-server does not start"
                    time.sleep(0.02)

    def client(self) -> redis.Redis:
        """A client that sees what is stored."""
        return redis.Redis.from_url(self.url)

    def stop(self) -> None:
        """End it as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Let it answer nobody, though it is there."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
