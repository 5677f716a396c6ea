"""Scenario files: a conversation as it should be played (contract in the design, section 4)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from memory.errors import UserError
from pipeline.audio_file import probe
from pipeline.settings import NotBlank
from pipeline.yaml_file import read_yaml

# Calendars and time zones can be reckoned with in these years, and a day around them.
FIRST_YEAR = 1970
LAST_YEAR = 2999


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def _sensible(clock: datetime) -> datetime:
    if not FIRST_YEAR <= clock.year <= LAST_YEAR:
        raise ValueError(f"expected a year from {FIRST_YEAR} to {LAST_YEAR}")
    return clock


Clock = Annotated[datetime, AfterValidator(_sensible)]


class When(_Part):
    """When a turn begins; without it: when the reply to the one before has ended."""

    into_reply: float = Field(ge=0, description="Seconds after the reply's first audio")


class NewSession(_Part):
    """The same user comes back in a new conversation."""

    clock: Clock | None = None


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
    """A tool that answers what the scenario says; ``returns`` alone may be written in its place."""

    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    returns: Any = None
    risky: bool = False
    delay_s: float = Field(0.0, ge=0, description="Seconds until it answers")
    error: str | None = Field(None, description="Fails with these words in place of a result")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, raw: Any) -> Any:
        """A tool that is written as what it returns."""
        return {"returns": raw} if isinstance(raw, list) else raw

    @field_validator("parameters")
    @classmethod
    def _is_schema(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        if parameters and not isinstance(parameters.get("properties", {} if "type" in parameters else None), dict):
            raise ValueError("expected a JSON schema: {type: object, properties: {…}}")
        return parameters


ToolName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class Scenario(_Part):
    """A conversation to play."""

    user: NotBlank = "me"
    language: Literal["en", "zh"] = "en"
    clock: Clock | None = None
    tools: dict[ToolName, ScriptedTool] = Field(default_factory=dict)
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
    raw = read_yaml(path, "the scenario")
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
        if turn.when is not None and (number == 0 or turn.new_session is not None):
            raise UserError(f"{path}: turns.{number}.when: there is no reply before the first turn of a session")
    return scenario
