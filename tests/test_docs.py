"""What the documents say is so: commands parse, keys and files exist, and nothing private is written down."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from pipeline.command_line import app
from pipeline.settings import ENVIRONMENT, Settings
from pipeline.weights_manifest import load_manifest
from tests.scripts import load_script

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("**/*.md")),
]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def words_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def command_lines(text: str) -> list[str]:
    """Lines of code blocks, and code inside of sentences, that call innervoice."""
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    lines = [line.split(" #")[0].strip() for block in fenced for line in block.splitlines()] + inline
    return [line for line in lines if re.match(r"(\S+=\S+ )*(\.venv/bin/)?innervoice \S", line)]


# The class of what typer says about a wrong command line; it has no public name.
UsageError = typer.BadParameter.__mro__[1]


def commands(group: Any, name: str = "innervoice") -> Iterator[tuple[str, Any]]:
    for key, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {key}")
        else:
            yield f"{name} {key}", command


def parse(line: str) -> None:
    """Let the command line read a line as it would, without running anything. A bare name only has to exist."""
    words = shlex.split(line)
    while not words[0].endswith("innervoice"):
        assert re.fullmatch(r"[A-Z_]+=\S*", words[0]), line
        words.pop(0)
    command: Any = typer.main.get_command(app)
    arguments, context = words[1:], None
    while hasattr(command, "commands") and arguments and arguments[0] != "--help":
        child = command.commands.get(arguments[0])
        assert child is not None, f"{line}: there is no command {arguments[0]}"
        context = command.context_class(command, info_name=words[0], parent=context)
        command, arguments = child, arguments[1:]
    if arguments and "--help" not in arguments:
        command.make_context(words[0], arguments, parent=context)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_in_a_document_parses(document: Path) -> None:
    for line in command_lines(words_of(document)):
        parse(line)


def test_the_reader_of_commands_reads_and_refuses() -> None:
    assert len(command_lines(README)) > 10
    parse("OPENAI_API_KEY=x .venv/bin/innervoice demo --out here")
    for wrong in ("innervoice sing", "innervoice demo --nonsense", "innervoice replay --fast"):
        with pytest.raises((AssertionError, UsageError)):
            parse(wrong)


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_that_parses(name: str) -> None:
    examples = [line.strip() for line in (COMMANDS[name].help or "").splitlines() if f"{name} " in f"{line} "]
    assert examples, f"the help of `{name}` has no example"
    for example in examples:
        parse(example)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert getattr(parameter, "help", None), f"{name}: {parameter.name} has no help"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_make_targets_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", words_of(document), re.MULTILINE):
        assert target in targets, f"{document.name}: make {target}"


def keys() -> set[str]:
    return {
        f"{section}.{key}"
        for section in Settings.model_fields
        for key in type(getattr(Settings(), section)).model_fields
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_settings_that_are_named_exist(document: Path) -> None:
    text = words_of(document)
    sections = "|".join(Settings.model_fields)
    named = set(re.findall(rf"--set ((?:{sections})\.\w+)", text)) | set(re.findall(rf"`((?:{sections})\.\w+)`", text))
    assert named - {"session.jsonl"} <= keys()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(document: Path) -> None:
    folders = "configs|memory|pipeline|processors|scripts|tests|docs"
    for name in re.findall(rf"(?<![\w/.-])((?:{folders})/[\w./-]*\w|\.ci/run)", words_of(document)):
        assert (ROOT / name).exists(), f"{document.name}: {name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_variables_that_are_named_are_read(document: Path) -> None:
    known = {variable for variable, _ in ENVIRONMENT} | {"INNERVOICE_WEIGHTS", "INNERVOICE_SHARED"}
    assert set(re.findall(r"\b(?:INNERVOICE|OPENAI)_[A-Z_]+", words_of(document))) <= known


def test_the_written_settings_are_those_of_the_source() -> None:
    document = load_script("document_settings")
    assert document.DEFAULTS.read_text(encoding="utf-8") == document.yaml_text(), "run scripts/document_settings.py"
    assert document.readme_text() == README, "run scripts/document_settings.py"


def test_the_table_of_weights_is_that_of_the_list() -> None:
    for name, model in load_manifest().models.items():
        row = re.search(rf"^\| `{name}` \|.*\|.*\| (\d+) MB \|$", README, re.MULTILINE)
        assert row, f"README.md has no row for {name}"
        assert int(row[1]) == round(model.bytes / 1e6)


def test_the_two_commands_come_first_and_without_make_too() -> None:
    top = README[:1600]
    assert top.index("make demo") < top.index("make test") < top.index("python3 scripts/setup.py")


def test_ci_runs_the_test_command_of_the_readme_last() -> None:
    steps = [line for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines() if line.strip()]
    assert steps[-1] == "make test"
    assert {"make lint", "make types"} <= set(steps)


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"## [{version}]" in words_of(ROOT / "CHANGELOG.md")


def test_every_dependency_has_its_reason_and_is_locked() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    for lock, wanted in (
        ("requirements.lock", project["dependencies"]),
        ("requirements-dev.lock", project["dependencies"] + project["optional-dependencies"]["dev"]),
    ):
        pinned = (ROOT / lock).read_text(encoding="utf-8").lower()
        for requirement in wanted:
            name = re.split(r"[\[=<>~; ]", requirement)[0].lower()
            assert re.search(rf"^{name}==", pinned, re.MULTILINE), f"{lock} lacks {name}: run `make lock`"
            assert re.search(rf'^  "{re.escape(requirement)}", *# \S', text, re.MULTILINE), f"why {requirement}?"


def test_every_data_file_of_a_package_is_installed_with_it() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "package-data"
    ]
    for path in tracked():
        name = path.relative_to(ROOT)
        if name.parts[0] in {"configs", "memory", "pipeline", "processors"} and path.suffix != ".py":
            wanted = patterns["*"] + patterns.get(name.parent.as_posix(), [])
            assert any(path.match(pattern) for pattern in wanted), f"pyproject.toml: package-data lacks {name}"


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


# Put together here, so that this file does not hold what it looks for.
PRIVATE = re.compile(
    "|".join(
        re.escape("".join(parts))
        for parts in (
            ("/wo", "rk/"),
            ("/ro", "ot/"),
            ("/op", "t/pypi"),
            ("py", "pi.org"),
            ("pythonho", "sted.org"),
            ("npm", "js.org"),
            ("deb", ".debian.org"),
            ("hf-mi", "rror"),
        )
    )
)


def test_no_private_path_and_no_registry_host_is_written_down() -> None:
    for path in tracked():
        found = PRIVATE.search(path.read_bytes().decode("utf-8", errors="replace"))
        assert not found, f"{path.relative_to(ROOT)} holds {found and found[0]!r}"


def test_what_is_private_is_recognised() -> None:
    assert PRIVATE.search("/home" + "/ro" + "ot/x")
    assert not PRIVATE.search("network/path https://keepachangelog.com")


def test_no_large_file_is_tracked() -> None:
    for path in tracked():
        assert path.stat().st_size < 2_000_000, path.relative_to(ROOT)
