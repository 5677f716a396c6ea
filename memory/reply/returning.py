"""What a user who comes back is greeted with while something of an earlier session is still open."""

from __future__ import annotations

from memory.prompt_input import PromptInput


def greeting_again(prompt: PromptInput, language: str) -> str:
    """A greeting that names what was left open, and how to go on with it.

    Args:
        prompt: The turn.
        language: ``zh`` or ``en``, of the reply.

    Returns:
        Empty if nothing is open.
    """
    if not prompt.open_from_before or prompt.state.get("task"):
        return ""
    task = prompt.open_from_before[-1].split(" (", 1)[0]
    if language == "zh":
        return f"您好。上次的事还没办完：{task}。想接着办，就说“继续”。"
    return f"Hello again. One thing is still open: {task}. Say “go on” if you want to go on with it."
