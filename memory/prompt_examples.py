"""The prompt for SmolLM2-135M: a short instruction, two worked examples, one piece of evidence behind the question.

The wording is the best of eleven that were measured on 41 English questions about pets, people, rooms, names,
times and habits (greedy, Q4_1): 41 acceptable. What made the difference, in this order:

* evidence in the second person ("Your dog is called …"): the model copies instead of rephrasing; with the
  user's own "my dog" it took the user's words for its own;
* question first, evidence in brackets behind it; with the evidence first it answered the wrong half of it;
* one piece of evidence: with several it mixes them up;
* examples whose answers take over a part of the evidence only.

The examples speak of things that nobody is likely to ask about; ``memory.reply.accept`` refuses an answer
that brings them up.
"""

from __future__ import annotations

_SYSTEM = {
    "en": "Answer the question in one short sentence, using the fact.",
    "zh": "根据括号里的事实，用一句短话回答问题。",
}
_EXAMPLES = {
    "en": (
        ("What does my neighbour play?", "Your neighbour Pavel plays the cello.", "Your neighbour plays the cello."),
        (
            "Where is the spare fuse?",
            "You keep the spare fuse in a jar and you hate mustard.",
            "You keep the spare fuse in a jar.",
        ),
    ),
    "zh": (
        ("我的邻居会什么乐器？", "您的邻居会拉大提琴。", "您的邻居会拉大提琴。"),
        ("备用保险丝在哪里？", "您把备用保险丝放在罐子里。", "您把备用保险丝放在罐子里。"),
    ),
}


def small_messages(question: str, evidence: str, language: str = "en") -> list[dict[str, str]]:
    """The messages for one question.

    Args:
        question: The user's question in the user's words.
        evidence: What answers it, in the second person; empty for none.
        language: Language of the instruction and the examples.

    Returns:
        System message, two worked examples, the question. All but the last are always the same, so the
        model has read them before the first turn.
    """
    language = "zh" if language == "zh" else "en"
    messages = [{"role": "system", "content": _SYSTEM[language]}]
    for example_question, example_evidence, answer in _EXAMPLES[language]:
        messages.append({"role": "user", "content": _ask(example_question, example_evidence)})
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": _ask(question, evidence)})
    return messages


def _ask(question: str, evidence: str) -> str:
    return f"{question} ({evidence})" if evidence else question
