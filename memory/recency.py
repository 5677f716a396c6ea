"""How long ago something was said, in words that stay true whenever the session began."""

from __future__ import annotations

from datetime import datetime

_MINUTE_S = 60
_SOON_S = 30 * _MINUTE_S


def days_between(said_at: float, now: datetime) -> int:
    """Calendar days from ``said_at`` (seconds since the epoch) to ``now``, in the time zone of ``now``."""
    return (now.date() - datetime.fromtimestamp(said_at, tz=now.tzinfo).date()).days


def recency_label(said_at: float, now: datetime, language: str) -> str:
    """Say when something was said.

    Args:
        said_at: Seconds since the epoch; 0 for unknown.
        now: The session's local time; without a zone it is the machine's.
        language: ``zh`` for Mandarin, anything else for English.

    Returns:
        Such as ``a few minutes ago``, ``yesterday`` or ``三天前``; empty when the time is unknown.
    """
    if said_at <= 0:
        return ""
    seconds = now.timestamp() - said_at
    days = max(0, days_between(said_at, now))
    mandarin = language == "zh"
    if seconds < _MINUTE_S:
        return "刚才" if mandarin else "just now"
    if seconds < _SOON_S:
        return "几分钟前" if mandarin else "a few minutes ago"
    if days == 0:
        return "今天早些时候" if mandarin else "earlier today"
    if days == 1:
        return "昨天" if mandarin else "yesterday"
    for size, english, chinese in ((365, "year", "年"), (30, "month", "个月"), (14, "week", "周"), (1, "day", "天")):
        if days >= size:
            count = days // (7 if size == 14 else size)
            if mandarin:
                return f"{_mandarin(count)}{chinese}前"
            return f"{count} {english}{'s' if count > 1 else ''} ago"
    return ""


def _mandarin(count: int) -> str:
    return {1: "一", 2: "两"}.get(count) or ("零一二三四五六七八九十"[count] if count <= 10 else str(count))
