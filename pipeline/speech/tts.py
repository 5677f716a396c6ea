"""The agent's voice in the pipeline: every word travels right behind its own audio.

The transport plays one queue, so a word comes out of it when its last sample has been played; an
interruption drops what is still in the queue, words and audio alike. What reaches the assistant aggregator
is what was heard::

    this service   [audio Sure,][Sure,][pause, audio I][I][audio will][will] …
    transport      ──── played ─────────────┤ interruption: the rest is dropped
    aggregator            Sure,          I
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
import soxr
from loguru import logger
from pipecat.frames.frames import AggregatedTextFrame, Frame, TextType, TTSAudioRawFrame, TTSSpeakFrame, TTSTextFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService

from pipeline.speech.clause_aggregator import ClauseAggregator
from pipeline.speech.pitch import scaled_words
from pipeline.speech.spoken_text import spoken_text
from pipeline.speech.voice import SpokenChunk, SpokenWord, Voice
from pipeline.speech.words import Spacing, is_han
from pipeline.transports.playback import SILENCE_LEVEL
from processors.frames import EXACT_TIME, ReplyWrittenFrame, SpeechFailedFrame


class VoiceTTSService(TTSService):
    """Speaks a reply clause by clause with a ``Voice``.

    Emits per word its audio and a ``TTSTextFrame``: ``text`` is the word, ``raw_text`` the word with the
    space before it, so that joined raw texts are the reply, ``metadata[EXACT_TIME]`` whether the voice knows when
    it says the word. Emits ``SpeechFailedFrame`` when a clause could
    not be spoken; the next one is tried as usual.
    """

    def __init__(
        self,
        voice: Voice,
        *,
        executor: Executor | None = None,
        first_clause_chars: int = 20,
        output_chunk_ms: int = 40,
        is_warm: bool = False,
        **kwargs: Any,
    ) -> None:
        """Make the service.

        Args:
            voice: Who speaks.
            executor: A thread for the voice; its own by default.
            first_clause_chars: The first clause goes out from this length on; a Han character counts three.
            output_chunk_ms: Words end on multiples of this; a multiple of the transport's block, so that a
                word never comes out before its last sample.
            is_warm: Whether somebody has warmed the voice up already.
            **kwargs: Passed on to Pipecat's base class.
        """
        super().__init__(
            push_text_frames=False,
            push_start_frame=True,
            push_stop_frames=True,
            stop_frame_timeout_s=10.0,
            max_consecutive_zero_audio_contexts=0,  # a clause that fails must not silence the ones after it
            settings=TTSSettings(model=None, voice=voice.name, language=voice.language),
            **kwargs,
        )
        self._speaker = voice
        self._own_executor = executor is None
        self._executor = executor or ThreadPoolExecutor(1, thread_name_prefix="voice")
        self._output_chunk_ms = output_chunk_ms
        self._text_aggregator = ClauseAggregator(first_clause_chars)
        self._last_context = ""
        self._is_warm = is_warm

    def can_generate_metrics(self) -> bool:
        """Whether Pipecat may measure this service: yes."""
        return True

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Warm the voice up.

        Args:
            setup: From the pipeline.
        """
        await super().setup(setup)
        if self._is_warm:
            return
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, self._speaker.warm_up)
        except Exception as error:  # a voice may be any model: the conversation begins without it
            logger.error(f"the voice {self._speaker.name} does not speak: {error}")

    async def cleanup(self) -> None:
        """Let the thread go."""
        await super().cleanup()
        if self._own_executor:
            self._executor.shutdown(wait=False, cancel_futures=True)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Strip markup from what is to be said word for word; see the base class for the rest."""
        if isinstance(frame, TTSSpeakFrame):
            frame.text = spoken_text(frame.text)
        elif isinstance(frame, ReplyWrittenFrame):
            await self._say_what_waits()
        await super().process_frame(frame, direction)

    async def _say_what_waits(self) -> None:
        """Speak the reply's last clause although its answer has not ended."""
        rest = await self._text_aggregator.flush()
        if rest:
            await self._handle_aggregated_text(self._aggregated_text_frame(rest))

    async def on_turn_context_completed(self) -> None:
        """Close the reply's audio, also when its last clause made none."""
        self._is_yielding_frames_synchronously = True
        await super().on_turn_context_completed()

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Speak a clause.

        Args:
            text: The clause, with a space before it if one separates it from the clause before.
            context_id: The reply it belongs to.

        Yields:
            Audio and words.
        """
        await self.start_tts_usage_metrics(text)
        loop = asyncio.get_running_loop()
        chunks = self._speaker.synthesize(text)
        spacing = Spacing(text if context_id == self._last_context or is_han(text[:1]) else f" {text}")
        self._last_context = context_id
        try:
            while (chunk := await loop.run_in_executor(self._executor, self._next_chunk, chunks)) is not None:
                for frame in self._frames(chunk, spacing, context_id):
                    yield frame
        except Exception as error:  # whatever the voice's model does, the conversation goes on
            logger.warning(f"{self}: could not speak a clause: {type(error).__name__}: {error}")
            await self.push_frame(
                SpeechFailedFrame(part="tts", reason="synthesis", detail=f"{type(error).__name__}: {error}")
            )

    def _next_chunk(self, chunks: Iterator[SpokenChunk]) -> SpokenChunk | None:
        """Synthesise the next chunk at the pipeline's rate; runs in the voice's thread."""
        chunk = next(chunks, None)
        if chunk is None or self._speaker.sample_rate == self.sample_rate or not len(chunk.audio):
            return chunk
        audio = soxr.resample(chunk.audio, self._speaker.sample_rate, self.sample_rate)
        return SpokenChunk(audio, scaled_words(chunk.words, len(chunk.audio), len(audio)), chunk.exact)

    def _frames(self, chunk: SpokenChunk, spacing: Spacing, context_id: str) -> Iterator[Frame]:
        """Cut a chunk behind its words, on the transport's blocks; the pause behind a word is no part of it."""
        block = int(self.sample_rate / 100) * self._output_chunk_ms // 10
        padded = np.pad(chunk.audio, (0, -len(chunk.audio) % block))
        position = 0
        for word in chunk.words:
            end = -(-_audible_end(padded, word) // block) * block
            if end > position:
                yield self._audio_frame(padded[position:end], context_id)
                position = end
            yield self._word_frame(word, spacing, context_id, is_exact=chunk.exact)
        if position < len(padded):
            yield self._audio_frame(padded[position:], context_id)

    def _audio_frame(self, samples: np.ndarray, context_id: str) -> TTSAudioRawFrame:
        return TTSAudioRawFrame(samples.tobytes(), self.sample_rate, 1, context_id=context_id)

    def _word_frame(self, word: SpokenWord, spacing: Spacing, context_id: str, *, is_exact: bool) -> TTSTextFrame:
        # No pts: the frame goes through the transport's audio queue, behind the word's audio.
        frame = TTSTextFrame(word.text, TextType.WORD, context_id=context_id)
        frame.raw_text = spacing.lead(word.text) + word.text
        frame.includes_inter_frame_spaces = True
        frame.metadata[EXACT_TIME] = is_exact
        context = self._tts_contexts.get(context_id)
        frame.append_to_context = context.append_to_context if context else True
        return frame

    async def _register_spoken_text(self, src_frame: AggregatedTextFrame, text: str, context_id: str) -> None:
        """Expect no word times: else the base class would add words that were never played."""


def _audible_end(samples: np.ndarray, word: SpokenWord) -> int:
    """One past the word's last sample that is not silence; its end if it is silent altogether."""
    loud = np.flatnonzero(np.abs(samples[word.start : word.end].astype(np.int32)) > SILENCE_LEVEL)
    return word.start + int(loud[-1]) + 1 if len(loud) else word.end
