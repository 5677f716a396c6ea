"""The streaming recogniser as a Pipecat service: a thin shell around ``Recognition`` and ``WhisperEngine``.

Sits after the VAD processor. The frame path only appends audio; one task decodes, one pushes what was heard.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    StartFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import STTService
from pipecat.transcriptions.language import Language
from pipecat.utils.time import time_now_iso8601

from pipeline.settings import ASRSettings
from pipeline.speech.biased_decoder import NameBiasedDecoder
from pipeline.speech.decoder import Decoder
from pipeline.speech.decoding import SAMPLE_RATE, TimedWord
from pipeline.speech.engine import Recogniser, Ticket, WhisperEngine, check_model_folder
from pipeline.speech.language import LanguageLock
from pipeline.speech.outcomes import Final, Interim, Job, Outcome
from pipeline.speech.recognition import Recognition
from pipeline.speech.resampling import MonoResampler
from pipeline.speech.script import ChineseScript
from pipeline.speech.threads import model_threads
from processors.frames import EmptySpeechFrame, KnownNamesFrame, SpeechFailedFrame, SpeechTailFrame, UserWordsFrame

# 99th percentile from the end of speech to the final transcript: VAD stop and, rarely, one full-window decode.
TTFS_P99_S = 1.0

# How long the end of the conversation waits for the last words, seconds.
LAST_WORDS_S = 10.0


class StreamingWhisperSTTService(STTService):
    """Recognises while the user speaks.

    Consumes ``InputAudioRawFrame``, the VAD's frames, ``SpeechTailFrame`` and ``KnownNamesFrame``. Emits, for every
    stretch of speech, ``InterimTranscriptionFrame`` (``result={"stable", "unstable"}``) and then exactly one of
    ``TranscriptionFrame(finalized=True)`` and ``EmptySpeechFrame``; no interim follows it. ``UserWordsFrame`` follows
    the transcript when the model has nothing better to do.
    """

    def __init__(
        self,
        *,
        settings: ASRSettings,
        model_path: Path | None = None,
        shared: Recogniser | None = None,
        decoder: Decoder | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the service; the model is loaded in ``setup`` unless one is shared.

        Args:
            settings: The section ``asr``.
            model_path: Folder of a Whisper model for CTranslate2, unless a recogniser is shared.
            shared: A recogniser that other conversations use too; it is not closed here.
            decoder: Decodes in place of its own (needs ``shared`` for its thread).
            **kwargs: Passed on to ``STTService``.

        Raises:
            UserError: The folder cannot be a Whisper model, or the model does not know the language.
        """
        language = None if settings.language == "auto" else settings.language
        kwargs.setdefault("ttfs_p99_latency", TTFS_P99_S)
        super().__init__(settings=STTSettings(model=settings.model, language=language), **kwargs)
        if shared is None and model_path is not None:
            check_model_folder(model_path)
        elif shared is None:
            raise ValueError("a recogniser needs a model's folder or an engine")
        elif decoder is None:
            shared.check_language(language)
        self._model_path = model_path
        self._asr = settings
        self._engine = shared
        self._owns_engine = shared is None
        self._names: tuple[str, ...] = ()
        self._decoder = None if decoder is None else self._biased(decoder)
        self._recognition = Recognition(LanguageLock(language), settings.interim_interval_s)
        self._resampler = MonoResampler()
        self._format = (0, 1)
        self._ticket = Ticket()
        self._complaint = ""
        self._outcomes: asyncio.Queue[Outcome | Frame | tuple[TimedWord, ...]] = asyncio.Queue()
        self._unaligned: deque[Final] = deque()
        self._decoding: asyncio.Task[None] | None = None
        self._speaking: asyncio.Task[None] | None = None

    def can_generate_metrics(self) -> bool:
        """The base class measures the time to the final transcript."""
        return True

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Load and warm up the model.

        Raises:
            UserError: This machine cannot run the model.
        """
        await super().setup(setup)
        if self._engine is None:
            with ThreadPoolExecutor(max_workers=1, thread_name_prefix="whisper-load") as loader:
                self._engine = await asyncio.get_running_loop().run_in_executor(loader, self._load)
        if self._decoder is None:
            self._decoder = self._biased(self._engine.decoder(ChineseScript(self._asr.chinese_script)))

    async def start(self, frame: StartFrame) -> None:
        """Begin to push what is heard."""
        await super().start(frame)
        self._speaking = self.create_task(self._push_outcomes(), "outcomes")

    async def stop(self, frame: EndFrame) -> None:
        """Let the last words arrive before the end."""
        self._say(self._recognition.speech_stopped(0.0))
        self._decode_if_needed()
        try:
            async with asyncio.timeout(LAST_WORDS_S):
                while self._decoding is not None and not self._recognition.settled:
                    await asyncio.wait({self._decoding})
                await self._outcomes.join()
                # The words' times come after the words.
                while self._decoding is not None:
                    await asyncio.wait({self._decoding})
                await self._outcomes.join()
        except TimeoutError:
            logger.warning(f"{self}: gave up waiting for the last words after {LAST_WORDS_S:.0f} s")
        await super().stop(frame)

    async def cleanup(self) -> None:
        """Stop the tasks and let go of the model."""
        await super().cleanup()
        for task in (self._decoding, self._speaking):
            if task is not None:
                await self.cancel_task(task)
        self._decoding = self._speaking = None
        if self._owns_engine and self._engine is not None:
            self._engine.close()
            self._engine = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note the tail and the names; everything else is the base class's."""
        if isinstance(frame, KnownNamesFrame):
            self.expect(frame.names)
            return
        if isinstance(frame, SpeechTailFrame) and direction is FrameDirection.DOWNSTREAM:
            self._recognition.speech_tail()
            self._decode_if_needed()
        await super().process_frame(frame, direction)

    async def process_audio_frame(self, frame: InputAudioRawFrame, direction: FrameDirection) -> None:
        """Note the format, which the base class does not hand on."""
        self._format = (frame.sample_rate, frame.num_channels)
        await super().process_audio_frame(frame, direction)

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        """Append audio. What it says comes from another task."""
        self._recognition.feed(self._resampler.feed(audio, *self._format))
        self._decode_if_needed()
        yield None

    async def _handle_vad_user_started_speaking(self, frame: VADUserStartedSpeakingFrame) -> None:
        await super()._handle_vad_user_started_speaking(frame)
        self._say(self._recognition.speech_started(frame.start_secs))
        self._decode_if_needed()

    async def _handle_vad_user_stopped_speaking(self, frame: VADUserStoppedSpeakingFrame) -> None:
        await super()._handle_vad_user_stopped_speaking(frame)
        self._say(self._recognition.speech_stopped(frame.stop_secs))
        self._decode_if_needed()

    def expect(self, names: Iterable[str]) -> None:
        """Name who and what the user may talk about, so that they are heard as they are written.

        Args:
            names: All of them, the more important first; they replace the earlier ones.
        """
        if isinstance(self._decoder, NameBiasedDecoder):
            self._decoder.expect(names)
        else:
            self._names = tuple(names)

    def _biased(self, decoder: Decoder) -> Decoder:
        if not self._asr.name_bias:
            return decoder
        biased = NameBiasedDecoder(decoder, str.islower if self._engine is None else self._engine.is_ordinary)
        biased.expect(self._names)
        return biased

    def _load(self) -> WhisperEngine:
        asr = self._asr
        assert self._model_path is not None
        engine = WhisperEngine.load(self._model_path, asr.compute_type, asr.device, asr.threads or model_threads())
        engine.check_language(None if asr.language == "auto" else asr.language)
        engine.warm_up()
        return engine

    def _say(self, outcomes: Sequence[Outcome | Frame]) -> None:
        for outcome in outcomes:
            self._outcomes.put_nowait(outcome)

    def _decode_if_needed(self) -> None:
        """Start the decoding task unless it runs; while it waits for its turn it may become urgent."""
        self._ticket.urgent = self._recognition.urgent
        due = self._recognition.due or self._unaligned
        if self._decoding is None and self._speaking is not None and due:
            self._decoding = self.create_task(self._decode(), "decode")

    async def _decode(self) -> None:
        """Decode for as long as something is due, then find the times of the words that were said.

        The job is chosen only when the model is free. Who waits for the end of a sentence keeps the model for it,
        unless somebody else waits for theirs.
        """
        engine, decoder, recognition = self._engine, self._decoder, self._recognition
        if engine is None or decoder is None:
            return
        try:
            while recognition.due or self._unaligned:
                async with engine.queue.turn(self._ticket):
                    job = recognition.next_job()
                    while job is not None:
                        await self._run(engine, decoder, job)
                        goes_on = recognition.urgent and not engine.queue.is_urgent
                        job = recognition.next_job() if goes_on else None
                    if not recognition.due and self._unaligned:
                        await self._align(engine)
        finally:
            self._decoding = None

    async def _run(self, engine: Recogniser, decoder: Decoder, job: Job) -> None:
        recognition = self._recognition
        try:
            decoding = await engine.run(decoder.decode, job.request)
        except Exception as error:
            # The boundary to a model or a server that may do anything: it costs one turn at most.
            self._complain(error)
            outcomes = recognition.failed(job)
            if outcomes:
                reason, detail = getattr(error, "reason", "decode"), _one_line(error)
                self._outcomes.put_nowait(SpeechFailedFrame(part="asr", reason=reason, detail=detail))
        else:
            self._complaint = ""
            outcomes = recognition.finished(job, decoding)
        self._say(outcomes)
        self._ticket.urgent = recognition.urgent

    async def _align(self, engine: Recogniser) -> None:
        """Find out when the words of the oldest transcript were said, and say it. Nobody waits for it."""
        final = self._unaligned.popleft()
        assert final.words is not None
        try:
            words = await engine.run(final.words)
        except Exception as error:
            # The boundary to the model, as in a decode; a transcript without times is one all the same.
            self._complain(error)
        else:
            self._outcomes.put_nowait(words)

    def _complain(self, error: Exception) -> None:
        """Log what failed, once for as long as it goes on."""
        complaint = _one_line(error)
        if complaint != self._complaint:
            logger.error(f"{self}: a decode failed: {complaint}")
        self._complaint = complaint

    async def _push_outcomes(self) -> None:
        while True:
            outcome = await self._outcomes.get()
            try:
                await self.push_frame(outcome if isinstance(outcome, Frame) else self._frame(outcome))
                if isinstance(outcome, Final) and outcome.words is not None:
                    self._unaligned.append(outcome)
                    self._decode_if_needed()
            finally:
                self._outcomes.task_done()

    def _frame(self, outcome: Outcome | tuple[TimedWord, ...]) -> Frame:
        now = time_now_iso8601()
        if isinstance(outcome, tuple):
            words = tuple((word.text, word.start_s, word.end_s) for word in outcome)
            return UserWordsFrame(words=words, heard_s=self._recognition.end / SAMPLE_RATE)
        if isinstance(outcome, Interim):
            return InterimTranscriptionFrame(
                outcome.text,
                self._user_id,
                now,
                Language(outcome.language),
                result={"stable": outcome.stable, "unstable": outcome.unstable},
            )
        if isinstance(outcome, Final):
            result = {
                "language": outcome.language,
                "avg_logprob": round(outcome.avg_logprob, 3),
                "start_s": round(outcome.start_s, 3),
                "end_s": round(outcome.end_s, 3),
            }
            frame = TranscriptionFrame(
                outcome.text, self._user_id, now, Language(outcome.language), result=result, finalized=True
            )
            # What the user said survives an interruption on its way to the context.
            frame.interruptible = False
            return frame
        return EmptySpeechFrame()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
