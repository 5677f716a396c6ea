"""How English speakers state things about themselves and others, as rules."""

from __future__ import annotations

import re

from memory.understanding.claims.grammar_english import (
    ADVERB,
    BE,
    CLAUSE_END,
    DONT,
    HAVE,
    MY_RELATIVE,
    NEG,
    NO_VALUE,
    PROPER,
    SMALL_WORDS,
    VALUE,
    WHO,
    clean,
    items,
    lower,
    name_values,
    one,
    pattern,
    proper,
)
from memory.understanding.claims.health_english import HEALTH_RULES
from memory.understanding.claims.rules import Rule
from memory.understanding.claims.words_english import JOBS, LANGUAGES
from memory.understanding.people.relations import canonical_relation
from memory.understanding.values.numbers import NUMBER_EN, english_number, plain


def _place(value: str) -> list[str]:
    said = re.split(r"\s+(?:with|and|near|for|where|as|in\s+a|in\s+the\s+\w+\s+of)\s+|,", clean(value), maxsplit=1)[0]
    return [proper(said) if len(said.split()) == 1 else said] if said and said.lower() not in SMALL_WORDS else []


def _liked(value: str) -> list[str]:
    said = re.sub(r"^to\s+", "", value.strip())
    if _REACTION.match(said):
        return []
    return [] if len(said.split()) > 7 or NO_VALUE.match(said) else items(said)


_REACTION = re.compile(
    r"(?:the\s+(?:way|thought|idea|fact|part|one|colou?rs?|look|pic|photo|picture|vibe|sound|energy)|every"
    r"|each|his|their)\b",
    re.IGNORECASE,
)


def _preferred(value: str) -> list[str]:
    return _liked(re.split(r"(?<=\w)\s+(?:to|over|rather\s+than|instead\s+of)\s+", value, maxsplit=1)[0])


def _organisation(value: str) -> list[str]:
    return [proper(re.sub(r"^(?:the|an?)\s+", "", clean(value), flags=re.IGNORECASE))]


def _age(value: str) -> list[str]:
    number = english_number(value)
    return [plain(number)] if number is not None and 0 < number < 130 else []


def _counted(value: str) -> list[str]:
    count, _, noun = " ".join(value.lower().split()).rpartition(" ")
    words = [w for w in count.split() if w not in _SMALL_COUNTS]
    single = canonical_relation(noun.removesuffix("s")) if noun not in ("children", "kids") else "children"
    return [f"{words[0]} {noun}" if words else single]


_SMALL_COUNTS = frozenset("a an one little old young small big new older younger grown-up twin lovely".split())
_COUNT = (
    r"(?:a|an|one|two|three|four|five|\d+)\s+(?:(?:little|old|young|small|big|new|older|younger|grown-up|twin"
    r"|lovely)\s+)*"
)
_I_HAVE = (
    r"(?:\b(?:i|we)\s+(?:have|own|got)\b[^.!?\n]{0,60}?\band\s+|\b(?:i|we)(?:'ve\s+got|\s+have\s+got|\s+have"
    r"|\s+own|\s+adopted|\s+got)\s+)"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "name",
        pattern(
            r"\b(?:my\s+(?:full\s+)?name(?:'s|\s+is)|(?:hi|hello|hey),?\s+(?:i'?m|i\s+am"
            r"|this\s+is))\s+(?P<value>(?!not\b)[A-Za-z][\w'-]*(?:\s+(?-i:[A-Z])[\w'-]*){0,2})"
        ),
        name_values,
    ),
    Rule(
        "nickname",
        pattern(
            r"\b(?:can|please|just|everyone|people|friends"
            r"|everybody)\s+calls?\s+me\s+(?P<value>[A-Za-z][\w'-]*)(?!\s+(?:a|later|back|when))"
        ),
        name_values,
    ),
    Rule("nickname", pattern(rf"^call\s+me\s+(?P<value>{PROPER})"), name_values),
    Rule(
        "residence",
        pattern(
            rf"\b{WHO}(?:{DONT}\s+{ADVERB}lives?|(?:{BE}|{HAVE}\s+been)\s+{ADVERB}(?:living"
            rf"|based))\s+(?:together\s+)?(?:in|at|near|on|out\s+in|over\s+in)\s+{VALUE}"
        ),
        _place,
    ),
    Rule("residence", pattern(rf"\b{WHO}\s+(?P<ended>used\s+to\s+live|lived)\s+in\s+{VALUE}"), _place),
    Rule("residence", pattern(rf"\b{WHO}{HAVE}?\s+{ADVERB}moved\s+(?:back\s+|here\s+|over\s+)?to\s+{VALUE}"), _place),
    Rule(
        "hometown",
        pattern(
            rf"\b{WHO}(?:{BE}\s+{ADVERB}from|\s+{ADVERB}comes?\s+from|\s+grew\s+up\s+in|\s+(?:was"
            rf"|were)\s+born\s+in)\s+(?P<value>{PROPER}|(?:a|the)\s+(?:small\s+|little\s+)?(?:village|town"
            rf"|city)[^.,;!?]*)"
        ),
        _place,
    ),
    Rule(
        "job",
        pattern(
            rf"\b{WHO}(?:\s+{ADVERB}works?|{BE}\s+{ADVERB}working)(?:\s+(?:for"
            rf"|at)\s+[\w&.-]+)?\s+as\s+(?:an?\s+|the\s+)?(?P<value>[\w-]+(?:\s+(?!(?:at|for|in|and|but"
            rf"|with)\b)[\w-]+){{0,3}})"
        ),
        one,
    ),
    Rule(
        "job",
        pattern(rf"\b{WHO}{BE}{NEG}\s+{ADVERB}(?:an?|the)\s+(?P<value>(?:[\w-]+\s+){{0,3}}?(?:{JOBS}))\b(?!\s+of\b)"),
        one,
    ),
    Rule("job", pattern(rf"\b(?:{MY_RELATIVE}|my)(?:'s)?\s+job\s+is\s+(?:an?\s+)?{VALUE}"), one),
    Rule(
        "employer",
        pattern(
            rf"\b{WHO}(?:\s+{ADVERB}works?|{BE}\s+{ADVERB}working|{BE}\s+(?:an?"
            rf"|the)\s+(?:[\w-]+\s+){{0,3}}?(?:{JOBS})"
            rf"|\s+works?\s+as\s+(?:an?\s+)?[\w-]+(?:\s+[\w-]+)?)\s+(?:at"
            rf"|for)\s+(?P<value>(?:the\s+)?{PROPER}|(?:an?|the)\s+(?:[\w-]+\s+){{0,2}}?(?:hospital|company"
            rf"|school|bank|university|start-?up|firm|agency|restaurant|office|hotel|shop|library|museum"
            rf"|clinic|bakery|factory)|(?!home\b|night|least|noon|the\b|an?\b|my\b"
            rf"|weekends?)[a-z]+(?=\s*(?:[,.;!?]|$|and\b|as\b)))"
        ),
        _organisation,
    ),
    Rule(
        "employer",
        pattern(rf"(?P<same>(?<=\band))\s+{ADVERB}work(?:s|ing)?\s+(?:at|for)\s+(?P<value>(?:the\s+)?{PROPER})"),
        _organisation,
    ),
    Rule(
        "studies",
        pattern(
            rf"\b{WHO}(?:\s+{ADVERB}(?:study|studies)|{BE}\s+{ADVERB}studying)\s+(?P<value>(?!for\b|hard"
            rf"|at\b|in\b|with\b|on\b)[\w-]+(?:\s+(?!at\b|in\b|and\b|with\b)[\w-]+)?)"
        ),
        one,
    ),
    Rule(
        "school",
        pattern(
            rf"\b{WHO}(?:\s+{ADVERB}(?:study|studies|go|goes)"
            rf"|{BE}\s+{ADVERB}studying)\s+(?:[\w-]+\s+){{0,2}}?(?:at"
            rf"|to)\s+(?:the\s+)?(?P<value>(?:university|college)\s+of\s+\w+"
            rf"|(?-i:[A-Z])\w+(?:\s+\w+)?\s+(?:university|college|school))"
        ),
        one,
    ),
    Rule("age", pattern(rf"\b{WHO}{BE}\s+{ADVERB}(?P<value>{NUMBER_EN})\s+years?\s+old\b"), _age),
    Rule("age", pattern(rf"\b{WHO}{HAVE}?\s+(?:just\s+)?(?:turned|turns)\s+(?P<value>{NUMBER_EN})\b"), _age),
    Rule("likes", pattern(rf"\b{WHO}{DONT}\s+{ADVERB}(?:likes?|loves?|enjoys?|adores?)\s+{VALUE}"), _liked),
    Rule("likes", pattern(rf"\b{WHO}{DONT}\s+{ADVERB}prefers?\s+{VALUE}"), _preferred),
    Rule(
        "likes",
        pattern(
            rf"\b{WHO}{BE}{NEG}\s+{ADVERB}(?:(?:a\s+)?(?:big\s+|huge\s+)?fan\s+of|into|fond\s+of"
            rf"|crazy\s+about|keen\s+on)\s+{VALUE}"
        ),
        _liked,
    ),
    Rule(
        "likes",
        pattern(
            rf"\b{WHO}\s+{ADVERB}(?:hates?|dislikes?|can'?t\s+stand|cannot\s+stand|detests?|loathes?"
            rf"|can'?t\s+bear)\s+{VALUE}"
        ),
        _liked,
        denies=True,
    ),
    Rule(
        "pet",
        pattern(
            rf"{_I_HAVE}(?P<value>{_COUNT}(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|turtle|bird"
            rf"|goldfish)s?)\b"
        ),
        _counted,
    ),
    Rule(
        "children",
        pattern(rf"{_I_HAVE}(?P<value>{_COUNT}(?:sons?|daughters?|child|children|kids?|bab(?:y|ies)))\b"),
        _counted,
    ),
    Rule("siblings", pattern(rf"{_I_HAVE}(?P<value>{_COUNT}(?:brother|sister)s?)\b"), _counted),
    Rule(
        "habit",
        pattern(
            rf"\b{WHO}\s+(?:(?P<neg>never|rarely|hardly\s+ever)|always|usually|often|normally|generally"
            rf"|regularly|tends?\s+to)\s+(?P<value>(?!liked?|loves?|prefers?|want|been|had|said|am|is|was"
            rf"|have\s+been|wanted|wondered|thought|forget|calms?|knew|tried|gave|give\s+up|saw|went|met|did"
            rf"|got|felt|took|made|puts?|hates?|makes?\s+me"
            rf"|enjoys?)[a-z]+\b[^.;!?\n,]*?){CLAUSE_END}"
        ),
        one,
    ),
    Rule(
        "habit",
        pattern(
            rf"\b{WHO}\s+(?P<value>(?!need|want|will|would|have\s+to|should|am|is|was|takes?|always|usually"
            rf"|often|never|can|please)[a-z]+\b[^.;!?,\n]*?\s(?:every\s+(?:single\s+)?(?:day|morning|afternoon"
            rf"|evening|night|week|weekend|month|year|\w+day)|on\s+\w+days|(?:once|twice"
            rf"|three\s+times)\s+a\s+\w+))\b"
        ),
        one,
    ),
    Rule(
        "marital status",
        pattern(rf"\b{WHO}{BE}{NEG}\s+{ADVERB}(?P<value>married|single|divorced|engaged|widowed|separated)\b"),
        lower,
    ),
    Rule(
        "languages",
        pattern(
            rf"\b{WHO}{DONT}\s+{ADVERB}(?:can\s+)?speaks?\s+(?:a\s+little\s+|fluent\s+"
            rf"|some\s+)?(?P<value>(?:{LANGUAGES})(?:(?:\s*,\s*|\s*,?\s+and\s+)(?:{LANGUAGES}))*)\b"
        ),
        items,
    ),
    *HEALTH_RULES,
)
"""Everything with one subject and one kind of value; ``claims.english`` reads names, favourites and contacts."""
