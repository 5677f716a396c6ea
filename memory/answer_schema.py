"""The JSON that a capable model answers with: a schema for servers that enforce one, and words for the prompt.

``memory.state_update`` reads what comes back; it forgives more than the schema allows.
"""

from __future__ import annotations

from typing import Any, get_args

from memory.state_events import TaskStatus

STATUSES: tuple[str, ...] = get_args(TaskStatus)


def answer_schema() -> dict[str, Any]:
    """The JSON schema of an answer; the reply comes first, so that it can be spoken while the rest is written."""
    properties = {"reply": {"type": "string"}, "state_update": _update()}
    return _object(properties, required=("reply", "state_update"))


def update_schema() -> dict[str, Any]:
    """The JSON schema of the update alone, for a second try."""
    return _object({"state_update": _update()}, required=("state_update",))


def _update() -> dict[str, Any]:
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    return _object(
        {
            "task": text,
            "topic": text,
            "status": {"type": "string", "enum": list(STATUSES)},
            "result": text,
            "facts": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
            "pending": _object({"add": texts, "done": texts}),
            "steps": texts,
            "preference": {"type": "object", "additionalProperties": text},
            "subject": _object({"type": text, "id": text, "description": text}),
            "history_summary": text,
        }
    )


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": list(required)} if required else {})


_ENGLISH = """\
Write one JSON object and nothing around it: {"reply": "what you say", "state_update": {what changes}}
Only the reply is spoken; it comes first. The state_update changes the state of the notes: give only what the last \
words and your reply change, {} for nothing. What you leave out stays. It may hold
"task", "topic" (one word), "history_summary": strings;
"status": %s; "result": a string, together with a status;
"facts", "preference": objects with string values, dates as 2026-01-31, times as 14:30; null drops a fact;
"pending": {"add": [], "done": []}, what is still to be asked or done; "steps": a list of what was done;
"subject": {"type": "", "id": "", "description": ""}, what "it" points to."""

_MANDARIN = """\
只写一个 JSON 对象，前后不要有别的内容：{"reply": "你说的话", "state_update": {有变化的内容}}
只有 reply 会被读出来，它写在最前面。state_update 修改笔记里的状态：只写用户最后的话和你的回答所改变的内容，\
没有变化就写 {}。没写的内容保持不变。可以包含：
"task"、"topic"（一个词）、"history_summary"：字符串；
"status"：%s；"result"：字符串，和 status 一起写；
"facts"、"preference"：值为字符串的对象，日期写成 2026-01-31，时间写成 14:30；值为 null 表示删去这条 facts；
"pending"：{"add": [], "done": []}，还要问的或要做的事；"steps"：已做步骤的列表；
"subject"：{"type": "", "id": "", "description": ""}，“它”所指的东西。"""


def answer_format(language: str) -> str:
    """The words that ask for this JSON.

    Args:
        language: ``zh`` for Mandarin, anything else for English.
    """
    return (_MANDARIN if language == "zh" else _ENGLISH) % ", ".join(STATUSES)


_AGAIN = {
    "en": """\
That was not the JSON that was asked for. The reply has been spoken; do not repeat it. Write the update alone, one \
JSON object and nothing around it: {"state_update": {what the last words and your reply change, {} for nothing}}""",
    "zh": """\
刚才的回答不是所要求的 JSON。回答已经读出来了，不要重复。现在只写更新，一个 JSON 对象，前后不要有别的内容：\
{"state_update": {用户最后的话和你的回答所改变的内容，没有变化就写 {}}}""",
}


def update_again(language: str) -> str:
    """The words that ask once more for the update alone.

    Args:
        language: ``zh`` for Mandarin, anything else for English.
    """
    return _AGAIN["zh" if language == "zh" else "en"]
