"""Turns what the user said about themselves into what the agent says about the user.

"My dog is called Bruno and I like window seats." → "your dog is called Bruno and you like window seats",
我的狗叫豆豆，我喜欢靠窗的座位。 → 您的狗叫豆豆，您喜欢靠窗的座位
"""

from __future__ import annotations

import re

from memory.reply.words import words

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")

_PAIRS = {
    ("i", "am"): "you are",
    ("am", "i"): "are you",
    ("i", "was"): "you were",
    ("was", "i"): "were you",
    ("you", "are"): "I am",
    ("are", "you"): "am I",
    ("you", "were"): "I was",
    ("were", "you"): "was I",
}
_WORDS = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "ourselves": "yourselves",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
    "we're": "you're",
    "we've": "you've",
    "we'd": "you'd",
    "we'll": "you'll",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
    "you're": "I'm",
    "you've": "I've",
    "you'd": "I'd",
    "you'll": "I'll",
}
# "you" in front of one of these is a subject.
_VERBS = words("have had can could will would should must may might do did know said told remember understand")
# First words that are lower-cased when the sentence becomes part of another one.
_OPENERS = words(
    "a an the this that these those there it he she they his her their its in on at from to by for with of "
    "when if today tomorrow yesterday tonight next last every some all no not one two and but so "
    "it's that's there's he's she's they're"
)

_ZH = {
    "我们": "你们",
    "咱们": "你们",
    "我": "您",
    "俺": "您",
    "你们": "我们",
    "您": "我",
    "你": "我",
}
_ZH_PATTERN = re.compile("自我|我国|" + "|".join(sorted(_ZH, key=len, reverse=True)))


def is_mandarin(text: str) -> bool:
    """Whether the text is written in Han characters, at least in good part."""
    han = len(_HAN.findall(text))
    return han > 0 and han * 3 >= len(re.findall(r"[A-Za-z]+|\d+", text))


def second_person(text: str) -> str:
    """Turn a sentence of the user, in either language.

    Args:
        text: One or more sentences about the user.

    Returns:
        The same in the second person, without its final full stop. An English sentence begins with a small letter
        where it may, so that it can follow "you told me that".
    """
    text = " ".join(text.split()).rstrip(".。!！ ")
    if is_mandarin(text):
        return _ZH_PATTERN.sub(lambda match: _ZH.get(match[0], match[0]), text)
    return _english(text)


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def _english(text: str) -> str:
    parts = _WORD.findall(text)
    spoken = [(at, part) for at, part in enumerate(parts) if part[0].isalpha()]
    done = list(parts)
    position = 0
    while position < len(spoken):
        at, word = spoken[position]
        following = spoken[position + 1] if position + 1 < len(spoken) else None
        adjacent = following is not None and parts[at + 1 : following[0]] == [" "]
        pair = _PAIRS.get((_plain(word), _plain(following[1]))) if following is not None and adjacent else None
        if pair is not None and following is not None:
            done[at], done[following[0]] = pair.split(" ")
            position += 2
            continue
        done[at] = _one(word, following[1] if following is not None and adjacent else "")
        position += 1
    if spoken and spoken[0][0] == 0 and _plain(parts[0]) in _OPENERS:
        done[0] = done[0].lower()
    # "I was born in Porto and am thirty": the subject is left out, so no pair was found.
    return re.sub(r"\b(and|but) am\b", r"\1 are", "".join(done))


def _one(word: str, following: str) -> str:
    plain = _plain(word)
    if plain == "you":
        return "I" if _plain(following) in _VERBS else "me"
    # "US" is a country, "us" is not.
    if word == "US":
        return word
    return _WORDS.get(plain, word)


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")
