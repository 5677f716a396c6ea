"""What is wrong with a setting, as one line for people that shows no secret."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

# Keys whose values are not repeated in a message.
_MAY_HOLD_SECRETS = ("key", "headers", "base_url", "store")


def explain(problem: Mapping[str, Any], path: Path | None, settings: type[BaseModel]) -> str:
    """Word a problem: file, key, what was expected, what was found.

    Args:
        problem: One of ``ValidationError.errors()``.
        path: The file it is in; None for none.
        settings: The model that was to be filled.
    """
    key = ".".join(str(part) for part in problem["loc"])
    where = f"{path}: " if path else ""
    if problem["type"] == "extra_forbidden":
        section = settings
        for part in problem["loc"][:-1]:
            section = section.model_fields[str(part)].annotation  # type: ignore[assignment]
        known = ", ".join(section.model_fields)
        return _line(f"{where}{key}: unknown key; known here: {known}")
    message = problem["msg"].removeprefix("Value error, ")
    if not key:
        return _line(f"{where}{message}")
    hidden = any(word in key for word in _MAY_HOLD_SECRETS)
    found = "" if hidden else f" (found {_shown(problem['input'])})"
    return _line(f"{where}{key}: {message[0].lower()}{message[1:]}{found}")


def _shown(value: Any) -> str:
    """A value, shortened: YAML may refer to one large value many times."""
    brief = reprlib.Repr()
    brief.maxlevel = 1
    brief.maxlist = brief.maxdict = 3
    brief.maxstring = brief.maxother = 60
    return brief.repr(value)


def _line(text: str) -> str:
    return " ".join(text.split())
