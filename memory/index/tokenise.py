"""Words to search terms: light English stems, Mandarin characters and their pairs, both in one text.

No segmenter: a Mandarin run of *n* characters gives *n* single characters and *n* - 1 pairs, which needs no
dictionary and finds names that no dictionary has. Costs about 10 microseconds a sentence.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_RUNS = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>[^\W_{_HAN}]+(?:'[^\W_{_HAN}]+)?)")
_HAN_CHARACTER = re.compile(rf"[{_HAN}]")

# Words that are in every sentence, and the words a spoken question is made of.
ENGLISH_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        """a an the and or but if then than so as of at by for with about into from to in on off out up down over under
    is are was were be been being am do does did doing done have has had having will would shall should can could may
    might must ll ve re s t d m i me my mine you your yours he him his she her hers it its we us our ours they them
    their theirs this that these those there here what which who whom whose when where why how not no nor don didn
    doesn isn wasn aren weren won wouldn couldn shouldn can cannot hasn haven hadn let just also too very really well
    yes yeah ok okay oh uh um er hmm hey hi hello please thanks thank again ever got get gets some any all
    tell said say know remember remind mention mentioned told now""",
    )
)

# Particles and pronouns that join everything to everything. A pair that holds one of them is dropped.
MANDARIN_STOPWORDS = frozenset("的了吗呢吧啊呀嘛么哦嗯诶是我你您他她它们这那有在就都也还又很和跟与给把被对着过得地之个")
# Question words and verbs of asking, taken out of a run before it is cut into characters.
_MANDARIN_PHRASES = re.compile(
    "什么时候|什么|怎么样|怎么|为什么|哪里|哪儿|哪个|哪一|多少|几点|谁|请问|记得|告诉|知道|说过|提过|来着|一下|可以|能不能|是不是|有没有"
)


def is_han(character: str) -> bool:
    """Whether ``character`` is a Han character."""
    return _HAN_CHARACTER.match(character) is not None


def holds_han(text: str) -> bool:
    """Whether a text is written, at least in part, with Han characters."""
    return _HAN_CHARACTER.search(text) is not None


def count_han(text: str) -> int:
    """Number of Han characters in a text."""
    return len(_HAN_CHARACTER.findall(text))


def terms(text: str) -> list[str]:
    """Cut a text into search terms.

    Args:
        text: Any text; English, Mandarin or both.

    Returns:
        Stems, single Han characters and pairs of neighbouring Han characters, in order, with repetitions.
    """
    found: list[str] = []
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text).replace("\u2019", "'")):
        if match.lastgroup == "han":
            found.extend(_han_terms(match.group()))
        else:
            word = _plain(match.group())
            if word not in ENGLISH_STOPWORDS:
                found.append(stem(word))
    return found


def words(text: str) -> tuple[str, ...]:
    """What was said, without case and punctuation: equal for two spellings of the same words."""
    return tuple(match.group().lower() for match in _RUNS.finditer(unicodedata.normalize("NFKC", text)))


def join(stable: str, unstable: str) -> str:
    """Two parts of a transcript as one text; Han characters need no space between them."""
    left, right = stable.rstrip(), unstable.lstrip()
    if not left or not right:
        return left or right
    glued = is_han(left[-1]) or is_han(right[0]) or not right[0].isalnum()
    return left + ("" if glued else " ") + right


def stem(word: str) -> str:
    """Cut an English ending off; the result is a key and not always a word ("baking", "bakes" -> "bak")."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and not word.endswith("ss"):
            base = word[: -len(ending)]
            if len(base) < 3 or not any(vowel in base for vowel in "aeiouy"):
                continue
            if ending in ("ied", "ies"):
                return base + "i"
            word = base
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 2 and word[-1] == "y":
        word = word[:-1] + "i"
    return word


def _plain(word: str) -> str:
    """Lower case, without accents and without what follows an apostrophe ("dog's" -> "dog")."""
    lowered = word.lower().split("'", 1)[0]
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(c))


def _han_terms(run: str) -> list[str]:
    found: list[str] = []
    for part in _MANDARIN_PHRASES.split(run):
        found.extend(c for c in part if c not in MANDARIN_STOPWORDS)
        found.extend(
            part[i : i + 2]
            for i in range(len(part) - 1)
            if part[i] not in MANDARIN_STOPWORDS and part[i + 1] not in MANDARIN_STOPWORDS
        )
    return found
