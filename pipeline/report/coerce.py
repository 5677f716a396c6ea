"""Reading JSON that somebody else wrote: whatever the type, a usable value of the expected one."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any


def text(value: Any) -> str:
    """A string as it is; numbers as digits; anything else as an empty string."""
    if isinstance(value, str):
        # A lone surrogate, legal in a JSON escape, cannot be written as UTF-8.
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A JSON array, or an empty one."""
    return value if isinstance(value, list) else []


def moment(value: Any) -> datetime | None:
    """An ISO 8601 string or seconds since the epoch as an aware time (UTC if no zone is given), or None."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    seconds = number(value)
    if not seconds or seconds < 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def plain(value: Any) -> str:
    """Any JSON value in plain words, for people: ``{"a": [1, 2]}`` becomes ``a: 1, 2``."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value) or "nothing"
    if isinstance(value, dict):
        return "; ".join(f"{words(str(key))}: {plain(item)}" for key, item in value.items()) or "nothing"
    return text(value)


def words(key: str) -> str:
    """A key as words: ``meeting_date`` becomes ``meeting date``."""
    return text(key).replace("_", " ").strip()
