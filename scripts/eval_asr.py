"""Measures recognition: ours, the full-window decode and stock Pipecat, on the same recordings.

    python scripts/eval_asr.py MANIFEST [--realtime] [--model DIR] [--limit N] [--no-names] [--plot FILE] [--json]

``MANIFEST`` is a JSON list of ``{"file", "language", "transcript", "transcript_kind"}``, files relative to it. Only
``published`` transcripts are scored; ``language: nospeech`` counts made-up words. Without ``--realtime`` the audio
runs in lock-step and there are no latencies; with it every recording is played twice in real time, ours and stock;
``--plot`` draws the delay against the length of the utterance. Rare names (``asr_names``) are spoken by the test voices
and played twice, not knowing and knowing all of them; then the recordings again, knowing names that nobody says.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from asr_names import NAMES, SpokenName, spoken_names
from asr_plot import draw_delays
from asr_scoring import english_words, error_rate, mandarin_characters
from loguru import logger
from opencc import OpenCC
from pipecat.frames.frames import (
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.services.stt_service import STTService
from pipecat.services.whisper.stt import WhisperSTTService

from memory.errors import UserError
from pipeline import virtual_time
from pipeline.audio_file import read_blocks
from pipeline.settings import ASRSettings
from pipeline.speech.decoder import ShortContextDecoder
from pipeline.speech.decoding import SAMPLE_RATE, DecodeRequest, Decoding, Samples
from pipeline.speech.engine import WhisperEngine
from pipeline.speech.playback import Noted, play
from pipeline.speech.script import ChineseScript
from pipeline.speech.units import split_units
from pipeline.speech.whisper import StreamingWhisperSTTService
from processors.frames import EmptySpeechFrame

DEFAULT_MODEL = Path("~/.cache/innervoice/weights/whisper-base")


@dataclass(frozen=True)
class Recording:
    """One entry of the manifest, with its audio."""

    file: str
    language: str
    reference: str | None
    audio: Samples

    @property
    def seconds(self) -> float:
        """Length."""
        return len(self.audio) / SAMPLE_RATE


@dataclass
class Run:
    """What one recogniser said to all recordings.

    Attributes:
        texts: All finals of a recording, by file.
        first_interim_ms: From the VAD's start to the first interim.
        final_ms: From the VAD's stop to its final transcript or to the word that there is none.
        stretch_s: Time between the VAD's start and stop, for each of ``final_ms``.
        speech_s: Their sum.
    """

    texts: dict[str, str] = field(default_factory=dict)
    first_interim_ms: list[float] = field(default_factory=list)
    final_ms: list[float] = field(default_factory=list)
    stretch_s: list[float] = field(default_factory=list)
    speech_s: float = 0.0


class TimedDecoder:
    """Counts the seconds that decoding takes, on the wall and on all cores together."""

    def __init__(self, decoder: ShortContextDecoder) -> None:
        self._decoder = decoder
        self.seconds = 0.0
        self.cpu_seconds = 0.0

    def decode(self, request: DecodeRequest) -> Decoding:
        """Decode once."""
        started, cpu = time.perf_counter(), time.process_time()
        try:
            return self._decoder.decode(request)
        finally:
            self.seconds += time.perf_counter() - started
            self.cpu_seconds += time.process_time() - cpu


def read_manifest(path: Path, limit: int | None) -> list[Recording]:
    """Read the recordings that can be measured.

    Raises:
        UserError: The manifest, or a recording in it, cannot be read.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        wanted = [
            entry
            for entry in entries
            if entry["language"] == "nospeech"
            or (entry["language"] in {"en", "zh"} and entry.get("transcript_kind") == "published")
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not a manifest (a JSON list of file, language, transcript): {error}") from None
    recordings = []
    for entry in wanted[:limit]:
        audio = np.concatenate(list(read_blocks(path.parent / entry["file"], SAMPLE_RATE)))
        reference = None if entry["language"] == "nospeech" else entry["transcript"]
        recordings.append(Recording(entry["file"], entry["language"], reference, audio))
    return recordings


def hear(recordings: Iterable[Recording], make: Callable[[str], STTService], *, realtime: bool) -> Run:
    """Play every recording to a fresh recogniser.

    Args:
        recordings: What to play.
        make: Gives a recogniser for a language.
        realtime: On the machine's clock instead of the virtual one.
    """
    result = Run()
    for recording in recordings:
        language = "en" if recording.reference is None else recording.language

        async def listen(recording: Recording = recording, language: str = language) -> list[Noted]:
            return await play(recording.audio, make(language))

        notes = virtual_time.run(listen(), virtual=not realtime)
        _note_times(result, notes)
        finals = [note.frame.text for note in notes if isinstance(note.frame, TranscriptionFrame)]
        result.texts[recording.file] = " ".join(text.strip() for text in finals)
    return result


def _note_times(result: Run, notes: Iterable[Noted]) -> None:
    started = stopped = None
    for note in notes:
        if isinstance(note.frame, VADUserStartedSpeakingFrame):
            started = began = note.at
        elif isinstance(note.frame, InterimTranscriptionFrame) and started is not None:
            result.first_interim_ms.append((note.at - started) * 1000)
            started = None
        elif isinstance(note.frame, VADUserStoppedSpeakingFrame):
            stopped = note.at
            result.speech_s += note.at - began
        elif isinstance(note.frame, TranscriptionFrame | EmptySpeechFrame) and stopped is not None:
            result.final_ms.append((note.at - stopped) * 1000)
            result.stretch_s.append(stopped - began)
            stopped = None


@dataclass(frozen=True)
class NameResult:
    """What became of the rare names.

    Attributes:
        recall: Share of the names that are written right.
        error: Error rate of the sentences, by language.
    """

    recall: float | None
    error: dict[str, float | None]


def measure_names(spoken: Sequence[SpokenName], make: Callable[[str], STTService], script: OpenCC) -> NameResult:
    """Play the sentences with rare names.

    Args:
        spoken: From ``spoken_names``.
        make: Gives a recogniser for a language.
        script: To Simplified.
    """
    recordings = [Recording(str(i), name.language, name.text, name.audio) for i, name in enumerate(spoken)]
    run = hear(recordings, make, realtime=False)
    right = sum(name.name.casefold() in run.texts[str(i)].casefold() for i, name in enumerate(spoken))
    return NameResult(
        round(right / len(spoken), 4) if spoken else None,
        {language: _rounded(errors(recordings, run, language, script)) for language in ("en", "zh")},
    )


def full_window(recordings: Iterable[Recording], engine: WhisperEngine) -> Run:
    """What ``faster_whisper`` itself makes of every recording, greedily, language given."""
    result = Run()
    for recording in recordings:
        if recording.reference is not None:
            wave = recording.audio.astype(np.float32) / 32768.0
            segments, _ = engine.model.transcribe(wave, language=recording.language, beam_size=1)
            result.texts[recording.file] = "".join(segment.text for segment in segments)
    return result


def errors(recordings: Iterable[Recording], run: Run, language: str, script: OpenCC) -> float | None:
    """The error rate of one language."""
    scored = [recording for recording in recordings if recording.reference and recording.language == language]

    def units(text: str) -> list[str]:
        return english_words(text) if language == "en" else mandarin_characters(text, script)

    return error_rate([units(r.reference or "") for r in scored], [units(run.texts[r.file]) for r in scored])


def percentiles(values: list[float]) -> dict[str, float | None]:
    """The median and the 95th percentile."""
    if not values:
        return {"p50": None, "p95": None}
    return {"p50": round(float(np.percentile(values, 50)), 1), "p95": round(float(np.percentile(values, 95)), 1)}


def measure(
    recordings: list[Recording], model: Path, *, realtime: bool, names: bool = True, plot: Path | None = None
) -> dict[str, Any]:
    """Measure everything.

    Args:
        recordings: From ``read_manifest``.
        model: Folder with a CTranslate2 Whisper model.
        realtime: Also measure latencies, and stock.
        names: Also measure what knowing names is worth.
        plot: Where to draw the delays.

    Returns:
        The report, by key.
    """
    before = _rss_mb()
    engine = WhisperEngine.load(model)
    engine.warm_up()
    decoder = TimedDecoder(ShortContextDecoder(engine.model, ChineseScript()))

    def ours(language: str) -> StreamingWhisperSTTService:
        settings = ASRSettings.model_validate({"language": language})
        return StreamingWhisperSTTService(model_path=model, settings=settings, shared=engine, decoder=decoder)

    def expecting(language: str) -> STTService:
        recogniser = ours(language)
        recogniser.expect([*NAMES["en"], *NAMES["zh"]])
        return recogniser

    def stock(language: str) -> STTService:
        return WhisperSTTService(
            device="cpu",
            compute_type="int8",
            ttfs_p99_latency=3.0,
            settings=WhisperSTTService.Settings(model=str(model), language=language),
        )

    run = hear(recordings, ours, realtime=realtime)
    peak, added = _peak_rss_mb(), _rss_mb() - before
    full = full_window(recordings, engine)
    silent = [recording for recording in recordings if recording.reference is None]
    minutes = sum(recording.seconds for recording in silent) / 60
    invented = sum(len(split_units(run.texts[recording.file])) for recording in silent)
    final = percentiles(run.final_ms)
    stock_run = hear(recordings, stock, realtime=True) if realtime else Run()
    stock_final = percentiles(stock_run.final_ms)
    script = OpenCC("t2s")
    if plot is not None:
        draw_delays(plot, {"ours": run, "stock": stock_run} if realtime else {"ours": run})
    rtf, rtf_cpu = decoder.seconds, decoder.cpu_seconds
    spoken = list(spoken_names()) if names else []
    unknown = measure_names(spoken, ours, script)
    known = measure_names(spoken, expecting, script)
    distracted = hear(recordings, expecting, realtime=False) if names else None
    ratio = None
    if realtime and final["p50"] is not None and stock_final["p50"]:
        ratio = round(final["p50"] / stock_final["p50"], 4)
    return {
        "wer_en": _rounded(errors(recordings, run, "en", script)),
        "cer_zh": _rounded(errors(recordings, run, "zh", script)),
        "wer_en_full": _rounded(errors(recordings, full, "en", script)),
        "cer_zh_full": _rounded(errors(recordings, full, "zh", script)),
        "first_interim_ms": percentiles(run.first_interim_ms) if realtime else {"p50": None, "p95": None},
        "final_after_vad_stop_ms": final if realtime else {"p50": None, "p95": None},
        "stock_final_after_vad_stop_ms": stock_final,
        "ratio_to_stock_p50": ratio,
        "hallucinated_words_per_minute": round(invented / minutes, 3) if minutes else None,
        "rtf": round(rtf / run.speech_s, 3) if run.speech_s else None,
        "rtf_cpu_of_two_cores": round(rtf_cpu / 2 / run.speech_s, 3) if run.speech_s else None,
        "peak_rss_mb": round(peak, 1),
        "rss_added_mb": round(added, 1),
        "name_recall_without_bias": unknown.recall,
        "name_recall_with_bias": known.recall,
        "name_error_without_bias": unknown.error,
        "name_error_with_bias": known.error,
        "wer_en_with_bias": _rounded(errors(recordings, distracted, "en", script)) if distracted else None,
        "cer_zh_with_bias": _rounded(errors(recordings, distracted, "zh", script)) if distracted else None,
        "n": len(recordings),
        "n_stops": len(run.final_ms),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _rss_mb() -> float:
    """Resident memory now; on systems without /proc the most there ever was."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return _peak_rss_mb()
    return int(status.read_text().split()[1]) * resource.getpagesize() / 1024**2


def _peak_rss_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--realtime", action="store_true", help="play in real time and measure latencies")
    parser.add_argument("--model", type=Path, default=DEFAULT_MODEL, help="folder with a CTranslate2 Whisper model")
    parser.add_argument("--limit", type=int, help="only the first N recordings")
    parser.add_argument("--no-names", action="store_true", help="leave out the rare names")
    parser.add_argument("--plot", type=Path, help="draw delay against length into this .svg file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    logger.remove()
    logger.add(sys.stderr, level="ERROR")
    try:
        recordings = read_manifest(arguments.manifest, arguments.limit)
        report = measure(
            recordings,
            arguments.model.expanduser(),
            realtime=arguments.realtime,
            names=not arguments.no_names,
            plot=arguments.plot,
        )
    except UserError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    if arguments.json:
        print(json.dumps(report))
    else:
        for key, value in report.items():
            print(f"{key:32} {value}")


if __name__ == "__main__":
    main()
