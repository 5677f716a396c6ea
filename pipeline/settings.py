"""Typed configuration: defaults here, YAML over them, the environment over that, ``--set`` over all.

Every key is declared; an unknown key, a wrong type or a missing file ends in one line that names the file
and the key (``UserError``). Secrets come from the environment or from a file, are kept as ``SecretStr`` and
are never printed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from memory.errors import UserError

Language = Literal["en", "zh", "auto"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_default=True)


class LLMSettings(_Section):
    """The language model: embedded by default, or any OpenAI-compatible endpoint."""

    base_url: str | None = Field(None, description="Endpoint, such as http://localhost:11434/v1; none = embedded")
    model: str = Field("smollm2-135m", description="Model name at the endpoint, or the embedded weights' name")
    api_key: SecretStr | None = Field(
        None, description="From OPENAI_API_KEY or api_key_file; never in a file of configs/"
    )
    api_key_file: Path | None = Field(None, description="File that holds the key")
    headers: dict[str, str] = Field(default_factory=dict, description="Extra HTTP headers")
    timeout_s: float = Field(20.0, gt=0, description="Longest wait for the first token, and between tokens")
    temperature: float = Field(0.0, ge=0, le=2)
    max_tokens: int = Field(160, gt=0, description="Longest reply, tokens; the update of json comes on top")
    reply_format: Literal["json", "plain"] = Field("plain", description="json: {reply, state_update}; plain: text")
    developer_role: bool = Field(False, description="Whether the endpoint accepts the developer role")
    memories: int | None = Field(
        None,
        ge=0,
        description="How many recalled lines the prompt carries; none = memory.top_k, embedded: 1",
    )


class ASRSettings(_Section):
    """Streaming recognition."""

    model: str = Field(
        "whisper-base",
        description="Name in configs/weights.yaml, or a folder with a CTranslate2 model",
    )
    language: Language = Field("en", description="Fixed, or auto: detected on the first confident speech, then locked")
    compute_type: str = Field("int8", description="CTranslate2 compute type: int8, float32, float16 …")
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    threads: int | None = Field(None, ge=1, description="CPU threads of one decode; none = half of the cores")
    interim_interval_s: float = Field(0.3, gt=0, description="New audio before the next interim decode")
    chinese_script: Literal["simplified", "traditional"] = "simplified"


class TTSSettings(_Section):
    """The agent's voice."""

    voice: str | None = Field(
        None, description="Name in configs/weights.yaml or a Piper .onnx file; none = by language"
    )
    speed: float = Field(1.0, gt=0.3, lt=3.0, description="1.0 = as trained, 1.2 = a fifth faster")
    first_clause_chars: int = Field(20, ge=1, description="The first clause goes to the voice from this length on")


class MemorySettings(_Section):
    """What is remembered and how it is recalled."""

    deadline_ms: float = Field(134.0, gt=0, description="Recall budget from the speech tail, milliseconds")
    token_budget: int = Field(430, gt=0, description="Tokens that recalled lines may take in the prompt")
    top_k: int = Field(5, ge=1, le=100, description="Recalled lines per turn")
    data_dir: Path = Field(Path("~/.local/share/innervoice"), description="Where memory lives")


class SessionSettings(_Section):
    """Where inner states live."""

    store: str = Field("sqlite", description="sqlite, or redis://host:port/db")
    idle_timeout_s: float = Field(1800.0, gt=0, description="A session is archived after this silence")


class TurnSettings(_Section):
    """When a turn begins and ends."""

    vad_start_s: float = Field(0.2, gt=0, description="Speech before the VAD says started, seconds")
    vad_stop_s: float = Field(0.2, gt=0, description="Silence before the VAD says stopped, seconds")
    vad_confidence: float = Field(0.7, gt=0, lt=1)
    vad_min_volume: float = Field(0.6, ge=0, lt=1)
    smart_turn: bool = Field(True, description="Ask Smart Turn whether the turn is complete; off = silence alone")
    complete_silence_s: float = Field(0.4, gt=0, description="Silence that ends a turn that Smart Turn calls complete")
    silence_s: float = Field(0.6, gt=0, description="Silence that ends a turn without Smart Turn, seconds")
    incomplete_silence_s: float = Field(
        2.0, gt=0, description="Silence that ends a turn that Smart Turn calls incomplete"
    )


class AgentSettings(_Section):
    """Who the agent is."""

    name: str = Field("Joe", min_length=1)
    language: Literal["en", "zh"] = "en"
    instructions: str = Field("", description="Added to the system prompt, word for word")
    user: str = Field("me", min_length=1, description="Whose memory the conversation belongs to")


class WeightsSettings(_Section):
    """Where model weights come from."""

    cache_dir: Path = Field(Path("~/.cache/innervoice"), description="Also from INNERVOICE_CACHE")
    offline: bool = Field(False, description="Never ask the network for weights")


class Settings(_Section):
    """One conversation's configuration."""

    agent: AgentSettings = Field(default_factory=AgentSettings)
    llm: LLMSettings = Field(default_factory=LLMSettings)
    asr: ASRSettings = Field(default_factory=ASRSettings)
    tts: TTSSettings = Field(default_factory=TTSSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    session: SessionSettings = Field(default_factory=SessionSettings)
    turn: TurnSettings = Field(default_factory=TurnSettings)
    weights: WeightsSettings = Field(default_factory=WeightsSettings)

    @model_validator(mode="after")
    def _combinations(self) -> Settings:
        if self.llm.base_url is None and self.llm.reply_format == "json":
            raise ValueError("llm.reply_format: the embedded model cannot write JSON; set llm.base_url, or use plain")
        if self.llm.base_url is not None and not self.llm.base_url.startswith(("http://", "https://")):
            raise ValueError("llm.base_url: expected an http:// or https:// address")
        if self.session.store != "sqlite" and not self.session.store.startswith(("redis://", "rediss://")):
            raise ValueError("session.store: expected 'sqlite' or a redis:// address")
        return self


# Environment variable -> key. Later ones win over earlier ones.
ENVIRONMENT: tuple[tuple[str, str], ...] = (
    ("OPENAI_BASE_URL", "llm.base_url"),
    ("OPENAI_MODEL", "llm.model"),
    ("OPENAI_API_KEY", "llm.api_key"),
    ("INNERVOICE_CACHE", "weights.cache_dir"),
    ("INNERVOICE_DATA", "memory.data_dir"),
    ("INNERVOICE_OFFLINE", "weights.offline"),
)


def load_settings(
    path: Path | None = None,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the configuration.

    Args:
        path: A YAML file; None for the defaults alone.
        overrides: ``key.path=value`` items, the value in YAML (``--set``).
        environ: Environment variables; the process's own by default.

    Returns:
        The checked settings.

    Raises:
        UserError: One line that names the file and key, and what was expected.
    """
    environ = os.environ if environ is None else environ
    raw: dict[str, Any] = _read_yaml(path) if path is not None else {}
    if isinstance(raw.get("llm"), dict) and "api_key" in raw["llm"]:
        raise UserError(
            f"{path}: llm.api_key: secrets do not belong into a file of settings; "
            "set OPENAI_API_KEY or llm.api_key_file"
        )
    for variable, key in ENVIRONMENT:
        if environ.get(variable):
            _assign(raw, key, environ[variable], source=variable)
    for item in overrides:
        key, separator, value = item.partition("=")
        if not separator or not key.strip():
            raise UserError(f"--set {item}: expected key.path=value, such as asr.language=zh")
        try:
            parsed = yaml.safe_load(value) if value else ""
        except yaml.YAMLError:
            parsed = value
        if key.strip() in {"llm.api_key", "llm.model", "agent.user", "agent.name"}:
            parsed = value
        _assign(raw, key.strip(), parsed, source=f"--set {key.strip()}")
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise UserError(" ".join(_explain(error, path).split())) from None
    return _with_key_file(settings)


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot read the configuration: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: cannot read the configuration: not UTF-8 text") from None
    try:
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}:{where} not valid YAML: {getattr(error, 'problem', error)}") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise UserError(f"{path}: expected sections such as 'asr:' and 'llm:', found {type(raw).__name__}")
    return {section: {} if values is None else values for section, values in raw.items()}


def _assign(raw: dict[str, Any], key: str, value: Any, source: str) -> None:
    """Put ``value`` at a dotted key, making sections on the way."""
    *sections, last = key.split(".")
    node = raw
    for section in sections:
        child = node.setdefault(section, {})
        if child is None:
            child = node[section] = {}
        if not isinstance(child, dict):
            raise UserError(f"{source}: {section} is not a section")
        node = child
    node[last] = value


def _explain(error: ValidationError, path: Path | None) -> str:
    """The first problem as one line: file, key, what was expected, what was found."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    where = f"{path}: " if path else ""
    if first["type"] == "extra_forbidden":
        section = Settings
        for part in first["loc"][:-1]:
            section = section.model_fields[str(part)].annotation  # type: ignore[assignment]
        known = ", ".join(section.model_fields)
        return f"{where}{key}: unknown key; known here: {known}"
    message = first["msg"].removeprefix("Value error, ")
    if not key:
        return f"{where}{message}"
    found = "" if "key" in key else f" (found {first['input']!r})"
    return f"{where}{key}: {message[0].lower()}{message[1:]}{found}"


def _with_key_file(settings: Settings) -> Settings:
    path = settings.llm.api_key_file
    if path is None or settings.llm.api_key is not None:
        return settings
    try:
        key = path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"llm.api_key_file: cannot read {path}: {reason}") from None
    llm = settings.llm.model_copy(update={"api_key": SecretStr(key)})
    return settings.model_copy(update={"llm": llm})
