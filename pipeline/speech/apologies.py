"""What the agent says when its language model fails: short, in the user's language, worded by the kind of fault."""

from __future__ import annotations

_LATER = "later"
_AGAIN = "again"
_KEY = "key"
_BUSY = "busy"
_SLOW = "slow"

_KINDS = {
    "http_401": _KEY,
    "http_402": _KEY,
    "http_403": _KEY,
    "http_429": _BUSY,
    "timeout": _SLOW,
    "empty": _AGAIN,
    "garbage": _AGAIN,
    "truncated": _AGAIN,
}
_TEXTS = {
    "en": {
        _LATER: "Sorry, I cannot reach my language model right now. Please try again in a moment.",
        _AGAIN: "Sorry, I lost my train of thought. Could you say that again?",
        _KEY: "Sorry, I am not allowed to use my language model. Somebody has to look at its key.",
        _BUSY: "Sorry, I am being asked too much right now. Please try again in a moment.",
        _SLOW: "Sorry, that took me too long. Please say that again.",
    },
    "zh": {
        _LATER: "抱歉，我现在连不上语言模型，请稍后再试。",
        _AGAIN: "抱歉，我刚才走神了，请您再说一遍。",
        _KEY: "抱歉，我没有权限使用语言模型，需要有人检查一下密钥。",
        _BUSY: "抱歉，我现在太忙了，请稍后再试。",
        _SLOW: "抱歉，我想得太久了，请您再说一遍。",
    },
}


def apology(language: str, reason: str) -> str:
    """The apology for a fault.

    Args:
        language: ``zh`` for Mandarin, anything else for English.
        reason: As in ``SpeechFailedFrame.reason``, such as ``timeout`` or ``http_401``.

    Returns:
        One or two short sentences without any technical detail.
    """
    return _TEXTS["zh" if language == "zh" else "en"][_KINDS.get(reason, _LATER)]
