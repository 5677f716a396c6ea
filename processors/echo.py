"""Whether words that were heard are the agent's own, come back through the microphone: a pure, fuzzy comparison.

    agent speaks    I can book room A302 for you tomorrow
    heard           can book rum a 300 2 for you               the agent's echo: nothing is left
    heard           book room A302 for wait not tomorrow       left: wait not tomorrow
    heard later     A302                                       left: a302, for an echo is not late

Only what is in the air while the words are heard counts; somebody who repeats it afterwards speaks for themselves.
A recogniser mishears an echo and spells it in its own way, so what is compared are sounds, and some may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from processors.backchannels import says_stop
from processors.tokens import is_han, tokens

# The last words of an echo are heard at most this long after they were played: the room's and the canceller's delay,
# and the blur of where words and speech end.
MAX_LAG_S = 0.7
# The first ones, this long before the VAD heard speech: a recogniser reads a second before that, too.
REACH_BACK_S = 1.9

# Share of the heard tokens that must be the agent's, in its order.
ECHO_SHARE = 0.7
# Or this share of their letters: words may be cut apart in another way.
LETTER_SHARE = 0.8
MANY_TOKENS = 6
# Of a token that is not the agent's, no more letters are like the agent's than chance makes so.
FOREIGN_SHARE = 0.45
# As many tokens in a row as the agent says them are the agent's although others follow; fewer may be chance.
RUN_TOKENS = 3
# One or two words that were heard are compared with only as many of the agent's latest.
SHORT_TOKENS = 2
LATEST_WORDS = 10
LATEST_HAN = 20
# Of a token of at least five letters, this share must be the agent's; of one of three or four; of a shorter one, all.
FUZZY_SHARE = 0.6
SHORT_SHARE = 0.75
# One or two words are told from chance only if they are nearly right.
SHORT_EDITS = 0.2

_CLAUSE_END = re.compile(r"[，。！？；、…,.!?;]+")

Sound = Callable[[str], str]
"""How a text sounds, in letters: what sounds the same may be spelled in many ways ("10", "ten", 室, 是)."""


def as_spelled(text: str) -> str:
    """A text that sounds like its letters."""
    return "".join(tokens(text)).replace("'", "")


def without_echo(heard: str, spoken: str, past: str = "", sound: Sound = as_spelled) -> list[str]:
    """Give the tokens of what was heard that are not the agent's.

    Args:
        heard: What the recogniser understood.
        spoken: What the agent was saying meanwhile, and shortly before.
        past: What it had said just before that: an echo may begin with it, but no longer end there.
        sound: How words sound.

    Returns:
        Tokens in order (see ``tokens``); empty if all of it is echo, or if nothing was heard.
    """
    mine = tokens(heard)
    if len(mine) <= SHORT_TOKENS:
        if says_stop(mine):
            # "no" sounds in every other reply somewhere; alone it comes back only where it was said alone.
            return [] if mine in map(tokens, _CLAUSE_END.split(spoken)) else mine
        past, spoken = _latest(past, spoken)
    before, latest = sound(past), sound(spoken)
    if not mine or not latest:
        return mine
    sounds = [sound(token) for token in mine]
    places, edits = _places("".join(sounds), before + latest, len(before))
    if max(places, default=0) <= len(before):
        return mine
    if len(mine) <= SHORT_TOKENS:
        return [] if edits <= SHORT_EDITS * len(places) else mine
    ends = np.cumsum([0, *map(len, sounds)])
    shares = [
        sum(map(bool, places[begin:end])) / max(1, end - begin) for begin, end in zip(ends[:-1], ends[1:], strict=True)
    ]
    matched = [share >= _enough(one) for share, one in zip(shares, sounds, strict=True)]
    is_like = sum(matched) >= ECHO_SHARE * len(mine)
    if len(mine) >= MANY_TOKENS:
        is_like = is_like or sum(map(bool, places)) >= LETTER_SHARE * len(places)
    if is_like and _longest_run([share <= FOREIGN_SHARE for share in shares]) < RUN_TOKENS:
        return []
    first, last = _run_at_start(matched), len(mine) - _run_at_start(matched[::-1])
    start = first if first >= RUN_TOKENS else 0
    end = last if len(mine) - last >= RUN_TOKENS else len(mine)
    return mine[start:end]


def is_echo(heard: str, spoken: str, past: str = "", sound: Sound = as_spelled) -> bool:
    """Whether words were heard and all of them are the agent's; arguments as for ``without_echo``."""
    return bool(tokens(heard)) and not without_echo(heard, spoken, past, sound)


def _latest(past: str, spoken: str) -> tuple[str, str]:
    """The last words of both that a word or two are compared with."""
    latest = tokens(spoken)
    most = LATEST_HAN if latest and is_han(latest[-1]) else LATEST_WORDS
    latest = latest[-most:]
    left = most - len(latest)
    return " ".join(tokens(past)[-left:] if left else []), " ".join(latest)


def _enough(sound: str) -> float:
    """The share of a token's letters that must be the agent's."""
    return 1.0 if len(sound) < 3 else SHORT_SHARE if len(sound) < 5 else FUZZY_SHARE


def _places(heard: str, said: str, after: int) -> tuple[list[int], int]:
    """Where the letters that were heard have their like in what was said, in that stretch which is most like them.

    Args:
        heard: What was heard.
        said: All that the agent said.
        after: The stretch ends behind so many letters of it.

    Returns:
        For each letter of ``heard`` its place in ``said`` counted from 1, 0 without one; and the edits between both.
    """
    costs = _edit_distances(heard, said)
    # Of stretches that are as good, the latest.
    at = len(said) - int(np.argmin(costs[-1, :after:-1]))
    edits = int(costs[-1, at])
    places = [0] * len(heard)
    row = len(heard)
    while row and at:
        differs = heard[row - 1] != said[at - 1]
        if costs[row, at] == costs[row - 1, at - 1] + differs:
            places[row - 1] = 0 if differs else at
            row, at = row - 1, at - 1
        elif costs[row, at] == costs[row - 1, at] + 1:
            row -= 1
        else:
            at -= 1
    return places, edits


def _edit_distances(heard: str, said: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Edits between each beginning of ``heard`` and what it is most like that ends at each place of ``said``."""
    other = np.array([ord(letter) for letter in said], dtype=np.int64)
    places = np.arange(len(said) + 1, dtype=np.int32)
    costs = np.zeros((len(heard) + 1, len(said) + 1), dtype=np.int32)
    for row, letter in enumerate(heard, start=1):
        costs[row, 0] = row
        costs[row, 1:] = np.minimum(costs[row - 1, :-1] + (other != ord(letter)), costs[row - 1, 1:] + 1)
        # A letter of the agent's that was not heard costs one, too.
        costs[row] = np.minimum.accumulate(costs[row] - places) + places
    return costs


def _run_at_start(matched: list[bool]) -> int:
    return next((index for index, same in enumerate(matched) if not same), len(matched))


def _longest_run(flags: list[bool]) -> int:
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest
