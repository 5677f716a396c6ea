"""Which remembered words answer a question: compares content words, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.nouns import Recalled, Speaker
from memory.reply.second_person import is_mandarin
from memory.reply.words import FUNCTION_WORDS, SAME_WORD

_EN_WORD = re.compile(r"[a-z0-9]+(?:[.:][0-9]+)*")
_ZH_WORD = re.compile(r"[\u3400-\u9fff]|[A-Za-z0-9]+")
_ZH_STOP = frozenset(
    "我你您他她它们的了吗呢吧啊呀么什是在有和跟就都也还很会能要想说过请问一个哪谁几多少怎样为这那叫名字记得知道告诉对不把给到"
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")
_QUESTION_EN = re.compile(
    r"^\W*(?:(?:by the way|so|and|well|okay|ok|hey|um|uh|oh|but|then|sorry|please|hello|hi|actually|yes|no)\b\W*)*"
    r"(?:what|which|who|whom|whose|where|when|why|how|do|does|did|is|are|am|was|were|have|has|had|can|could|will"
    r"|would|should|may|tell me|remind me (?:what|who|where|when|which|how|of|about)|i forgot"
    r"|what's|who's|where's|when's)\b",
    re.IGNORECASE,
)
# "Can you book a table?" asks for something to be done, "Can you tell me …?" to be told.
_REQUEST_EN = re.compile(
    r"^\W*(?:(?:so|and|well|okay|ok|hey|oh|please|hello|hi)\b\W*)*(?:can|could|will|would) you (?:please |also )*"
    r"(?!tell|remember|remind me (?:what|who|where|when|which|how|of|about)|say|repeat|explain|hear|understand|see)"
    r"[a-z]+",
    re.IGNORECASE,
)
_REQUEST_ZH = re.compile(r"帮我|帮忙|替我|麻烦你|麻烦您|请(?!问)|给我(?=[找订预查买叫发打定安])")
_TELL_ZH = re.compile(r"告诉我|说说|记得|回忆")
_QUESTION_ZH = re.compile(
    r"吗|呢[？?]?$|什么|哪[里儿个些天间位家一]|哪$|谁|怎么|为什么|多少|是不是|有没有|能不能|可不可以|几[点号个岁楼月天位层]|多[大长高远久]|记不记得"
)
# Something counted is no question: 我买了几个苹果.
_NO_QUESTION_ZH = re.compile(r"没什么|什么都|谁都|怎么都|了几[个天]|好几|几个人都")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A remembered sentence that may answer a question.

    Attributes:
        text: The sentence, as the user said it.
        item: The memory it comes from.
        overlap: How many content words it shares with the question.
    """

    text: str
    item: Recalled
    overlap: int


def sentences(text: str) -> list[str]:
    """The sentences of a text in either language; those without a letter or digit are left out."""
    return [part.strip() for part in _SENTENCE_END.split(text.strip()) if re.search(r"\w", part)]


def is_question(text: str) -> bool:
    """Whether a sentence asks for something to be told."""
    text = text.strip()
    if is_request(text):
        return False
    if is_mandarin(text):
        asked = text.rstrip("。").endswith(("？", "?")) or bool(_QUESTION_ZH.search(text))
        return asked and not (_NO_QUESTION_ZH.search(text) and not text.endswith(("？", "?")))
    return text.endswith(("?", "？")) or bool(_QUESTION_EN.match(text))


def is_request(text: str) -> bool:
    """Whether a sentence asks politely for something to be done ("can you …", 请…, 帮我…)."""
    if is_mandarin(text):
        return bool(_REQUEST_ZH.search(text)) and not _TELL_ZH.search(text)
    return bool(_REQUEST_EN.match(text))


def content_words(text: str) -> frozenset[str]:
    """What a text is about: stems in English, characters in Mandarin, without function words."""
    words = {_stem(word) for word in _EN_WORD.findall(text.lower()) if word not in FUNCTION_WORDS}
    if is_mandarin(text):
        words = {word.lower() for word in _ZH_WORD.findall(text) if word not in _ZH_STOP}
    return frozenset(words)


def best_evidence(question: str, recalled: Sequence[Recalled]) -> Evidence | None:
    """The one sentence to answer from.

    Only what the user said counts, and no questions: an earlier "What is my dog's name?" resembles the
    question most and answers nothing. Among sentences that share most words with the question the first
    recalled wins, unless a later one says the same of something else ("my favourite colour is …"):
    then the newer one does.

    Args:
        question: The user's question.
        recalled: Best first.

    Returns:
        None when nothing the user stated was recalled.
    """
    words = content_words if content_words(question) else _naming_words
    asked = words(question)
    found: list[Evidence] = []
    for item in recalled:
        if item.speaker != Speaker.USER or item.text.strip() == question.strip():
            continue
        stated = [line for line in sentences(item.text) if not is_question(line)]
        for line in stated:
            found.append(Evidence(line, item, len(asked & words(line))))
    if not found:
        return None
    top = max(entry.overlap for entry in found)
    best, *others = (entry for entry in found if entry.overlap == top)
    for other in others:
        if other.item.said_at > best.item.said_at and _resembles(best.text, other.text):
            best = other
    return best


def _naming_words(text: str) -> frozenset[str]:
    """All that "What is my name?" is about."""
    return frozenset({"name"} if re.search(r"\b(?:name|called)\b|叫|名字", text, re.IGNORECASE) else ())


def _resembles(one: str, other: str) -> bool:
    first, second = content_words(one), content_words(other)
    return bool(first | second) and len(first & second) / len(first | second) >= 0.4


def _stem(word: str) -> str:
    word = SAME_WORD.get(word, word)
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
