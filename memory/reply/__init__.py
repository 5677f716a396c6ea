"""Replies for a model that can hardly hold a conversation: planned from the user's words, memory and state.

SmolLM2-135M answers a question from one piece of evidence well (47 of 47 measured, 45 in its own words). Left
alone with anything else it is not to be trusted: of 5 statements it acknowledged 1 sensibly, of 5 tasks 3 (it
"booked", or apologised in a loop), of 10 general questions it got 5 right, and asked for something that was never
said it makes it up. In Mandarin it cannot hold a sentence. So with the embedded model:

* a question that memory answers goes to the model, and ``accept`` lets the answer through only when every word of
  it rests on the evidence; otherwise the user's own words are quoted;
* everything else, and everything in Mandarin, is said from a few templates that repeat what the user said. The
  agent never claims to have done something, and says so when it does not know;
* where a tool fits the task and the facts fill its parameters, it is called, and the reply is made from its result.

Any OpenAI-compatible endpoint replaces all of this: it gets the full prompt and no plan.
"""

from __future__ import annotations

import re

from memory.prompt_input import PromptInput
from memory.reply.check import accept
from memory.reply.english import plan_english
from memory.reply.mandarin import plan_mandarin
from memory.reply.plan import ReplyPlan, plan_message, split_plan
from memory.reply.second_person import is_mandarin
from memory.reply.tools import plan_tools

__all__ = ["ReplyPlan", "accept", "plan_message", "plan_reply", "reply_language", "split_plan"]


def plan_reply(prompt: PromptInput) -> ReplyPlan:
    """Plan the reply to what the user just said.

    Args:
        prompt: The turn.

    Returns:
        A plan whose text can be spoken as it is.
    """
    mandarin = reply_language(prompt.user_text, prompt.language) == "zh"
    planned = plan_tools(prompt, "zh" if mandarin else "en")
    if planned is not None:
        return planned
    return plan_mandarin(prompt) if mandarin else plan_english(prompt)


def reply_language(text: str, default: str) -> str:
    """``zh`` or ``en``: the language of the words, or the default where they do not tell."""
    if is_mandarin(text):
        return "zh"
    if default == "zh" and len(re.findall(r"[A-Za-z]{2,}", text)) < 2:
        return "zh"
    return "en"
