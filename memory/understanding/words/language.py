"""Which language a text is in, judged by its letters and its smallest words."""

from __future__ import annotations

import re

_HAN = re.compile(r"[㐀-䶿一-鿿]")
_KANA_HANGUL = re.compile(r"[぀-ヿ가-힯]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ']+")
_OTHER_LETTER = re.compile(r"[Ͱ-ۿऀ-๿]")
_ENGLISH = frozenset(
    "the a an i i'm you he she it we they is are was were am be do does did have has had my your his her our "
    "their of to in on at for"
    " from with and or but not no yes what which who where when how why this that these those there can could "
    "will would please me"
    " find book tell remind like about okay thanks thank hello hi good wait make it's what's let's don't".split()
)
_FOREIGN = frozenset(
    "der die das und ich ist nicht ein eine mein meine mir für mit auf wie heißt wo wann bitte morgen le la "
    "les une est je suis mon"
    " ma des du et que pour dans el los las es soy mi para con por qué una como il che non sono di per y en de "
    "du é o um uma meu"
    " minha não het een ik van".split()
)


def language_of(text: str, hint: str = "en") -> str:
    """Names the language of a text.

    Args:
        text: What was said.
        hint: ISO 639-1 code of what is usually spoken, such as ``en`` or ``en-US``; decides where the text does not.
            ``auto`` counts as ``en``.

    Returns:
        ``en``, ``zh``, or the hint; ``und`` for a text that is clearly neither English nor Mandarin.
    """
    usual = "en" if hint == "auto" else re.split(r"[-_]", hint.lower())[0]
    han = len(_HAN.findall(text))
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    if _KANA_HANGUL.search(text):
        return usual if usual not in ("en", "zh") else "und"
    if han:
        return "zh" if usual == "zh" or han * 2 >= len(words) else "en"
    if _OTHER_LETTER.search(text):
        return usual if usual not in ("en", "zh") else "und"
    if not words or (len(words) == 1 and len(words[0]) == 1):
        return usual
    english = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    if english > foreign:
        return "en"
    if foreign > english:
        return usual if usual not in ("en", "zh") else "und"
    return usual
