"""Typed configuration: defaults here, YAML over them, the environment over that, ``--set`` over all.

Every key is declared; an unknown key, a wrong type or a missing file ends in one line that names the file
and the key (``UserError``). Secrets come from the environment or from a file, are kept as ``SecretStr`` and
are never printed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from memory.errors import UserError
from pipeline.home import expand
from pipeline.settings_base import Address, NotBlank, Section, is_one_word, sound_key
from pipeline.settings_problem import explain
from pipeline.settings_tools import ToolSettings
from pipeline.yaml_file import YAMLProblem, parse_yaml, read_yaml

Language = Literal["en", "zh", "auto"]


class LLMSettings(Section):
    """The language model: embedded by default, or any OpenAI-compatible endpoint."""

    base_url: Address | None = Field(None, description="Endpoint, such as http://localhost:11434/v1; none = embedded")
    model: str = Field("smollm2-135m", description="Model name at the endpoint, or the embedded weights' name")
    api_key: Annotated[SecretStr, AfterValidator(partial(sound_key, "OPENAI_API_KEY"))] | None = Field(
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

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
                raise ValueError(f"{name!r} cannot be the name of an HTTP header")
            if not re.fullmatch(r"[\x20-\x7e]*", value):
                raise ValueError(f"the value of {name} must be ASCII in one line")
        return headers


class ASRSettings(Section):
    """Streaming recognition."""

    model: str = Field(
        "whisper-base",
        description="Name in configs/weights.yaml, a folder with a CTranslate2 model, or the endpoint's name for one",
    )
    language: Language = Field("en", description="Fixed, or auto: detected on the first confident speech, then locked")
    compute_type: str = Field("int8", description="CTranslate2 compute type: int8, float32, float16 …")
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    threads: int | None = Field(None, ge=1, description="CPU threads of one decode; none = half of the cores")
    interim_interval_s: float = Field(0.3, gt=0, description="New audio before the next interim decode")
    chinese_script: Literal["simplified", "traditional"] = "simplified"
    name_bias: bool = Field(True, description="Listen for the names that memory knows")
    base_url: Address | None = Field(
        None, description="Transcription endpoint, such as http://gpu.example:8000/v1; none = on this machine"
    )
    api_key: Annotated[SecretStr, AfterValidator(partial(sound_key, "INNERVOICE_ASR_API_KEY"))] | None = Field(
        None,
        description="From INNERVOICE_ASR_API_KEY or api_key_file; none = llm.api_key, if both are one server",
    )
    api_key_file: Path | None = Field(None, description="File that holds the key")
    timeout_s: float = Field(5.0, gt=0, description="Longest wait for the endpoint's answer")


class TTSSettings(Section):
    """The agent's voice."""

    voice: str | None = Field(
        None, description="Name in configs/weights.yaml or a Piper .onnx file; none = by language"
    )
    speed: float = Field(1.0, gt=0.3, lt=3.0, description="1.0 = as trained, 1.2 = a fifth faster")
    first_clause_chars: int = Field(20, ge=1, description="The first clause goes to the voice from this length on")


class MemorySettings(Section):
    """What is remembered and how it is recalled."""

    deadline_ms: float = Field(134.0, gt=0, description="Recall budget from the speech tail, milliseconds")
    token_budget: int = Field(430, gt=0, description="Tokens that recalled lines may take in the prompt")
    top_k: int = Field(5, ge=1, le=100, description="Recalled lines per turn")
    data_dir: Path = Field(Path("~/.local/share/innervoice"), description="Where memory lives")


class SessionSettings(Section):
    """Where inner states live."""

    store: str = Field("sqlite", description="sqlite, or redis://:password@host:port/db, rediss://…, unix:///socket")
    idle_timeout_s: float = Field(1800.0, gt=0, description="A session is archived after this silence")
    expire_s: float = Field(
        90 * 86400.0, ge=0, description="Redis deletes a session this long after its last change; 0 = never"
    )

    @field_validator("store")
    @classmethod
    def _is_store(cls, store: str) -> str:
        if store == "sqlite":
            return store
        try:
            parts = urlsplit(store)
            sound = bool(parts.hostname) and parts.port != 0 if parts.scheme != "unix" else len(parts.path) > 1
        except ValueError:
            sound = False
        if not sound or parts.scheme not in ("redis", "rediss", "unix") or not is_one_word(store):
            raise ValueError("expected 'sqlite' or an address: redis://, rediss:// or unix://")
        return store


class TurnSettings(Section):
    """When a turn begins and ends."""

    vad_start_s: float = Field(0.2, gt=0, description="Speech before the VAD says started, seconds")
    vad_stop_s: float = Field(0.2, gt=0, description="Silence before the VAD says stopped, seconds")
    vad_confidence: float = Field(0.7, gt=0, lt=1)
    vad_min_volume: float = Field(0.6, ge=0, lt=1)
    smart_turn: bool = Field(True, description="Ask Smart Turn whether the turn is complete; off = silence alone")
    complete_silence_s: float = Field(0.4, gt=0, description="Silence that ends a turn that Smart Turn calls complete")
    silence_s: float = Field(0.6, gt=0, description="Silence that ends a turn without Smart Turn, seconds")
    incomplete_silence_s: float = Field(
        2.0,
        gt=0,
        description="Silence that ends a turn that Smart Turn calls incomplete, or whose last word is wait or um",
    )
    interrupt_words: int = Field(
        2, ge=1, description="Words that interrupt a reply; stop words always do, backchannels (mhm, 嗯) never"
    )
    interrupt_speech_s: float = Field(0.6, gt=0, description="Speech that interrupts with a single word, seconds")
    resume_after_s: float = Field(
        1.0, gt=0, le=4, description="A reply paused for a sound that has no words goes on after this, seconds"
    )


class AgentSettings(Section):
    """Who the agent is."""

    name: NotBlank = "Joe"
    language: Literal["en", "zh"] = "en"
    instructions: str = Field("", description="Added to the system prompt, word for word")
    user: NotBlank = Field("me", description="Whose memory the conversation belongs to")


class WeightsSettings(Section):
    """Where model weights come from."""

    cache_dir: Path = Field(Path("~/.cache/innervoice"), description="Also from INNERVOICE_CACHE")
    offline: bool = Field(False, description="Never ask the network for weights")


class Settings(Section):
    """One conversation's configuration."""

    agent: AgentSettings = Field(default_factory=AgentSettings)
    llm: LLMSettings = Field(default_factory=LLMSettings)
    asr: ASRSettings = Field(default_factory=ASRSettings)
    tts: TTSSettings = Field(default_factory=TTSSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    session: SessionSettings = Field(default_factory=SessionSettings)
    turn: TurnSettings = Field(default_factory=TurnSettings)
    tools: ToolSettings = Field(default_factory=ToolSettings)
    weights: WeightsSettings = Field(default_factory=WeightsSettings)

    @model_validator(mode="after")
    def _combinations(self) -> Settings:
        if self.llm.base_url is None and self.llm.reply_format == "json":
            raise ValueError("llm.reply_format: the embedded model cannot write JSON; set llm.base_url, or use plain")
        return self


# Sections with an endpoint -> the variable that holds its key.
SECRET_SECTIONS = {"llm": "OPENAI_API_KEY", "asr": "INNERVOICE_ASR_API_KEY"}

# Environment variable -> key. Later ones win over earlier ones.
ENVIRONMENT: tuple[tuple[str, str], ...] = (
    ("OPENAI_BASE_URL", "llm.base_url"),
    ("OPENAI_MODEL", "llm.model"),
    ("OPENAI_API_KEY", "llm.api_key"),
    ("INNERVOICE_ASR_BASE_URL", "asr.base_url"),
    ("INNERVOICE_ASR_MODEL", "asr.model"),
    ("INNERVOICE_ASR_API_KEY", "asr.api_key"),
    ("INNERVOICE_CACHE", "weights.cache_dir"),
    ("INNERVOICE_DATA", "memory.data_dir"),
    ("INNERVOICE_SESSION_STORE", "session.store"),
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
    for variable, key in ENVIRONMENT:
        if environ.get(variable):
            _assign(raw, key, environ[variable], source=variable)
    for item in overrides:
        key, separator, value = item.partition("=")
        if not separator or not key.strip():
            raise UserError(f"--set {item}: expected key.path=value, such as asr.language=zh")
        _assign(raw, key.strip(), _value(key.strip(), value), source=f"--set {key.strip()}")
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise UserError(explain(error.errors()[0], path, Settings)) from None
    for section in SECRET_SECTIONS:
        settings = _with_key_file(settings, section)
    return _with_shared_key(settings)


def _read_yaml(path: Path) -> dict[str, Any]:
    raw = read_yaml(path, "the configuration")
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise UserError(f"{path}: expected sections such as 'asr:' and 'llm:', found {type(raw).__name__}")
    raw = {section: {} if values is None else values for section, values in raw.items()}
    _check_file(raw, path)
    return raw


def _check_file(raw: dict[str, Any], path: Path) -> None:
    """Refuse what is wrong in the file itself, also where something else overrules it.

    Raises:
        UserError: One line that names file and key.
    """
    for section, variable in SECRET_SECTIONS.items():
        if isinstance(raw.get(section), dict) and "api_key" in raw[section]:
            raise UserError(
                f"{path}: {section}.api_key: secrets do not belong into a file of settings; "
                f"set {variable} or {section}.api_key_file"
            )
    try:
        Settings.model_validate(raw)
    except ValidationError as error:
        # What does not fit together may still be mended by the environment or an option.
        problems = [problem for problem in error.errors() if problem["loc"]]
        if problems:
            raise UserError(explain(problems[0], path, Settings)) from None


def _value(key: str, text: str) -> Any:
    """What was set: words and paths as they are, everything else in YAML."""
    kinds = _kinds(key)
    if kinds & {str, Path, SecretStr}:
        return None if type(None) in kinds and text in ("", "null", "~") else text
    try:
        return parse_yaml(text) if text else ""
    except YAMLProblem:
        return text


def _kinds(key: str) -> set[Any]:
    """The types that a key may have; none for an unknown key."""
    section_name, _, name = key.partition(".")
    section = Settings.model_fields.get(section_name)
    field = getattr(section.annotation, "model_fields", {}).get(name) if section is not None else None
    if field is None:
        return set()
    if (container := get_origin(field.annotation)) in (list, dict):
        return {container}
    return set(get_args(field.annotation)) or {field.annotation}


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


def _with_key_file(settings: Settings, section: str) -> Settings:
    values = getattr(settings, section)
    path = values.api_key_file
    if path is None or values.api_key is not None:
        return settings
    name = f"{section}.api_key_file"
    try:
        key = expand(path, name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"{name}: cannot read {path}: {reason}") from None
    if not is_one_word(key):
        raise UserError(f"{name}: {path}: expected nothing but a key: ASCII without spaces")
    return settings.model_copy(update={section: values.model_copy(update={"api_key": SecretStr(key)})})


def _with_shared_key(settings: Settings) -> Settings:
    """Let recognition use the language model's key where one server does both; no other server gets to see it."""
    asr, llm = settings.asr, settings.llm
    if asr.base_url is None or asr.api_key is not None or llm.api_key is None or llm.base_url is None:
        return settings
    if _origin(asr.base_url) != _origin(llm.base_url):
        return settings
    return settings.model_copy(update={"asr": asr.model_copy(update={"api_key": llm.api_key})})


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port
