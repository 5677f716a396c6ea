"""Where the project's own files are."""

from __future__ import annotations

from pathlib import Path

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
