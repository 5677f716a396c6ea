"""The direction of the arrows: pipeline -> processors -> memory, never back; and what keeps two users apart."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("memory", "processors", "pipeline")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

AUDIO = {"av", "soxr", "sounddevice", "faster_whisper", "ctranslate2", "piper", "misaki", "pywebrtc_audio", "wave"}
NETWORK = {
    "aiohttp",
    "ftplib",
    "http.client",
    "http.server",
    "httpx",
    "huggingface_hub",
    "openai",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "websockets",
}
FORBIDDEN = {
    "memory": {"pipeline", "processors", "pipecat", "xllamacpp", "tests"} | AUDIO | NETWORK,
    "processors": {"pipeline", "tests", "xllamacpp"} | AUDIO | NETWORK,
    "pipeline": {"tests"},
}
# The doors to a store on another machine; chosen by configuration, never on the default read path.
DOORS = {"memory/engines", "memory/sessions"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also inside of functions and for type checkers only."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno}: imports are written in full"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    forbidden = FORBIDDEN[package]
    if any(name_of(path).startswith(door) for door in DOORS):
        forbidden = forbidden - NETWORK
    wrong = sorted({name for name in imports(path) if is_within(name, forbidden)})
    assert not wrong, f"{name_of(path)} imports {', '.join(wrong)}"


IMPORT_ALL = """
import importlib, json, sys, warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for name in sys.argv[1:]:
        importlib.import_module(name)
from tests.deprecations import is_pipecat_deprecation
print(json.dumps({
    "modules": sorted(sys.modules),
    "deprecated": [f"{w.filename}:{w.lineno}: {w.message}" for w in seen if is_pipecat_deprecation(w)],
}))
"""


def import_in_a_fresh_process(*packages: str) -> dict[str, list[str]]:
    names = [dotted(path) for path in MODULES if path.relative_to(ROOT).parts[0] in packages]
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_memory_brings_neither_pipecat_nor_audio_with_it() -> None:
    loaded = import_in_a_fresh_process("memory")["modules"]
    wrong = [name for name in loaded if is_within(name, {"pipecat", "pipeline", "processors"} | (AUDIO - {"wave"}))]
    assert not wrong


def test_all_modules_import_without_a_deprecated_name_of_pipecat() -> None:
    assert import_in_a_fresh_process(*PACKAGES)["deprecated"] == []


CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MAKERS = {"list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict", "WeakValueDictionary"}
CHANGES = {
    *("append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard"),
    *("clear", "appendleft", "popleft", "sort", "reverse"),
}


def called(node: ast.AST) -> str:
    """The last part of what is called: ``deque`` for ``collections.deque(...)``."""
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def module_containers(module: ast.Module) -> dict[str, ast.expr]:
    """Names bound at the top of a module to something that can be changed."""
    found = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if isinstance(value, CONTAINERS) or (isinstance(value, ast.Call) and called(value) in MAKERS):
            found.update({target.id: value for target in targets if isinstance(target, ast.Name)})
    return found


def is_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.Set):
        return not value.elts
    return isinstance(value, ast.Call) and not value.args and not value.keywords


def state_of(path: Path) -> list[str]:
    """Why a module can remember something between two conversations."""
    module = tree(path)
    containers = module_containers(module)
    wrong = [f"{name} starts empty, to be filled later" for name, value in containers.items() if is_empty(value)]
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            wrong.append(f"line {node.lineno}: global {', '.join(node.names)}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            if isinstance(node.func.value, ast.Name) and node.func.value.id in containers:
                wrong.append(f"line {node.lineno}: {node.func.value.id}.{node.func.attr}(…)")
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id in containers:
                wrong.append(f"line {node.lineno}: {node.value.id}[…] is set")
        elif isinstance(node, ast.FunctionDef) and node.args.args:
            cached = [called(decorator) for decorator in node.decorator_list]
            if {"cache", "lru_cache"} & set(cached):
                wrong.append(f"line {node.lineno}: {node.name} keeps its arguments and results")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_remembers_anything(path: Path) -> None:
    assert state_of(path) == [], name_of(path)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("SEEN = set()", "starts empty"),
        ("A = {1: 2}\ndef f(x):\n    A[x] = 1", "is set"),
        ("A = [1]\ndef f(x):\n    A.append(x)", "A.append"),
        ("x = 1\ndef f():\n    global x\n    x = 2", "global x"),
        ("@functools.lru_cache(maxsize=10)\ndef f(text):\n    return text", "keeps its arguments"),
    ],
)
def test_what_counts_as_remembering(tmp_path: Path, source: str, reason: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(source)
    assert any(reason in why for why in state_of(path))


CLOCKS = {("time", "time"), ("time", "monotonic"), ("datetime", "now"), ("datetime", "utcnow"), ("date", "today")}


@pytest.mark.parametrize("path", [p for p in MODULES if p.relative_to(ROOT).parts[0] != "pipeline"], ids=name_of)
def test_the_core_is_told_the_time(path: Path) -> None:
    """A clock may be handed in; to read one inside of the logic makes a replay differ from the conversation."""
    read = [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and (node.func.value.id, node.func.attr) in CLOCKS
    ]
    assert not read, f"{name_of(path)} reads a clock: {read}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_file_can_be_read_in_one_go(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400, f"{name_of(path)} has {lines} lines: split it"
