"""No library below calls home: a conversation leaves nothing in the home folder but what it is told to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "code",
    [
        "from pipecat.audio.vad.silero import SileroVADAnalyzer; SileroVADAnalyzer()",
        "from processors.smart_turn import SmartTurn; SmartTurn()",
    ],
)
@pytest.mark.parametrize("package", ["pipeline", "processors"])
def test_onnxruntime_keeps_no_device_number_and_no_events(tmp_path, package, code):
    environ = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    environ |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", f"import {package}; {code}"]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
