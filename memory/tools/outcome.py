"""What a tool's result means for the inner state: bounded text, options to choose from, a few facts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.state_model import MAX_KEY_CHARS, clean
from memory.state_tools import MAX_OPTIONS, MAX_RESULT_CHARS, Option

# Facts that one result may leave.
_MAX_FACTS = 4
_MAX_FACT_CHARS = 60
_MAX_DEPTH = 6
_MAX_ITEMS = 50
_NAMES = ("id", "name", "title", "code", "number", "label", "名称", "编号", "标题")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result, as the agent can use it.

    Attributes:
        text: JSON of at most ``MAX_RESULT_CHARS`` characters.
        value: The same as plain data, cut to size.
        options: Things that were listed; empty for none.
        facts: Single values.
        count: How many things were listed, with those that were cut off; None if nothing was.
    """

    text: str
    value: Any
    options: tuple[Option, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    count: int | None = None


def read_result(result: Any) -> Outcome:
    """Read what a tool returned. Never raises, whatever it is.

    Args:
        result: Any object; text that is JSON is read as such.
    """
    value = plain(_decoded(result))
    listed = _listed(value)
    options = () if listed is None else tuple(filter(None, map(_option, listed[:MAX_OPTIONS])))
    return Outcome(
        text=_bounded(value),
        value=value,
        options=options,
        facts=_facts(value) if listed is None else {},
        count=None if listed is None else _length(result, listed),
    )


def plain(value: Any, depth: int = 0) -> Any:
    """Anything as what JSON can hold, at most so deep and so long."""
    if value is None or isinstance(value, bool | int):
        return value if not isinstance(value, int) or abs(value) < 10**18 else str(value)[:40]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _sound(value[: MAX_RESULT_CHARS * 4])
    if depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return {_sound(str(key)[:80]): plain(entry, depth + 1) for key, entry in list(value.items())[:_MAX_ITEMS]}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(entry, depth + 1) for entry in list(value)[:_MAX_ITEMS]]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json"), depth + 1)
    if isinstance(value, set | frozenset):
        return [plain(entry, depth + 1) for entry in sorted(value, key=str)[:_MAX_ITEMS]]
    return clean(str(value), 200)


def _sound(text: str) -> str:
    """Text that any store takes: half surrogates become question marks."""
    return text.encode("utf-8", "replace").decode()


def _decoded(result: Any) -> Any:
    if isinstance(result, bytes | bytearray):
        result = bytes(result[:100_000]).decode("utf-8", "replace")
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(result[:100_000])
        except (ValueError, RecursionError):
            return result
    return result


def _bounded(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_RESULT_CHARS else text[: MAX_RESULT_CHARS - 1] + "…"


def _listed(value: Any) -> list[Any] | None:
    """The things that a result lists: it is a list of them, or holds one list and little else."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping):
        lists = [entry for entry in value.values() if isinstance(entry, list)]
        others = [entry for entry in value.values() if isinstance(entry, Mapping)]
        if len(lists) == 1 and not others and (not lists[0] or isinstance(lists[0][0], Mapping)):
            return lists[0]
    return None


def _length(result: Any, listed: list[Any]) -> int:
    return len(result) if isinstance(result, list | tuple) else len(listed)


def _option(entry: Any) -> Option | None:
    if isinstance(entry, str | int | float) and not isinstance(entry, bool):
        return Option(id=clean(str(entry))) if str(entry).strip() else None
    if not isinstance(entry, Mapping):
        return None
    key = name_key(entry)
    if key is None:
        return None
    rest = {other: value for other, value in entry.items() if other != key}
    traits = [name for name, value in rest.items() if value is True]
    traits += [str(value) for value in rest.values() if isinstance(value, str) and 0 < len(value) <= 40]
    traits += [str(tag) for value in rest.values() if isinstance(value, list) for tag in value if isinstance(tag, str)]
    return Option(
        type=_kind(key),
        id=clean(str(entry[key])),
        description=clean(", ".join(trait.replace("_", " ") for trait in traits)),
        details={str(name): text for name, value in rest.items() if (text := _scalar(value))},
    )


def name_key(entry: Mapping[str, Any]) -> str | None:
    """The key whose value names a thing: an id or name, else the first short text."""
    for name in _NAMES:
        for key, value in entry.items():
            if key.casefold() == name and _scalar(value) and not isinstance(value, bool):
                return key
    return next((key for key, value in entry.items() if isinstance(value, str) and 0 < len(value.strip()) <= 60), None)


def _kind(key: str) -> str:
    """``room`` for ``room``, ``room_id`` and ``roomName``; empty where the key says nothing of the kind."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).casefold()
    kind = re.sub(r"_?(?:id|name|no|number|code|title|label)$", "", words)
    return kind if kind and kind not in _NAMES else ""


def _facts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    facts: dict[str, str] = {}
    for key, entry in value.items():
        text = _scalar(entry)
        if text and len(text) <= _MAX_FACT_CHARS and len(facts) < _MAX_FACTS and not isinstance(entry, bool):
            facts[clean(str(key), MAX_KEY_CHARS)] = text
    return facts


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return clean(value) if isinstance(value, str) else ""
