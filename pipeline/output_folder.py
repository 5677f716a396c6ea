"""The folder that a conversation leaves behind: ``session.jsonl``, ``conversation.wav``, ``report.html``."""

from __future__ import annotations

from pathlib import Path

from memory.errors import UserError
from pipeline.recording import ConversationRecording
from pipeline.report import REPORT_NAME, build_report
from processors.turn_log import TurnLog


class OutputFolder:
    """Opens the files at once, so that an unwritable folder is noticed before anybody speaks."""

    def __init__(self, path: Path, sample_rate: int) -> None:
        """Create the folder and its files.

        Args:
            path: The folder; made if it is missing.
            sample_rate: Hz, of the recording.

        Raises:
            UserError: It cannot be made or written.
        """
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{path}: cannot make the output folder: {error.strerror}") from None
        self.log = TurnLog(path / "session.jsonl")
        self.recording = ConversationRecording(path / "conversation.wav", sample_rate)
        page = path / REPORT_NAME
        try:
            page.unlink(missing_ok=True)
        except OSError as error:
            raise UserError(f"{page}: cannot replace the report of an older conversation: {error.strerror}") from None

    def close(self) -> None:
        """Close the files; what was said is in them.

        Raises:
            UserError: The disk is full; what was written before is valid.
        """
        try:
            self.log.close()
        finally:
            self.recording.close()

    def write_report(self) -> Path:
        """Draw ``report.html`` from the closed files."""
        return build_report(self.path)
