"""Scenario files: a conversation as it should be played (contract in the design, section 4)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memory.errors import UserError
from pipeline.audio_file import probe


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class When(_Part):
    """When a turn begins; without it: when the reply to the one before has ended."""

    into_reply: float = Field(ge=0, description="Seconds after the reply's first audio")


class NewSession(_Part):
    """The same user comes back in a new conversation."""

    clock: datetime | None = None


class ScenarioTurn(_Part):
    """One thing the user says: words for the test voice, or a recording."""

    say: str | None = None
    audio: Path | None = None
    when: When | None = None
    new_session: NewSession | None = None

    @model_validator(mode="after")
    def _one_of(self) -> ScenarioTurn:
        if (self.say is None) == (self.audio is None):
            raise ValueError("needs either 'say' (words) or 'audio' (a recording)")
        if self.say is not None and not self.say.strip():
            raise ValueError("'say' is empty")
        return self


class ScriptedTool(_Part):
    """A tool that answers what the scenario says."""

    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    returns: Any = None
    risky: bool = False


class Scenario(_Part):
    """A conversation to play."""

    user: str = Field("me", min_length=1)
    language: Literal["en", "zh"] = "en"
    clock: datetime | None = None
    tools: dict[str, ScriptedTool] = Field(default_factory=dict)
    turns: list[ScenarioTurn] = Field(min_length=1)


def load_scenario(path: Path) -> Scenario:
    """Read a scenario; paths of recordings are relative to it.

    Args:
        path: The YAML file.

    Returns:
        The scenario, with absolute paths, every recording probed.

    Raises:
        UserError: One line that names the file, the key and what was expected.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot read the scenario: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: cannot read the scenario: not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}:" if mark else ""
        raise UserError(f"{path}:{where} not valid YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{path}: expected a scenario with 'turns:'")
    try:
        scenario = Scenario.model_validate(raw)
    except ValidationError as error:
        # A misspelt key explains a missing one.
        first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
        key = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            message = "unknown key"
        raise UserError(f"{path}: {key}: {message[0].lower()}{message[1:]}") from None
    for number, turn in enumerate(scenario.turns):
        if turn.audio is not None:
            turn.audio = (path.parent / turn.audio).resolve()
            try:
                probe(turn.audio)
            except UserError as error:
                raise UserError(f"{path}: turns.{number}.audio: {error}") from None
    first_turn = scenario.turns[0]
    if first_turn.when is not None:
        raise UserError(f"{path}: turns.0.when: there is no reply before the first turn")
    return scenario
