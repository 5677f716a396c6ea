"""Writes ``report.html``: reads the folder of a conversation, lays it out, fills the template."""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.environment import TemplateStream
from loguru import logger
from markupsafe import Markup

from memory.errors import UserError
from pipeline.report.envelope import Envelope, NoSound, NotAWaveFile, lane_paths, read_envelope
from pipeline.report.recalled import DEADLINE_MS
from pipeline.report.session_file import FILE_NAME, Turn, read_session
from pipeline.report.stages import stages_of
from pipeline.report.summary import summarise
from pipeline.report.timeline import build_timeline
from pipeline.report.turn_view import view_turn
from pipeline.report.wording import milliseconds

AUDIO_NAME = "conversation.wav"
REPORT_NAME = "report.html"
MAX_EMBEDDED_BYTES = 3_000_000
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class _Audio:
    """The recording as the page uses it: ``source`` is a relative link or a data URI."""

    source: str
    envelope: Envelope


def build_report(folder: Path) -> Path:
    """Write the report of a conversation.

    The page needs no network and no other file, except the recording if that is too large to be put inside.

    Args:
        folder: Holds ``session.jsonl``, and ``conversation.wav`` (16-bit stereo: left user, right agent) if the
            conversation was recorded.

    Returns:
        The path of ``report.html`` in the same folder.

    Raises:
        UserError: ``session.jsonl`` is missing, empty or invalid, or the folder cannot be written.
    """
    session = read_session(folder / FILE_NAME)
    audio, notes = _read_audio(folder / AUDIO_NAME)
    turns = session.turns
    seconds = audio.envelope.seconds if audio else 0.0
    timeline = build_timeline(turns, seconds)
    style, script = _part("report.css"), _part("report.js")
    page = (
        _environment()
        .get_template("template.html")
        .stream(
            summary=summarise(turns, [stages_of(turn) for turn in turns], timeline.seconds if timeline else seconds),
            turns=[view_turn(turn, turns) for turn in turns],
            timeline=timeline,
            audio=audio,
            lanes={"user": lane_paths(audio.envelope, 0), "agent": lane_paths(audio.envelope, 1)} if audio else {},
            notes=[*session.notes, *notes, *_about_the_clock(turns)],
            budget_ms=DEADLINE_MS,
            ms=milliseconds,
            style=Markup(style),
            script=Markup(script),
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        )
    )
    return _write(folder / REPORT_NAME, page)


def _about_the_clock(turns: Sequence[Turn]) -> list[str]:
    """Say so if work took no time on the conversation's clock, which is how a lock-step replay looks."""
    answered = [turn for turn in turns if any(event.kind == "llm_first_token" for event in turn.events)]
    working = (turn.latency_ms.get(key) for turn in answered for key in ("llm_first_token", "tts_first_audio"))
    if not answered or any(working):
        return []
    return ["Replayed in lock-step: time stood still while recall, model and voice worked, so they show 0 ms."]


def _environment() -> Environment:
    """Everything that is put into the page is escaped, except the page's own style and script."""
    return Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _read_audio(path: Path) -> tuple[_Audio | None, list[str]]:
    """The recording, or None with the reason in words."""
    try:
        envelope = read_envelope(path)
        if path.stat().st_size > MAX_EMBEDDED_BYTES:
            return _Audio(path.name, envelope), []
        return _Audio(f"data:audio/wav;base64,{base64.b64encode(path.read_bytes()).decode()}", envelope), []
    except (FileNotFoundError, NoSound):
        return None, []
    except NotAWaveFile as error:
        reason = str(error)
    except OSError as error:
        reason = error.strerror or str(error)
    logger.warning("{}: left out of the report: {}", path, reason)
    return None, [f"{AUDIO_NAME} was left out: {reason}."]


def _write(path: Path, page: TemplateStream) -> Path:
    """Write the page in one step, so that a reader never finds half of it."""
    unfinished = path.with_name(f".{path.name}.part")
    try:
        page.enable_buffering(64)
        with unfinished.open("wb") as file:
            page.dump(file, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot write the report: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return path
