"""Whether words that were heard are the agent's own, come back through the microphone: a pure, fuzzy comparison.

    agent speaks    I can book the small room for you tomorrow
    heard           can book a small rum for you               the agent's echo: nothing is left
    heard           book the small room for wait not tomorrow  left: wait not tomorrow

Only what the agent is saying while the words are heard counts; somebody who repeats it afterwards speaks for
themselves. A recogniser mishears an echo, so words may differ a little and some may be missing.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from processors.tokens import is_han, tokens

# Share of the heard tokens that must be the agent's, in its order.
ECHO_SHARE = 0.7
# As many tokens in a row as the agent says them are the agent's although others follow; fewer may be chance.
RUN_TOKENS = 3
# One or two words that were heard are compared with only as many of the agent's latest.
SHORT_TOKENS = 2
LATEST_TOKENS = 10
# Words of at least this many letters may differ a little.
FUZZY_LETTERS = 4
FUZZY_RATIO = 0.7


def without_echo(heard: str, spoken: str) -> list[str]:
    """Give the tokens of what was heard that are not the agent's.

    Args:
        heard: What the recogniser understood.
        spoken: What the agent was saying meanwhile, and shortly before.

    Returns:
        Tokens in order (see ``tokens``); empty if all of it is echo, or if nothing was heard.
    """
    mine = tokens(heard)
    agents = tokens(spoken)
    if not mine or not agents:
        return mine
    if len(mine) <= SHORT_TOKENS:
        return [] if all(_aligned(mine, agents[-LATEST_TOKENS:])) else mine
    matched = _aligned(mine, agents)
    if sum(matched) >= ECHO_SHARE * len(mine) and _longest_run(matched, False) < RUN_TOKENS:
        return []
    first, last = _run_at_start(matched), len(mine) - _run_at_start(matched[::-1])
    start = first if first >= RUN_TOKENS else 0
    end = last if len(mine) - last >= RUN_TOKENS else len(mine)
    return mine[start:end]


def is_echo(heard: str, spoken: str) -> bool:
    """Whether words were heard and all of them are the agent's.

    Args:
        heard: What the recogniser understood.
        spoken: What the agent was saying meanwhile, and shortly before.
    """
    return bool(tokens(heard)) and not without_echo(heard, spoken)


def _aligned(mine: list[str], agents: list[str]) -> list[bool]:
    """Which of the heard tokens have a partner among the agent's, in order: the longest common subsequence."""
    best = [[0] * (len(agents) + 1) for _ in range(len(mine) + 1)]
    same = [[_alike(a, b) for b in agents] for a in mine]
    for i in range(len(mine) - 1, -1, -1):
        for j in range(len(agents) - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if same[i][j] else max(best[i + 1][j], best[i][j + 1])
    matched = [False] * len(mine)
    i = j = 0
    while i < len(mine) and j < len(agents):
        if same[i][j]:
            matched[i] = True
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return matched


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if is_han(one) or is_han(other) or min(len(one), len(other)) < FUZZY_LETTERS:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= FUZZY_RATIO


def _run_at_start(matched: list[bool]) -> int:
    return next((index for index, same in enumerate(matched) if not same), len(matched))


def _longest_run(matched: list[bool], value: bool) -> int:
    longest = run = 0
    for same in matched:
        run = run + 1 if same == value else 0
        longest = max(longest, run)
    return longest
