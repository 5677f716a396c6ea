"""What a reply plan is, and how it travels with the prompt to the embedded model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

# Name of the message that carries the plan; no chat template sees it.
_NAME = "reply_plan"


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """How one turn is answered without a capable model.

    Attributes:
        act: What the user's words were taken for, such as ``recall`` or ``task``.
        text: A reply that holds nothing but what the user said. Spoken when the model is not asked, or when
            its answer is refused.
        ask_model: Whether the model may answer; then ``question`` and ``evidence`` are set.
        question: The question, in the user's words.
        evidence: What answers it, in the second person.
        calls: Tools to call before there is anything to say, each with ``name`` and ``arguments``.
    """

    act: str
    text: str
    ask_model: bool = False
    question: str = ""
    evidence: str = ""
    calls: tuple[dict[str, Any], ...] = ()


def plan_message(plan: ReplyPlan) -> dict[str, str]:
    """The plan as a message, to stand at the end of the prompt."""
    return {"role": "system", "name": _NAME, "content": json.dumps(asdict(plan), ensure_ascii=False)}


def split_plan(messages: Iterable[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], ReplyPlan | None]:
    """Part the messages for the model from the plan.

    Args:
        messages: What ``memory.prompt.build_messages`` made, or any other chat messages.

    Returns:
        The messages without the plan, and the plan or None.
    """
    plan = None
    rest = []
    for message in messages:
        if message.get("name") == _NAME:
            read = json.loads(message["content"])
            plan = ReplyPlan(**{**read, "calls": tuple(read.get("calls", ()))})
        else:
            rest.append(dict(message))
    return rest, plan
