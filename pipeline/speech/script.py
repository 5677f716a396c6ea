"""Chinese script: Whisper writes Mandarin in either; the conversation uses one."""

from __future__ import annotations

from typing import Literal

from opencc import OpenCC

from pipeline.speech.units import is_han

Script = Literal["simplified", "traditional"]

_CONVERSIONS: dict[Script, str] = {"simplified": "t2s", "traditional": "s2t"}


class ChineseScript:
    """Maps Chinese characters to one script and leaves everything else as it is (OpenCC's tables)."""

    def __init__(self, script: Script = "simplified") -> None:
        """Read the tables.

        Args:
            script: The script to write.
        """
        self._converter = OpenCC(_CONVERSIONS[script])

    def convert(self, text: str) -> str:
        """Write the text in the script."""
        return self._converter.convert(text) if is_han(text) else text
