"""How English speakers state what they eat, what they must avoid, what they take and have: as rules."""

from __future__ import annotations

import re

from memory.understanding.claims.grammar_english import (
    ADVERB,
    BE,
    DONT,
    HAVE,
    NEG,
    VALUE,
    WHO,
    items,
    lower,
    one,
    pattern,
)
from memory.understanding.claims.rules import Rule
from memory.understanding.claims.words_english import CONDITIONS, DIETS, FOODS, MEDICINES

_FOOD_LIST = rf"(?P<value>(?:{FOODS})\b(?:(?:\s*,\s*|\s*,?\s+(?:or|and)\s+)(?:{FOODS})\b)*)"


def _cause(value: str) -> list[str]:
    return items(re.sub(r"^(?:and|but|because|eating|that)\s+", "", value, flags=re.IGNORECASE))


def _eaten(value: str) -> list[str]:
    return [f"eats {' '.join(food.lower().split())}" for food in re.findall(FOODS, value, re.IGNORECASE)]


def _not_eaten(value: str) -> list[str]:
    return [f"eats no {food}" for food in _foods(value) if food in ("meat", "fish", "animal products")]


def _avoided(value: str) -> list[str]:
    return [food for food in _foods(value) if food not in ("meat", "fish", "animal products")]


def _foods(value: str) -> list[str]:
    return [" ".join(food.lower().split()) for food in re.findall(FOODS, value, re.IGNORECASE)]


HEALTH_RULES: tuple[Rule, ...] = (
    Rule(
        "allergy",
        pattern(
            rf"\b{WHO}\s+(?:can(?:no|')t|can\s+not|mustn't|must\s+not|shouldn't|don'?t)\s+(?:eat|have|touch"
            rf"|drink)\s+(?:any\s+)?(?P<value>[a-z]+(?:\s+(?:or\s+)?[a-z]+)?)"
            r"(?=\s*[,.;]?\s*(?:because\s+|since\s+|as\s+)?(?:i'?m"
            r"|i\s+am)\s+(?:\w+\s+)?allergic(?!\s+to\s+(?!it|them|that)))"
        ),
        _cause,
    ),
    Rule(
        "allergy",
        pattern(
            r"\b(?P<value>[a-z]+(?:\s+[a-z]+)?)\s+(?:gives?|causes?)\s+me\s+(?:an\s+"
            r"|a\s+\w+\s+)?allergic\s+reactions?"
        ),
        _cause,
    ),
    Rule("allergy", pattern(rf"(?P<same>(?<=\band)|(?<=\bbut))\s+{ADVERB}allergic\s+to\s+{VALUE}"), items),
    Rule(
        "diet",
        pattern(
            rf"\b{WHO}(?:{BE}{NEG}|\s+{ADVERB}(?:became|went|turned|eats?)|{HAVE}\s+(?:become|gone"
            rf"|been))\s+{ADVERB}(?:an?\s+)?(?:strict\s+"
            rf"|lifelong\s+)?(?P<value>{DIETS})\b(?!\s+any\s?more)(?!\s+(?:food|dish|restaurant|meal|option))"
        ),
        lower,
    ),
    Rule(
        "diet",
        pattern(rf"\b{WHO}{BE}(?P<neg>\s+no\s+longer|n't|\s+not)\s+(?:an?\s+)?(?P<value>{DIETS})(?:\s+any\s?more)?\b"),
        lower,
    ),
    Rule(
        "diet",
        pattern(
            rf"\b{WHO}(?:{HAVE}?\s+(?:started\s+eating|begun\s+eating)|\s+(?:now|only|do|also|still"
            rf"|can)\s+eats?|\s+eats?)\s+(?:only\s+)?{_FOOD_LIST}(?!\s+any\s?more)"
        ),
        _eaten,
    ),
    Rule(
        "diet",
        pattern(
            rf"\b{WHO}\s+(?:(?:don'?t|doesn'?t|do\s+not|does\s+not|never|can'?t|cannot"
            rf"|no\s+longer)\s+(?:really\s+)?eats?|(?:have\s+|has\s+)?(?:stopped|quit|given\s+up"
            rf"|gave\s+up)(?:\s+eating)?|avoids?|don'?t\s+touch)\s+(?:any\s+)?{_FOOD_LIST}"
        ),
        _not_eaten,
    ),
    Rule(
        "avoids",
        pattern(
            rf"\b{WHO}\s+(?:(?:don'?t|doesn'?t|do\s+not|does\s+not|never|can'?t|cannot"
            rf"|no\s+longer)\s+(?:really\s+)?(?:eats?|drinks?)|(?:have\s+|has\s+)?(?:stopped|quit|given\s+up"
            rf"|gave\s+up)(?:\s+(?:eating|drinking))?|avoids?|don'?t\s+touch)\s+(?:any\s+)?{_FOOD_LIST}"
        ),
        _avoided,
    ),
    Rule(
        "allergy",
        pattern(rf"\b{WHO}(?:{BE}{NEG}|{HAVE}\s+been)\s+{ADVERB}allergic\s+to\s+(?![^.;!?]*\bany\s?more\b){VALUE}"),
        items,
    ),
    Rule(
        "allergy",
        pattern(
            rf"\b{WHO}{BE}(?P<neg>\s+no\s+longer|n't"
            rf"|\s+not)\s+{ADVERB}allergic\s+to\s+(?=[^.;!?]*\bany\s?more\b"
            rf"|(?<=longer\sallergic\sto\s)){VALUE}"
        ),
        items,
    ),
    Rule(
        "allergy",
        pattern(
            rf"\b{WHO}{DONT}{HAVE}(?:\s+got)?\s+(?:an?\s+|any\s+)?{ADVERB}(?:(?:severe|bad|serious|mild"
            rf"|slight|strong|life-threatening)\s+)?allerg(?:y|ies)\s+(?:to|against)\s+{VALUE}"
        ),
        items,
    ),
    Rule(
        "allergy",
        pattern(
            rf"\b{WHO}{DONT}{HAVE}(?:\s+got)?\s+an?\s+(?:(?:severe|bad|serious|mild|slight"
            rf"|strong)\s+)?(?P<value>(?!food\b|drug\b)[\w-]+(?:\s+(?!allerg)[\w-]+)?)\s+allergy\b"
        ),
        items,
    ),
    Rule(
        "intolerance",
        pattern(rf"\b{WHO}{BE}{NEG}\s+{ADVERB}(?P<value>lactose|gluten|histamine|fructose|dairy|wheat)[\s-]intolerant"),
        lower,
    ),
    Rule(
        "intolerance",
        pattern(
            rf"\b{WHO}\s+can(?:'t|not|\s+not)\s+(?:tolerate|digest|have|handle)\s+(?P<value>lactose|gluten"
            rf"|dairy|fructose|milk|wheat|caffeine|alcohol)\b"
        ),
        lower,
    ),
    Rule(
        "medication",
        pattern(
            rf"\b{WHO}{DONT}(?:\s+{ADVERB}(?:takes?|uses?)|{BE}\s+{ADVERB}(?:on|taking)|\s+(?:have|has"
            rf"|need|needs)\s+to\s+take)\s+(?:my\s+|an?\s+|some\s+|his\s+|her\s+|the\s+)?(?P<value>(?:(?!to\b"
            rf"|for\b|care\b)[\w-]+\s+){{0,3}}?(?:{MEDICINES}))\b"
        ),
        one,
    ),
    Rule(
        "condition",
        pattern(
            rf"\b{WHO}(?:{DONT}\s+{ADVERB}(?:have|has|suffers?\s+from)|'ve\s+got|\s+(?:was|were|got"
            rf"|has\s+been)\s+diagnosed\s+with)\s+{ADVERB}(?:an?\s+)?(?P<value>(?:type\s+(?:one|two|1"
            rf"|2)\s+)?(?:{CONDITIONS}))\b"
        ),
        lower,
    ),
    Rule(
        "condition",
        pattern(
            rf"\b{WHO}{BE}{NEG}\s+{ADVERB}(?:an?\s+)?(?P<value>diabetic|asthmatic|epileptic|pregnant"
            rf"|colou?r-?\s?blind|dyslexic|celiac|coeliac)\b"
        ),
        lower,
    ),
)
"""Diet, allergies, intolerances, medication and conditions."""
