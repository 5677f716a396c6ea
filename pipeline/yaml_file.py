"""Reads YAML that people write; whatever is wrong with it becomes one line that names the file and the place."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from memory.errors import UserError


def read_yaml(path: Path, what: str) -> Any:
    """Read one YAML document from a file.

    Args:
        path: The file, UTF-8.
        what: What it is to the reader, such as "the scenario".

    Returns:
        Plain data; None for an empty file.

    Raises:
        UserError: The file cannot be read, or is no YAML.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path}: cannot read {what}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read {what}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return parse_yaml(text)
    except YAMLProblem as problem:
        raise UserError(f"{path}: {problem}") from None


class YAMLProblem(ValueError):
    """A text is not the YAML that is read here; the message is one line, with the line's number where known."""


def parse_yaml(text: str) -> Any:
    """Read one YAML document: plain data, every key once.

    JSON's way to write one character as two escaped halves (a surrogate pair) is understood.

    Raises:
        YAMLProblem: It cannot be read.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.reader.ReaderError as error:
        character = f"U+{error.character:04X}" if isinstance(error.character, int) else repr(error.character)
        raise YAMLProblem(f"not valid YAML: the character {character} is not allowed") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise YAMLProblem(f"{where}not valid YAML: {' '.join(str(error.problem).split())}") from None
    except RecursionError:
        raise YAMLProblem("not valid YAML: nested too deeply") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # Numbers and dates that do not exist.
        raise YAMLProblem(f"not valid YAML: {' '.join(str(error).split())}") from None


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice, which YAML forbids and PyYAML lets pass."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value} is there twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        value = super().construct_scalar(node)
        return _joined(value) if isinstance(value, str) else value


def _joined(text: str) -> str:
    """The text with halves of characters put together; a half without its other half becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
