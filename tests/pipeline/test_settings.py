"""Settings: every wrong one ends in one line that names the file, the key and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import UserError
from pipeline.settings import ENVIRONMENT, SECRET_SECTIONS, Settings, load_settings

ROOT = Path(__file__).resolve().parent.parent.parent
SECTIONS = {name: set(type(getattr(Settings(), name)).model_fields) for name in Settings.model_fields}

# Seven levels of nine references each: small to read, not to be shown.
BOMB = (
    "x: &a [1,1,1,1,1,1,1,1,1]\n"
    + "".join(f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True))
    + "asr: *h\n"
)


def load(text: str, folder: Path, *overrides: str, **environ: str) -> Settings:
    path = folder / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, overrides, environ)


def refuse(text: str, folder: Path, *overrides: str, **environ: str) -> str:
    with pytest.raises(UserError) as caught:
        load(text, folder, *overrides, **environ)
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_without_anything_there_are_defaults() -> None:
    settings = load_settings(environ={})
    assert settings.memory.deadline_ms == 134
    assert settings.memory.token_budget == 430
    assert settings.memory.top_k == 5
    assert settings.session.store == "sqlite"
    assert settings.llm.base_url is None


def test_the_file_of_defaults_holds_the_defaults_and_every_key() -> None:
    path = ROOT / "configs" / "default.yaml"
    assert load_settings(path, environ={}) == load_settings(environ={})
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {name: set(keys) for name, keys in written.items()} == {
        name: keys - ({"api_key"} if name in SECRET_SECTIONS else set()) for name, keys in SECTIONS.items()
    }


def test_the_file_the_environment_and_the_command_line_in_that_order(tmp_path: Path) -> None:
    text = "llm: {base_url: http://file:1/v1, model: from-file, max_tokens: 10}"
    environment = {"OPENAI_MODEL": "from-environment", "OPENAI_BASE_URL": "http://environment:1/v1"}
    settings = load(text, tmp_path, "llm.model=from-set", **environment)
    assert settings.llm.model == "from-set"
    assert settings.llm.base_url == "http://environment:1/v1"
    assert settings.llm.max_tokens == 10


@pytest.mark.parametrize(("variable", "key"), ENVIRONMENT)
def test_every_variable_reaches_its_key(variable: str, key: str) -> None:
    addresses = {"llm.base_url": "http://x:1/v1", "asr.base_url": "http://x:1/v1"}
    values = {**addresses, "weights.offline": "true", "session.store": "redis://x/0"}
    value = values.get(key, "/some/where")
    settings = load_settings(environ={variable: value})
    section, name = key.split(".")
    assert getattr(getattr(settings, section), name) != getattr(getattr(Settings(), section), name)


def test_an_empty_variable_says_nothing() -> None:
    assert load_settings(environ={variable: "" for variable, _ in ENVIRONMENT}) == load_settings(environ={})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("asr: {modle: x}", ["asr.modle", "unknown key", "model, language"]),
        ("speech: {}", ["speech", "unknown key", "asr, tts"]),
        ("memory: {top_k: many}", ["memory.top_k", "integer", "'many'"]),
        ("memory: {top_k: 0}", ["memory.top_k", "greater than or equal to 1", "0"]),
        ("asr: {language: fr}", ["asr.language", "'en', 'zh' or 'auto'", "'fr'"]),
        ("asr: [1]", ["asr", "[1]"]),
        ("llm: true", ["llm", "True"]),
        ("[1, 2]", ["expected sections", "list"]),
        ("just words", ["expected sections", "str"]),
        ("asr: {", ["line", "not valid YAML"]),
        ("llm: {reply_format: json}", ["llm.reply_format", "llm.base_url"]),
        ("llm: {base_url: localhost:1}", ["llm.base_url", "http://"]),
        ("llm: {base_url: 'http://'}", ["llm.base_url", "http://"]),
        ("llm: {base_url: 'http://h:99999/v1'}", ["llm.base_url", "http://"]),
        ("llm: {base_url: 'http://h/v1 x'}", ["llm.base_url", "http://"]),
        ("llm: {headers: {'bad name': x}}", ["llm.headers", "'bad name'"]),
        ("llm: {headers: {name: 钥匙}}", ["llm.headers", "name", "ASCII"]),
        ("llm: {timeout_s: .inf}", ["llm.timeout_s", "finite"]),
        ("turn: {vad_stop_s: .nan}", ["turn.vad_stop_s"]),
        ("agent: {user: ' '}", ["agent.user", "empty"]),
        ("agent: {name: ''}", ["agent.name", "empty"]),
        ("asr: 3", ["asr", "3"]),
        ("asr: {language: null}", ["asr.language", "None"]),
        ("asr: {}\nasr: {}", ["line 2", "asr is there twice"]),
        ("llm: {model: a, model: b}", ["line 1", "model is there twice"]),
        ("asr: " + "[" * 3000, ["not valid YAML"]),
        ("a: 2026-13-45", ["not valid YAML", "month"]),
        ("a: " + "9" * 5000, ["not valid YAML"]),
        ("a: \x01", ["not valid YAML", "U+0001"]),
        (BOMB, ["asr"]),
        ("session: {store: mysql://x}", ["session.store", "redis://"]),
        ("session: {store: 'redis://:sk-secret@:0'}", ["session.store", "redis://"]),
        ("session: {store: 'redis://h:sk-secret'}", ["session.store", "redis://"]),
        ("session: {store: 'unix://'}", ["session.store", "unix://"]),
        ("llm: {api_key: sk-secret}", ["llm.api_key", "OPENAI_API_KEY", "llm.api_key_file"]),
        ("asr: {api_key: sk-secret}", ["asr.api_key", "INNERVOICE_ASR_API_KEY", "asr.api_key_file"]),
        ("asr: {base_url: localhost:1}", ["asr.base_url", "http://"]),
        ("llm: {api_key_file: /no/such/file}", ["llm.api_key_file", "/no/such/file", "No such file"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: list[str]) -> None:
    line = refuse(text, tmp_path)
    for part in said:
        assert part in line
    assert "my.yaml" in line or "api_key_file" in line
    assert "sk-secret" not in line


def test_what_is_wrong_in_the_file_is_named_also_where_an_option_overrules_it(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("asr: {language: fr}")
    with pytest.raises(UserError, match=r"my\.yaml: asr\.language"):
        load_settings(path, ["asr.language=en"], environ={})
    path.write_text("llm: {reply_format: json}")
    assert load_settings(path, ["llm.base_url=http://x/v1"], environ={}).llm.reply_format == "json"


def test_a_message_stays_short_and_shows_no_secret(tmp_path: Path) -> None:
    assert len(refuse(BOMB, tmp_path)) < 300
    assert "sk-secret" not in refuse("llm: {headers: {authorization: [sk-secret]}}", tmp_path)
    assert "sk-secret" not in refuse("llm: {base_url: 'ftp://sk-secret@h'}", tmp_path)
    for wrong in ("two words", "schlüssel", "line\nbreak"):
        with pytest.raises(UserError, match="OPENAI_API_KEY") as caught:
            load_settings(environ={"OPENAI_API_KEY": wrong})
        assert wrong not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n", b"sk-a\nsk-b\n", "schlüssel".encode(), b"\xff\xfe"])
def test_a_file_that_holds_no_key_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    assert str(tmp_path / "key") in refuse(f"llm: {{api_key_file: {tmp_path / 'key'}}}", tmp_path)


@pytest.mark.parametrize("text", ["", "# only a comment", "asr:", "asr: {}"])
def test_a_file_may_say_nothing(tmp_path: Path, text: str) -> None:
    assert load(text, tmp_path) == load_settings(environ={})


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, said in ((tmp_path / "none.yaml", "No such file"), (tmp_path, "directory"), (binary, "not UTF-8")):
        with pytest.raises(UserError, match=said) as caught:
            load_settings(path, environ={})
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("asr.language", "expected key.path=value"),
        ("=x", "expected key.path=value"),
        ("asr.nonsense=1", "asr.nonsense: unknown key"),
        ("turn.vad_stop_s=soon", "turn.vad_stop_s"),
        ("agent.name.first=Joe", "agent.name"),
    ],
)
def test_a_wrong_set_is_named(item: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load_settings(overrides=[item], environ={})
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_words_stay_words() -> None:
    for folder in ("2026", "null", "~", "a: b", "[x]", "yes"):
        assert load_settings(overrides=[f"memory.data_dir={folder}"], environ={}).memory.data_dir == Path(folder)
    assert load_settings(overrides=["tts.voice=null"], environ={}).tts.voice is None
    assert load_settings(overrides=["tts.voice=7"], environ={}).tts.voice == "7"
    settings = load_settings(overrides=["agent.user=2024", "agent.name=yes", "llm.model=7"], environ={})
    assert (settings.agent.user, settings.agent.name, settings.llm.model) == ("2024", "yes", "7")


def test_secrets_are_read_and_never_shown(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text("sk-from-file\n")
    from_file = load(f"llm: {{api_key_file: {key_file}}}", tmp_path)
    from_environment = load_settings(environ={"OPENAI_API_KEY": "sk-from-environment"})
    for settings, secret in ((from_file, "sk-from-file"), (from_environment, "sk-from-environment")):
        assert settings.llm.api_key is not None and settings.llm.api_key.get_secret_value() == secret
        for shown in (repr(settings), str(settings), settings.model_dump_json()):
            assert secret not in shown
    both = load(f"llm: {{api_key_file: {key_file}}}", tmp_path, OPENAI_API_KEY="sk-wins")
    assert both.llm.api_key is not None and both.llm.api_key.get_secret_value() == "sk-wins"


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8) | st.sampled_from(sorted(SECTIONS)),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=8) | st.sampled_from(sorted(set().union(*SECTIONS.values()))), inner)
            ),
            max_leaves=6,
        ),
        max_size=3,
    )
)
def test_anything_in_a_file_is_settings_or_one_line(tmp_path_factory: pytest.TempPathFactory, raw: object) -> None:
    path = tmp_path_factory.mktemp("settings") / "any.yaml"
    path.write_text(yaml.safe_dump(raw, allow_unicode=True), encoding="utf-8")
    try:
        load_settings(path, environ={})
    except UserError as error:
        assert "\n" not in str(error)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_set_is_settings_or_one_line(key: str, value: str) -> None:
    try:
        load_settings(overrides=[f"{key}={value}", f"asr.{key}={value}"], environ={})
    except UserError as error:
        assert "\n" not in str(error) or "\n" in key + value


@pytest.mark.parametrize(
    ("llm", "asr", "shared"),
    [
        ("https://gpu:1/v1", "https://gpu:1/audio/v1", True),
        ("https://gpu:1/v1", "https://gpu:2/v1", False),
        ("https://gpu/v1", "http://gpu/v1", False),
        ("https://gpu/v1", "https://other/v1", False),
    ],
)
def test_the_language_models_key_goes_to_no_other_server(llm: str, asr: str, shared: bool) -> None:
    settings = load_settings(overrides=[f"llm.base_url={llm}", f"asr.base_url={asr}", "llm.api_key=sk-a"], environ={})
    assert (settings.asr.api_key is not None) == shared
    own = load_settings(
        overrides=[f"llm.base_url={llm}", f"asr.base_url={asr}", "llm.api_key=sk-a"],
        environ={"INNERVOICE_ASR_API_KEY": "sk-b"},
    )
    assert own.asr.api_key is not None and own.asr.api_key.get_secret_value() == "sk-b"
