"""Whether the arguments of a call fit the tool: small slips of a model are mended, everything else is named."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from memory.state_model import clean
from memory.tools.outcome import plain
from memory.tools.spec import ToolSpec

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
    "null": (type(None),),
}
_MAX_CHARS = 4_000
INVALID_ARGUMENTS = "__invalid__"
"""Name under which arguments arrive that could not be read at all."""


class WrongArguments(Exception):
    """A call whose arguments do not fit; the message names the argument and what was expected."""


def check_arguments(spec: ToolSpec, arguments: object) -> dict[str, Any]:
    """Check arguments against the tool's schema.

    Numbers and truth values that came as text become what the schema says; arguments that the tool does not know
    are left out.

    Args:
        spec: The tool.
        arguments: What a model wrote.

    Returns:
        Arguments that fit: types, required ones, choices.

    Raises:
        WrongArguments: One line that names the first one that does not.
    """
    if not isinstance(arguments, Mapping):
        raise WrongArguments("expected an object with the arguments")
    if len(json.dumps(arguments, default=str)) > _MAX_CHARS:
        raise WrongArguments(f"the arguments are longer than {_MAX_CHARS} characters")
    properties = spec.properties
    given: dict[str, Any] = plain(arguments)
    if INVALID_ARGUMENTS in given:
        raise WrongArguments("the arguments are no JSON object")
    known = {
        str(key): value
        for key, value in given.items()
        if not properties or key in properties or spec.parameters.get("additionalProperties")
    }
    fitting: dict[str, Any] = {}
    for name, value in known.items():
        schema = properties.get(name)
        if value is None and name not in spec.required:
            continue
        fitting[name] = _fit(name, value, schema) if isinstance(schema, Mapping) else value
    missing = [name for name in spec.required if name not in fitting or fitting[name] == ""]
    if missing:
        raise WrongArguments(f"missing: {', '.join(missing)}")
    return fitting


def same_call(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two sets of arguments say the same."""
    return canonical(one) == canonical(other)


def canonical(arguments: Mapping[str, Any]) -> str:
    """The arguments in one form: sorted, without differences in case, 84 and 84.0 alike."""
    return json.dumps(_plain(arguments), sort_keys=True, ensure_ascii=False, default=str)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return " ".join(value.casefold().split()) if isinstance(value, str) else value


def _fit(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else list(wanted) if isinstance(wanted, list) else []
    if kinds and not any(_is(value, kind) for kind in kinds):
        value = _converted(name, value, kinds)
    choices = schema.get("enum")
    if isinstance(choices, list) and value not in choices:
        alike = [choice for choice in choices if isinstance(choice, str) and choice.casefold() == str(value).casefold()]
        if not alike:
            raise WrongArguments(f"{name}: expected one of {', '.join(map(str, choices))}")
        value = alike[0]
    return value


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float) and not math.isfinite(value):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))


def _converted(name: str, value: Any, kinds: list[str]) -> Any:
    if isinstance(value, str):
        text = value.strip()
        if "boolean" in kinds and text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        if "integer" in kinds or "number" in kinds:
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if math.isfinite(number) and (number.is_integer() or "number" in kinds):
                return int(number) if number.is_integer() else number
        if "array" in kinds:
            return [text]
    elif "string" in kinds and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    elif "array" in kinds and not isinstance(value, Mapping):
        return [value]
    raise WrongArguments(f"{name}: expected {' or '.join(kinds)}, found {clean(repr(value), 40)}")
