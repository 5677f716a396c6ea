"""What a listener says without taking the floor, and what takes it at once: word lists in both languages.

"Mm-hmm."  "yeah, right"  "嗯嗯"  "对对，好的"     backchannels: nothing is left of them
"uh, wait"  "等等"                                 a stop word, whatever stands before it
"yeah, and tomorrow?"                              two words are left: real speech
"""

from __future__ import annotations

import re

from processors.tokens import is_han, tokens

# Sounds of assent and laughter, as recognisers spell them: mhm, mm-hmm, hmm, uh-huh, mmm, ah, oh, haha; also letter
# by letter ("M H M.") and with a vowel that nobody said ("MMO.").
_HUM = re.compile(
    r"(?:[mhn]+|m{2,}[aeio]n?|u+h+|(?:u+h+|a+h+|m+)h+u+h+|a+h*|o+h+|huh|aha+|mkay|(?:ha){2,}h?|(?:he){2,}h?)"
)

# So many of one syllable say assent; of digits they say a number.
_ASSENT_RUN = 3
_DIGITS = "零〇一二两三四五六七八九十百千万幺"

_CLAUSE_END = re.compile(r"[，。！？；、…,!?;]+|\.+(?=\s|$)")

HUMS: dict[str, tuple[str, ...]] = {
    "en": ("uh huh", "mm hmm", "mm hm", "m hm", "uhm", "um", "er", "erm", "eminem", "amen"),
    "zh": ("嗯哼", "嗯", "恩", "唔", "呣", "哼", "哦", "噢", "喔", "啊", "呃", "诶", "欸", "哎", "哇", "哈", "呵"),
}

# A longer entry goes first: each is a sequence of tokens, a Han character is a token.
BACKCHANNELS: dict[str, tuple[str, ...]] = {
    "en": (
        "i see",
        "got it",
        "all right",
        "of course",
        "i know",
        "that's right",
        "that's true",
        "oh really",
        "sounds good",
        "no problem",
        "no worries",
        "thank you very much",
        "thank you so much",
        "thank you",
        "thanks",
        "alright",
        "right",
        "yeah",
        "yep",
        "yup",
        "yes",
        "ya",
        "okay",
        "ok",
        "o k",
        "sure",
        "true",
        "exactly",
        "really",
        "wow",
        "cool",
        "nice",
        "great",
        "good",
        "fine",
        "gotcha",
        "indeed",
        "absolutely",
        "definitely",
        "totally",
    ),
    "zh": (
        "我知道了",
        "知道了",
        "我知道",
        "明白了",
        "我明白",
        "这样啊",
        "這樣啊",
        "是这样",
        "是這樣",
        "原来如此",
        "原來如此",
        "没问题",
        "沒問題",
        "没错",
        "沒錯",
        "当然",
        "當然",
        "明白",
        "知道",
        "可以",
        "好的",
        "好啊",
        "好吧",
        "好呀",
        "是的",
        "是啊",
        "是吗",
        "是嗎",
        "是呀",
        "对的",
        "對的",
        "对啊",
        "對啊",
        "对呀",
        "對呀",
        "真的",
        "谢谢你",
        "謝謝你",
        "谢谢",
        "謝謝",
        "行啊",
        "好",
        "对",
        "對",
        "是",
        "行",
        "ok",
        "okay",
        "yeah",
    ),
}

STOP_WORDS: dict[str, tuple[str, ...]] = {
    "en": (
        "stop",
        "wait",
        "hold on",
        "hang on",
        "hold it",
        "no",
        "nope",
        "pause",
        "enough",
        "quiet",
        "be quiet",
        "shut up",
        "shush",
        "excuse me",
        "sorry",
        "cancel",
        "never mind",
        "nevermind",
        "forget it",
        "one moment",
        "one second",
        "just a moment",
        "just a second",
        "time out",
        "whoa",
        "hey",
        "actually",
        "but",
    ),
    "zh": (
        "等等",
        "等一",
        "等下",
        "先等",
        "稍等",
        "慢着",
        "慢著",
        "且慢",
        "停",
        "暂停",
        "暫停",
        "打住",
        "住口",
        "闭嘴",
        "閉嘴",
        "安静",
        "安靜",
        "别说",
        "別說",
        "别讲",
        "別講",
        "打断",
        "打斷",
        "不",
        "没有",
        "沒有",
        "错了",
        "錯了",
        "够了",
        "夠了",
        "算了",
        "取消",
        "但是",
        "可是",
        "喂",
    ),
}

# Said alone, these ask for time: more is to come, however complete they sound.
HOLDS: dict[str, tuple[str, ...]] = {
    "en": (
        *("wait", "hold on", "hang on", "hold it", "one moment", "one second", "one sec", "one minute", "a moment"),
        *("just a moment", "just a second", "just a sec", "just a minute", "give me a second", "give me a moment"),
        *("let me think", "let me see", "let me check", "um", "uhm", "uh", "er", "erm", "well", "so", "and", "but"),
    ),
    "zh": (
        *(
            "等等",
            "等一下",
            "等一等",
            "等下",
            "等会儿",
            "等會兒",
            "等一会儿",
            "等我一下",
            "稍等",
            "稍等一下",
            "慢着",
            "慢著",
        ),
        *(
            "让我想想",
            "讓我想想",
            "我想想",
            "我想一下",
            "让我看看",
            "讓我看看",
            "我看看",
            "我看一下",
            "那个",
            "那個",
            "就是",
        ),
        *("然后", "然後", "呃", "额", "額"),
    ),
}


def _sequences(*lists: dict[str, tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    """Token sequences by language, longest first."""
    merged: dict[str, list[tuple[str, ...]]] = {}
    for entries in lists:
        for language, phrases in entries.items():
            merged.setdefault(language, []).extend(tuple(tokens(phrase)) for phrase in phrases)
    return {language: sorted(found, key=len, reverse=True) for language, found in merged.items()}


_HUMS = _sequences(HUMS)
_BACKCHANNELS = _sequences(HUMS, BACKCHANNELS)
_STOPS = _sequences(STOP_WORDS)
_HOLDS = _sequences(HOLDS)


def without_backchannels(text: str) -> list[str]:
    """Give the tokens that follow the backchannels at the beginning of a text.

    Both languages' lists hold in every conversation: people say "okay" in Mandarin, too.

    Args:
        text: What was recognised.

    Returns:
        Tokens (a word, or a Han character); empty if the text is nothing but backchannels, or has no words.
    """
    return _behind(text, _BACKCHANNELS)


def without_hums(text: str) -> list[str]:
    """Give the tokens that follow what is no word at the beginning of a text ("mhm", "uh", "嗯", laughter).

    Args:
        text: What was recognised.
    """
    return _behind(text, _HUMS)


def is_backchannel(text: str) -> bool:
    """Whether a text has words and all of them are backchannels."""
    return bool(tokens(text)) and not without_backchannels(text)


def says_stop(words: list[str]) -> bool:
    """Whether tokens begin with a word that stops the agent.

    Args:
        words: What :func:`without_backchannels` left.
    """
    return _leading(words, _STOPS) > 0


def asks_for_time(text: str) -> bool:
    """Whether somebody says no more than that there is more to come ("hold on", "um", "等一下").

    Args:
        text: What was recognised.
    """
    left = tokens(text)
    has_words = bool(left)
    while length := _leading(left, _HOLDS):
        left = left[length:]
    return has_words and not left


def count_words(words: list[str]) -> int:
    """Count words; two Han characters make one.

    Args:
        words: Tokens.
    """
    han = sum(map(is_han, words))
    return len(words) - han + (han + 1) // 2


def _behind(text: str, lists: dict[str, list[tuple[str, ...]]]) -> list[str]:
    """The tokens behind the listed ones at the beginning of a text."""
    clauses = [found for clause in _CLAUSE_END.split(text) if (found := tokens(clause))]
    while clauses:
        left = _behind_in_clause(clauses[0], lists)
        if left:
            return [*left, *(token for clause in clauses[1:] for token in clause)]
        clauses.pop(0)
    return []


def _behind_in_clause(left: list[str], lists: dict[str, list[tuple[str, ...]]]) -> list[str]:
    while left:
        length = _leading(left, lists) or _repeated(left)
        if not length and not _HUM.fullmatch(left[0]):
            break
        # 好 begins 好的, and 好吃 as well: a character alone counts only where a word begins behind it.
        rest = left[length or 1 :]
        goes_on = _leading(rest, _BACKCHANNELS) or _repeated(rest) or (_leading(left, _HUMS) and says_stop(rest))
        if length == 1 and is_han(left[0]) and rest and not goes_on:
            break
        left = rest
    return left


def _repeated(left: list[str]) -> int:
    """How often one Han character stands at the beginning, from three times on: assent (对对对), even if misheard."""
    run = next((index for index, token in enumerate(left) if token != left[0]), len(left))
    if run < _ASSENT_RUN or not is_han(left[0]) or left[0] in _DIGITS or says_stop(left):
        return 0
    return run


def _leading(left: list[str], lists: dict[str, list[tuple[str, ...]]]) -> int:
    """How many tokens the longest entry takes that the text begins with; 0 for none."""
    found = (len(entry) for entries in lists.values() for entry in entries if entry == tuple(left[: len(entry)]))
    return max(found, default=0)
