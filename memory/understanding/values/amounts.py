"""Amounts of money: "eighty four euros", "€84.50", 八十四块, 三十块五."""

from __future__ import annotations

import re

from memory.nouns import Entity
from memory.understanding.values.numbers import NUMBER_EN, NUMBER_ZH, english_number, mandarin_number, plain

_CURRENCIES_EN = {
    r"euros?|eur|€": "EUR",
    r"(?:us |american )?dollars?|bucks?|usd|\$": "USD",
    r"(?:british )?pounds?(?: sterling)?|quid|gbp|£": "GBP",
    r"yuan|rmb|renminbi|cny|kuai": "CNY",
    r"yen|jpy|¥": "JPY",
    r"(?:swiss )?francs?|chf": "CHF",
    r"(?:indian )?rupees?|inr|₹": "INR",
}
_CURRENCIES_ZH = {
    "块钱|块|元钱|元|人民币|圆": "CNY",
    "欧元|欧": "EUR",
    "美元|美金|美刀|刀": "USD",
    "英镑|镑": "GBP",
    "日元|日币": "JPY",
    "港币|港元": "HKD",
    "瑞士法郎": "CHF",
}
_NAMES_EN = "|".join(f"(?P<{code}>{names})" for names, code in _CURRENCIES_EN.items())
_NAMES_ZH = "|".join(f"(?P<{code}>{names})" for names, code in reversed(_CURRENCIES_ZH.items()))
_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "CNY", "￥": "CNY", "₹": "INR"}

_EN = re.compile(
    rf"(?<![A-Za-z0-9_.,])(?P<n>{NUMBER_EN})\s*(?:{_NAMES_EN})(?![A-Za-z])(?:\s*(?:and\s+)?(?P<cents>{NUMBER_EN})(?:\s+(?:cents?|pence)\b|(?=\s*(?:$|[.,!?;]))))?",
    re.IGNORECASE,
)
_SYMBOL = re.compile(
    r"(?:(?P<sign>[€$£¥￥₹])|\b(?P<code>EUR|USD|GBP|CNY|RMB|JPY|CHF)\b)\s*(?P<n>\d+(?:[.,]\d+)*)", re.IGNORECASE
)
_ZH = re.compile(
    rf"(?P<n>{NUMBER_ZH})多?\s*(?:{_NAMES_ZH})"
    r"(?P<ends>(?=[钱整吧了的呢啊嘛呀，。,.！？!?；;、\s给到转去买左多以]|$|[一二三四五六七八九\d]))?"
    r"(?:(?P<dime>[一二三四五六七八九\d])(?:毛|角)?(?![一二三四五六七八九十百\d个天点月号]))?"
)


def amounts_in(text: str) -> list[Entity]:
    """Finds amounts of money in English, Mandarin or mixed text.

    Returns:
        Entities of kind ``amount``; the value is the number with its ISO 4217 code: ``84 EUR``, ``12.50 CNY``.
    """
    found: dict[tuple[int, int], Entity] = {}
    for match in _EN.finditer(text):
        value, code = _number(match["n"]), _code(match)
        if value is None:
            continue
        cents = english_number(match["cents"]) if match["cents"] else None
        end = match.end() if cents is not None and cents < 100 else _end_of_currency(match)
        value += cents / 100 if cents is not None and cents < 100 else 0.0
        found[match.start(), end] = _entity(text, match.start(), end, value, code)
    for match in _SYMBOL.finditer(text):
        value = english_number(match["n"])
        code = _SYMBOLS[match["sign"]] if match["sign"] else match["code"].upper().replace("RMB", "CNY")
        if value is not None and not any(start < match.end() and match.start() < end for start, end in found):
            found[match.span()] = _entity(text, *match.span(), value, code)
    for match in _ZH.finditer(text):
        value = mandarin_number(match["n"])
        if value is None or (value < 5 and match["ends"] is None and match["CNY"] == "块"):
            continue  # 一块牛排 is a piece of steak
        value += int(mandarin_number(match["dime"]) or 0) / 10 if match["dime"] else 0.0
        found[match.span()] = _entity(text, *match.span(), value, _code(match))
    return [found[span] for span in sorted(found)]


def _number(said: str) -> float | None:
    """A number, or a price said as two: "thirty five fifty"."""
    whole = english_number(said)
    words = said.split()
    for cut in range(len(words) - 1, 0, -1) if whole is None else ():
        first, last = english_number(" ".join(words[:cut])), english_number(" ".join(words[cut:]))
        if first is not None and last is not None and 10 <= last < 100:
            return first + last / 100
    return whole


def _code(match: re.Match[str]) -> str:
    return next(code for code, said in match.groupdict().items() if said and code.isupper())


def _end_of_currency(match: re.Match[str]) -> int:
    return match.end(_code(match))


def _entity(text: str, start: int, end: int, value: float, code: str) -> Entity:
    return Entity(text[start:end], "amount", start, end, f"{plain(value)} {code}")
