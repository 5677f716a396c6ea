"""Scripted parts of a conversation: what is heard and what is answered, with times of the input's own clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from memory.nouns import Understanding
from pipeline.settings import Settings
from pipeline.speech.silent import SilentVoice
from pipeline.speech.tts import VoiceTTSService
from pipeline.speech.voice import SpokenChunk
from processors.frames import EmptySpeechFrame, SpeechTailFrame
from tests.fakes.openai_server import pieces_of


@dataclass(frozen=True)
class Speech:
    """A stretch of the user's speech: from, to (seconds of the input), and its words; empty for a cough.

    Attributes:
        is_speech: False where the partial words turn out to be no speech in the end.
    """

    start: float
    end: float
    text: str
    is_speech: bool = True


class ScriptedHearing(FrameProcessor):
    """VAD and recogniser in one: knows beforehand what is said when."""

    def __init__(
        self,
        speeches: list[Speech],
        start_s: float = 0.2,
        tail_s: float = 0.1,
        stop_s: float = 0.26,
        words_late_s: float = 0.02,
    ) -> None:
        super().__init__()
        self._heard_samples = 0
        self._events: list[tuple[float, Callable[[], list[Frame]]]] = []
        for speech in speeches:
            self._events.append((speech.start + start_s, lambda: [VADUserStartedSpeakingFrame()]))
            words = speech.text.split()
            final = speech.text if speech.is_speech else ""
            for count in range(1, len(words) + 1):
                at = speech.start + start_s + (speech.end - speech.start - start_s) * count / len(words)
                stable, unstable = " ".join(words[: count - 1]), words[count - 1]
                self._events.append((at, lambda s=stable, u=unstable: [_interim(s, u)]))
            self._events.append((speech.end + tail_s, lambda: [SpeechTailFrame()]))
            self._events.append((speech.end + stop_s, lambda: [VADUserStoppedSpeakingFrame(stop_secs=0.2)]))
            self._events.append((speech.end + stop_s + words_late_s, lambda text=final: [_final(text)]))
        self._events.sort(key=lambda event: event[0])

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self._heard_samples += len(frame.audio) // 2
            now = self._heard_samples / frame.sample_rate
            while self._events and self._events[0][0] <= now:
                for pushed in self._events.pop(0)[1]():
                    await self.push_frame(pushed)


def _interim(stable: str, unstable: str) -> Frame:
    text = f"{stable} {unstable}".strip()
    return InterimTranscriptionFrame(text, "u", "", result={"stable": stable, "unstable": unstable})


def _final(text: str) -> Frame:
    if not text:
        return EmptySpeechFrame()
    return TranscriptionFrame(text, "u", "", result={"language": "en"}, finalized=True)


class ScriptedModel(FrameProcessor):
    """A language model that answers what the script says, in words or characters; keeps every prompt."""

    def __init__(self, answers: list[str], token_s: float = 0.02, by: str = "word") -> None:
        super().__init__()
        self._answers = list(answers)
        self._token_s = token_s
        self._by = by
        self.prompts: list[list[dict]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        self.prompts.append(list(frame.context.messages))
        await self.push_frame(LLMFullResponseStartFrame())
        answer = self._answers.pop(0) if self._answers else "Fine."
        for piece in pieces_of(answer, self._by):
            await asyncio.sleep(self._token_s)
            await self.push_frame(LLMTextFrame(piece))
        await self.push_frame(LLMFullResponseEndFrame())


class ToneVoice(SilentVoice):
    """A silent voice that can be heard: a tone for every word."""

    def synthesize(self, text: str):
        for chunk in super().synthesize(text):
            audio = (6000 * np.sin(np.arange(len(chunk.audio)) * 0.15)).astype(np.int16)
            yield SpokenChunk(audio, chunk.words, chunk.exact)


class HashEmbedder:
    """Bag-of-words vectors: the same words, the same vector; no weights."""

    name = "hash"
    dim = 64

    def warm_up(self) -> None:
        pass

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.zeros(self.dim, dtype=np.float32)
        for word in text.lower().replace("?", "").replace(".", "").split():
            vector[sum(word.encode()) % self.dim] += 1.0
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector

    def embed_passages(self, texts: list[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts]) if texts else np.zeros((0, self.dim), np.float32)


class PlainUnderstander:
    """Understands nothing: every utterance is just words."""

    def warm_up(self) -> None:
        pass

    def understand(self, text, *, now, state, language=None) -> Understanding:
        return Understanding(text=text, language=language or "en")


class ScriptedModels:
    """``ConversationModels`` made of scripts."""

    smart_turn = None
    calibration = None

    def __init__(self, speeches: list[Speech], answers: list[str], words_late_s: float = 0.02) -> None:
        self._speeches = speeches
        self._words_late_s = words_late_s
        self.model = ScriptedModel(answers)
        self.embedder = HashEmbedder()
        self.understander = PlainUnderstander()

    @property
    def hears(self) -> bool:
        return bool(self._speeches)

    def hearing_parts(self, settings: Settings) -> list[FrameProcessor]:
        return [ScriptedHearing(self._speeches, words_late_s=self._words_late_s)] if self._speeches else []

    def language_model(self, settings: Settings) -> FrameProcessor:
        return self.model

    def speaking_part(self, settings: Settings) -> FrameProcessor:
        voice = ToneVoice() if self.hears else SilentVoice()
        return VoiceTTSService(voice, first_clause_chars=settings.tts.first_clause_chars)
