"""Reads what a replay is given: audio files or a scenario, and the settings that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.archive import JOURNAL_FILE, KEYS_FOLDER, SESSIONS_FILE
from memory.errors import UserError
from pipeline.audio_file import probe
from pipeline.scenario import Scenario, load_scenario
from pipeline.settings import Settings, load_settings
from pipeline.tools.loading import FOLDER
from pipeline.tools.meeting_rooms import FILE

SCENARIO_SUFFIXES = {".yaml", ".yml"}


@dataclass(frozen=True)
class ReplayRequest:
    """What was asked for.

    Attributes:
        inputs: Audio files, or one scenario.
        out: Output folder.
        virtual: Lock-step.
        text: Turns enter as words.
        language: Overrides the configuration: en, zh or auto.
        user: Overrides the configuration.
        show: ``all``, ``progress`` alone, or ``json`` on standard output.
        config: YAML file with settings.
        overrides: ``--set`` items.
        data: Where memory lives; None for a fresh one in the output folder.
    """

    inputs: list[Path]
    out: Path
    virtual: bool
    text: bool
    language: str | None
    user: str | None
    show: Literal["all", "progress", "json"]
    config: Path | None
    overrides: list[str]
    data: Path | None


@dataclass(frozen=True)
class ReplayInputs:
    """What is to be played.

    Attributes:
        scenario: The scenario, if it is one.
        files: Else the audio files.
        seconds: Known length of the audio; 0 if it is not known before it is spoken.
    """

    scenario: Scenario | None
    files: list[Path]
    seconds: float


def read_inputs(request: ReplayRequest) -> ReplayInputs:
    """Check every input before anything else happens.

    Raises:
        UserError: A file is missing, unreadable or of the wrong kind.
    """
    scenarios = [path for path in request.inputs if path.suffix.lower() in SCENARIO_SUFFIXES]
    if scenarios and len(request.inputs) > 1:
        raise UserError(f"{scenarios[0]}: a scenario is replayed alone, without other inputs")
    if scenarios:
        scenario = load_scenario(scenarios[0])
        clips = [number for number, turn in enumerate(scenario.turns) if turn.audio is not None]
        if request.text and clips:
            raise UserError(f"{scenarios[0]}: turns.{clips[0]}.audio: a recording has no words for --text to take")
        return ReplayInputs(scenario, [], 0.0)
    if request.text:
        raise UserError("--text: needs a scenario; a recording has no words to take")
    return ReplayInputs(None, request.inputs, sum(probe(path).seconds for path in request.inputs))


def replay_settings(request: ReplayRequest, inputs: ReplayInputs) -> Settings:
    """Settings of a replay: file and environment, then the scenario, then the options, then ``--set``.

    Raises:
        UserError: A key or value is wrong.
    """
    extra: list[str] = []
    language = request.language
    if inputs.scenario is not None:
        extra.append(f"agent.user={inputs.scenario.user}")
        language = inputs.scenario.language if language is None else language
    if language is not None:
        extra.append(f"asr.language={language}")
        if language != "auto":
            extra.append(f"agent.language={language}")
    if request.user is not None:
        extra.append(f"agent.user={request.user}")
    settings = load_settings(request.config, [*extra, *request.overrides])
    return settings if request.data is None else with_memory(settings, request.data)


def fresh_memory(request: ReplayRequest, settings: Settings) -> Path | None:
    """The folder for a memory that begins empty, so that two runs of the same input start alike.

    Returns:
        A folder beside the output; None if the settings name one.
    """
    return None if "data_dir" in settings.memory.model_fields_set else request.out / "memory"


def with_memory(settings: Settings, folder: Path) -> Settings:
    """The settings with memory in another folder."""
    memory = settings.memory.model_copy(update={"data_dir": folder})
    return settings.model_copy(update={"memory": memory})


def clear_memory(folder: Path) -> None:
    """Delete an older replay's memory: its own files, nothing else.

    Raises:
        UserError: A file cannot be deleted.
    """
    patterns = (f"{JOURNAL_FILE}*", f"{SESSIONS_FILE}*", f"{KEYS_FOLDER}/*", f"{FOLDER}/{FILE}*")
    try:
        for pattern in patterns:
            for path in folder.glob(pattern):
                path.unlink()
    except OSError as error:
        raise UserError(f"{folder}: cannot clear the memory of an older replay: {error.strerror}") from None
