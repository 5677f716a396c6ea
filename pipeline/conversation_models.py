"""What a conversation needs from the models, so that tests can script each of them."""

from __future__ import annotations

from typing import Protocol

from pipecat.processors.frame_processor import FrameProcessor

from memory.calibration import Calibration
from memory.embedder import Embedder
from memory.session import Understands
from pipeline.settings import Settings
from processors.smart_turn import SmartTurn


class ConversationModels(Protocol):
    """Makes the parts of one conversation.

    Attributes:
        smart_turn: Judges whether a turn is complete; None for silence alone.
        embedder: Sentence vectors for memory.
        calibration: What the embedder's similarities mean; None to measure it anew.
        understander: Reads the words for memory.
    """

    smart_turn: SmartTurn | None
    embedder: Embedder
    calibration: Calibration | None
    understander: Understands

    @property
    def hears(self) -> bool:
        """Whether turns are spoken; else they are typed."""

    def hearing_parts(self, settings: Settings) -> list[FrameProcessor]:
        """VAD and recogniser, in pipeline order; none when turns are typed."""

    def language_model(self, settings: Settings) -> FrameProcessor:
        """The language model's service."""

    def speaking_part(self, settings: Settings) -> FrameProcessor:
        """The voice's service."""
