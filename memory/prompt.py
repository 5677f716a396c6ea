"""Renders the prompt of one turn.

Two shapes. ``full`` is for a capable model::

    system      who the agent is, how it speaks          byte-identical over the session
    user/assistant …                                     the last turns as they were heard, strictly alternating
    user        <notes> time, state, memories, cut </notes> + the user's words

What changes every turn stands at the tail, so a server's prompt cache holds for all before it. Whatever comes
from memory is escaped, bounded, and named as evidence: it is never an instruction.

``small`` is for the embedded SmolLM2-135M, see ``memory.prompt_examples``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from memory.nouns import Recalled
from memory.prompt_examples import small_messages
from memory.prompt_input import Message, PromptInput
from memory.prompt_text import LABELS, system_text
from memory.recency import recency_label
from memory.reply import plan_message, plan_reply
from memory.state_tools import Option
from memory.tokens import estimate_tokens

__all__ = ["Message", "PromptInput", "build_messages", "user_words"]

Shape = Literal["full", "small"]

HISTORY_MESSAGES = 20
# The history loses its beginning by so many turns at once.
HISTORY_STEP = 4
HISTORY_TOKENS = 1200
# A longer message of the history, or what the user just said, is cut; a conversation is not a document.
MESSAGE_TOKENS = 400
USER_TOKENS = 2000
# A single value of the state, in characters.
_VALUE_CHARS = 200

_TAGS = re.compile(
    r"<(?=\s*/?\s*(?:notes|now|state|earlier|memories|interrupted|tool_result|waiting)\b)", re.IGNORECASE
)
_STATE_KEYS = (
    "task",
    "status",
    "topic",
    "facts",
    "pending",
    "steps",
    "preference",
    "history_summary",
    "subject",
    "tasks",
)


def build_messages(prompt: PromptInput, *, shape: Shape) -> list[dict[str, str]]:
    """Build the messages of one turn.

    Args:
        prompt: What the prompt is made from.
        shape: ``full`` for a capable model, ``small`` for the embedded one. The small shape ends with a
            message that carries a reply plan (see ``memory.reply``), for the embedded service only.

    Returns:
        OpenAI chat messages. In the full shape: system, then user and assistant in strict alternation,
        beginning and ending with the user.
    """
    if shape == "small":
        plan = plan_reply(prompt)
        return [*small_messages(plan.question or prompt.user_text, plan.evidence), plan_message(plan)]
    as_json = prompt.reply_format == "json"
    language = prompt.system_language or prompt.language
    static = system_text(prompt.agent_name, language, prompt.instructions, as_json=as_json)
    system = {"role": "system", "content": static}
    last = {"role": "user", "content": f"{_notes(prompt)}\n{_neutral(_fitting(prompt.user_text, USER_TOKENS))}"}
    return [system, *_alternating([*_bounded(prompt.history), last])]


def user_words(content: str) -> str:
    """The user's own words of a last message that ``build_messages`` made."""
    return content.rsplit("</notes>", 1)[-1].strip()


def _alternating(messages: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Neighbours of one role become one message; what the assistant said before any user is left out."""
    merged: list[dict[str, str]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1] = {"role": message["role"], "content": f"{merged[-1]['content']}\n{message['content']}"}
        elif merged or message["role"] == "user":
            merged.append(message)
    return merged


def _bounded(history: tuple[Message, ...]) -> list[dict[str, str]]:
    """The newest messages that fit the budget, oldest first.

    The first of them stays the first for some turns: what begins the prompt is then the same from turn to turn, and
    a server need not read it again.
    """
    kept: list[tuple[Message, str]] = []
    left = HISTORY_TOKENS
    for message in reversed(history):
        text = _neutral(_fitting(message.text.strip(), MESSAGE_TOKENS))
        if not text:
            continue
        left -= estimate_tokens(text) + 4
        if left < 0 or len(kept) == HISTORY_MESSAGES:
            break
        kept.append((message, text))
    kept.reverse()
    if len(kept) < sum(bool(message.text.strip()) for message in history):
        kept = kept[_stable_start([message.turn_id for message, _ in kept]) :]
    return [{"role": message.role, "content": text} for message, text in kept]


def _stable_start(turn_ids: list[int]) -> int:
    """The place of the first turn that begins a group of turns; 0 where there is none in the older half."""
    for place, turn_id in enumerate(turn_ids[: len(turn_ids) // 2 + 1]):
        begins = place == 0 or turn_ids[place - 1] != turn_id
        if begins and turn_id % HISTORY_STEP == 1:
            return place
    return 0


def _fitting(text: str, budget: int) -> str:
    """The beginning of a text that fits."""
    short = text
    while estimate_tokens(short) > budget:
        short = short[: len(short) * 9 // 10]
    return short if short is text else f"{short}…"


def _notes(prompt: PromptInput) -> str:
    parts = [f"<now>{prompt.now:%A %Y-%m-%d %H:%M}</now>"]
    state = _state_lines(prompt.state)
    if prompt.options:
        state.append(f"options: {_listed(prompt.options)}")
    if state:
        parts.append("<state>\n" + "\n".join(state) + "\n</state>")
    parts += _tool_lines(prompt)
    if prompt.open_from_before:
        label = LABELS["zh" if prompt.language == "zh" else "en"]
        lines = [label["before"], *(f"- {_escape(line, _VALUE_CHARS)}" for line in prompt.open_from_before)]
        parts.append("<earlier>\n" + "\n".join(lines) + "\n</earlier>")
    memories = memory_lines(prompt)
    if memories:
        parts.append("<memories>\n" + "\n".join(memories) + "\n</memories>")
    if prompt.cut_off is not None:
        label = LABELS["zh" if prompt.language == "zh" else "en"]
        heard, unheard = (_escape(text) or label["nothing"] for text in prompt.cut_off)
        parts.append(f"<interrupted>{label['heard']}: {heard} | {label['unheard']}: {unheard}</interrupted>")
    return "<notes>\n" + "\n".join(parts) + "\n</notes>"


def _listed(options: Iterable[Option]) -> str:
    """Such as "1. A302 (by the window); 2. B101"."""
    said = []
    for number, option in enumerate(options, 1):
        about = f" ({_escape(option.description, 80)})" if option.description else ""
        said.append(f"{number}. {_escape(option.id, 60)}{about}")
    return "; ".join(said)


def _tool_lines(prompt: PromptInput) -> list[str]:
    """The last result, and what waits for the user's yes; both are evidence like all notes."""
    lines = []
    if (result := prompt.tool_result) is not None:
        how = "" if result.status == "completed" else f" ({result.status})"
        lines.append(f"<tool_result>{_call(result.tool, result.arguments)}{how}: {_escape(result.text)}</tool_result>")
    label = LABELS["zh" if prompt.language == "zh" else "en"]
    for call in prompt.awaiting:
        lines.append(f"<waiting>{_call(call.tool, call.arguments)}: {label['waiting']}</waiting>")
    return lines


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    said = json.dumps(dict(arguments), ensure_ascii=False, default=str)
    return f"{_escape(tool, 60)} {_escape(said, _VALUE_CHARS)}"


def memory_lines(prompt: PromptInput) -> list[str]:
    """The recalled lines with when and by whom they were said, best first, within the token budget.

    A line that does not fit is left out; a first line that alone breaks the budget is cut.
    """
    lines: list[str] = []
    left = prompt.token_budget
    for item in prompt.recalled:
        line = _memory_line(item, prompt)
        cost = estimate_tokens(line) + 1
        if cost <= left:
            lines.append(line)
            left -= cost
        elif not lines:
            short = _cut(line, left)
            return [short] if short else []
    return lines


def _memory_line(item: Recalled, prompt: PromptInput) -> str:
    label = LABELS["zh" if prompt.language == "zh" else "en"]
    when = recency_label(item.said_at, prompt.now, prompt.language)
    who = label["user" if item.speaker == "user" else "assistant"]
    separator = "，" if prompt.language == "zh" else ", "
    return f"- {separator.join(filter(None, (when, who)))}: {_escape(item.text)}"


def _cut(line: str, budget: int) -> str:
    while line and estimate_tokens(line) + 2 > budget:
        line = line[: len(line) * 4 // 5]
    return f"{line}…" if len(line) > 20 else ""


def _state_lines(state: Mapping[str, Any]) -> list[str]:
    lines = []
    for key in _STATE_KEYS:
        value = _flat(state.get(key))
        if value and not (key == "status" and not state.get("task")):
            lines.append(f"{key}: {value}")
    return lines


def _flat(value: Any) -> str:
    """A value of the contract on one line, without what is empty."""
    if isinstance(value, Mapping):
        pairs = ((_escape(str(key)), _flat(entry)) for key, entry in value.items())
        return ", ".join(f"{key} = {entry}" for key, entry in pairs if entry)
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, (_flat(entry) for entry in value)))
    return _escape(str(value), _VALUE_CHARS) if value is not None else ""


def _escape(text: str, limit: int = 2000) -> str:
    """One line in which no delimiter can begin."""
    line = " ".join(_sound(text).split())
    line = line if len(line) <= limit else line[:limit] + "…"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _neutral(text: str) -> str:
    """The user's own words, in which none of the prompt's own tags can begin."""
    return _TAGS.sub("&lt;", _sound(text))


def _sound(text: str) -> str:
    """Text that can be sent: half surrogates, which no encoding takes, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
