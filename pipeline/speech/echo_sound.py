"""How words sound, roughly and fast, to compare what a microphone picked up with what the agent said."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory.understanding.values.numbers import english_number, plain
from pipeline.speech.aloud import read_aloud
from processors.tokens import is_han, tokens

# Pinyin that a distant microphone does not tell apart.
_NEAR_PINYIN = re.compile(r"(?<=[zcs])h|(?<=n)g")


class EchoSound:
    """Letters: English numbers in digits, however they were spelled; Mandarin in Pinyin without tones, numbers too."""

    def __init__(self, language: str) -> None:
        """Get ready.

        Args:
            language: The agent's, ``en`` or ``zh``; an agent that speaks no Mandarin has no Mandarin echo.
        """
        self._pinyin: Callable[[str], list[str]] | None = None
        if language == "zh":
            # It takes half a second, and is there already where there is a Mandarin voice.
            from pypinyin import lazy_pinyin

            self._pinyin = lazy_pinyin

    def __call__(self, text: str) -> str:
        """How a text sounds.

        Args:
            text: One word or many.
        """
        if self._pinyin is None:
            return "".join(map(_letters, tokens(text)))
        said = tokens(read_aloud(text, "zh").text)
        return "".join(self._syllable(token) if is_han(token) else _letters(token) for token in said)

    def _syllable(self, character: str) -> str:
        assert self._pinyin is not None
        return _NEAR_PINYIN.sub("", self._pinyin(character)[0])


def _letters(token: str) -> str:
    number = english_number(token)
    return plain(number) if number is not None else token.replace("'", "")
