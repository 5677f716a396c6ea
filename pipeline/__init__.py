"""Puts a conversation together and runs it."""

import os

# onnxruntime reports its use to its maker unless it is told not to before it is loaded: nothing here calls home.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
