"""What a tool may know of the conversation that it is made for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ToolContext:
    """Given to a function that makes tools.

    Attributes:
        folder: Where tools keep their data: a folder beside the memory, made when it is first asked for.
        user: Whose conversation it is.
        language: ``en`` or ``zh``.
    """

    folder: Path
    user: str
    language: str

    def data_folder(self) -> Path:
        """The folder, which exists."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder
