"""The parts English statements are made of: their subject, their verbs, their values."""

from __future__ import annotations

import re

from memory.understanding.people.relations import RELATION_EN

_KINDS_OF = r"(?:own|older|younger|elder|big|little|best|new|old|twin|late|dear)"
MY_RELATIVE = rf"(?:my|our|his|her)\s+(?:{_KINDS_OF}[\s-]+)*(?:{RELATION_EN})"
"""Pattern of "my older sister"."""
_VERBS = (
    r"is|was|has|had|and|also|always|never|really|just|still|now|do|does|did|can|will|who|that|likes?|loves?"
    r"|lives?|works?|hates?|takes?|eats?|speaks?|moved|studies|suffers?|comes?|got|became|enjoys?|prefers?"
)
WHO = (
    rf"(?:(?P<same>(?<=\band)|(?<=\bbut)|(?<=\bor))|(?P<who>i|we|he|she|they"
    rf"|{MY_RELATIVE}(?:\s+(?!(?:{_VERBS})\b)[A-Za-z][\w-]*)?|mom|mum|dad|grandma|grandpa|(?!(?:and|but"
    rf"|or)\b)[A-Za-z][\w-]*))"
)
"""Pattern of the subject of a statement; ``same`` where it is left out after "and"."""
ADVERB = (
    r"(?:(?:also|always|really|just|still|now|currently|actually|both|absolutely|totally|particularly|quite|so"
    r"|very|severely|badly|highly|mildly|slightly"
    r"|strongly|deathly|only|mostly|kind\s+of|sort\s+of|recently|even|usually|often|definitely|originally"
    r"|already|all|too)\s+)*"
)
BE = r"(?:\s*'?m|\s+am|\s*'s|\s+is|\s+are|\s*'re)"
HAVE = r"(?:\s*'ve|\s+have|\s+has)"
NEG = r"(?P<neg>\s+not|n't)?"
DONT = r"(?P<neg>\s+(?:don'?t|doesn'?t|do\s+not|does\s+not|no\s+longer|never)(?:\s+really)?)?"
CLAUSE_END = (
    r"(?=\s*(?:[.;!?\n]|$|,\s*(?:and|but|so|which|who|because|please|can|could|i|my|he|she|we|though|then|not"
    r"|it|especially)\b"
    r"|,?\s+(?:and|but)\s+(?:i|i'?m|i'?ve|my|he|she|we|they|it|please|can|could|he'?s|she'?s|find|book|remind"
    r"|what|hates?|loves?|likes?)\b"
    r"|\s+(?:but|so|because|since|although|though|which|who|that|when|while|if|please|and\s+not|even"
    r"|more\s+than|very\s+much|a\s+lot|so\s+much|the\s+most)\b))"
)
VALUE = rf"(?P<value>[^\s,.;!?][^.;!?\n]*?){CLAUSE_END}"
PROPER = r"(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+){0,2}"
_TAIL = re.compile(
    r"\s+(?:now|too|well|oh|no|wait|um+|uh+|as\s+well|these\s+days|at\s+the\s+moment|actually|though"
    r"|by\s+the\s+way|anyway|again"
    r"|very\s+much|a\s+lot|so\s+much|currently|today|right\s+now"
    r"|(?:in|since)\s+(?:19|20)\d\d|since\s+.*|any\s?more|at\s+all|last\s+(?:week|month|year|summer|winter"
    r"|spring|autumn|fall|\w+day)|\w+\s+(?:days|weeks|months|years)\s+ago|yesterday)\s*$",
    re.IGNORECASE,
)
NO_VALUE = re.compile(
    r"(?:it|that|this|them|him|her|you|me|us|those|these|one|what|how|when|where|to\s+know|your|someone"
    r"|somebody|something|anything|nothing|everyone)\b",
    re.IGNORECASE,
)
SMALL_WORDS = frozenset(
    "a an the not on in at very so really after my what her his something it by and is to just here there home".split()
)


def pattern(text: str) -> re.Pattern[str]:
    """Compiles a pattern that does not care about case."""
    return re.compile(text, re.IGNORECASE)


def clean(value: str) -> str:
    """A value without what trails behind it: "Berlin now" -> Berlin."""
    said = " ".join(value.split()).strip(" ,.;:!?\"'")
    while (shorter := _TAIL.sub("", said)) != said:
        said = shorter
    return said[:80]


def proper(value: str) -> str:
    """A name in capitals where the recogniser left it in lower case."""
    said = clean(value)
    return " ".join(word[:1].upper() + word[1:] for word in said.split()) if said.islower() else said


def name_values(value: str) -> list[str]:
    """The value if it can be a name."""
    return [] if value.split()[0].lower() in SMALL_WORDS else [proper(value)]


def items(value: str) -> list[str]:
    """The items of a list: "nuts, eggs and fish"."""
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", clean(value))
    return [part for part in (clean(p) for p in parts) if part and not NO_VALUE.match(part)]


def one(value: str) -> list[str]:
    """The value, cleaned, if there is one."""
    said = clean(value)
    return [said] if said and not NO_VALUE.match(said) else []


def lower(value: str) -> list[str]:
    """The value in lower case."""
    return [clean(value).lower()]
