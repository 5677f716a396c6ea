"""How English speakers state things about themselves and others, as rules."""

from __future__ import annotations

import re

from memory.understanding.numbers import NUMBER_EN, english_number, plain
from memory.understanding.relations import RELATION_EN, canonical_relation
from memory.understanding.rules import Rule
from memory.understanding.words_en import CONDITIONS, DIETS, FOODS, JOBS, LANGUAGES, MEDICINES

_KINDS_OF = r"(?:own|older|younger|elder|big|little|best|new|old|twin|late|dear)"
MY_RELATIVE = rf"(?:my|our|his|her)\s+(?:{_KINDS_OF}[\s-]+)*(?:{RELATION_EN})"
"""Pattern of "my older sister"."""
_VERBS = r"is|was|has|had|and|also|always|never|really|just|still|now|do|does|did|can|will|who|that|likes?|loves?|lives?|works?|hates?|takes?|eats?|speaks?|moved|studies|suffers?|comes?|got|became|enjoys?|prefers?"
WHO = (
    rf"(?P<who>i|we|he|she|they|{MY_RELATIVE}(?:\s+(?!(?:{_VERBS})\b)[A-Za-z][\w-]*)?|mom|mum|dad|grandma|grandpa|[A-Za-z][\w-]*)"
)
"""Pattern of the subject of a statement."""
_ADVERB = (
    r"(?:(?:also|always|really|just|still|now|currently|actually|both|absolutely|totally|particularly|quite|so|very|severely|badly|highly|mildly|slightly"
    r"|strongly|deathly|only|mostly|kind\s+of|sort\s+of|recently|even|usually|often|definitely|originally|already|all|too)\s+)*"
)
_BE = r"(?:\s*'m|\s+am|\s*'s|\s+is|\s+are|\s*'re)"
_HAVE = r"(?:\s*'ve|\s+have|\s+has)"
_NEG = r"(?P<neg>\s+not|n't)?"
_DONT = r"(?P<neg>\s+(?:don't|doesn't|do\s+not|does\s+not|no\s+longer|never)(?:\s+really)?)?"
_CLAUSE_END = (
    r"(?=\s*(?:[.;!?\n]|$|,\s*(?:and|but|so|which|who|because|please|can|could|i|my|he|she|we|though|then|not|it|especially)\b"
    r"|,?\s+(?:and|but)\s+(?:i|i'm|i've|my|he|she|we|they|it|please|can|could|he's|she's|find|book|remind|what|hates?|loves?|likes?)\b"
    r"|\s+(?:but|so|because|since|although|though|which|who|that|when|while|if|please|and\s+not|even|more\s+than|very\s+much|a\s+lot|so\s+much|the\s+most)\b))"
)
_VALUE = rf"(?P<value>[^\s,.;!?][^.;!?\n]*?){_CLAUSE_END}"
_PROPER = r"(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+){0,2}"
_TAIL = re.compile(
    r"\s+(?:now|too|as\s+well|these\s+days|at\s+the\s+moment|actually|though|by\s+the\s+way|anyway|again|very\s+much|a\s+lot|so\s+much|currently|today|right\s+now"
    r"|since\s+.*|any\s?more|at\s+all|last\s+(?:week|month|year|summer|winter|spring|autumn|fall|\w+day)|\w+\s+(?:days|weeks|months|years)\s+ago|yesterday)\s*$",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"(?:it|that|this|them|him|her|you|me|us|those|these|one|what|how|when|where|to\s+know|your|someone|somebody|something|anything|nothing|everyone)\b",
    re.IGNORECASE,
)
_SMALL_WORDS = frozenset("a an the not on in at very so really after my what her his something it by and is to just here there home".split())


def _pattern(text: str) -> re.Pattern[str]:
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
    return [] if value.split()[0].lower() in _SMALL_WORDS else [proper(value)]


def items(value: str) -> list[str]:
    """The items of a list: "nuts, eggs and fish"."""
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", clean(value))
    return [part for part in (clean(p) for p in parts) if part and not _NO_VALUE.match(part)]


def one(value: str) -> list[str]:
    """The value, cleaned, if there is one."""
    said = clean(value)
    return [said] if said and not _NO_VALUE.match(said) else []


def _place(value: str) -> list[str]:
    said = re.split(r"\s+(?:with|and|near|for|where|as|in\s+a|in\s+the\s+\w+\s+of)\s+|,", clean(value), maxsplit=1)[0]
    return [proper(said) if len(said.split()) == 1 else said] if said and said.lower() not in _SMALL_WORDS else []


def _liked(value: str) -> list[str]:
    said = re.sub(r"^to\s+", "", value.strip())
    return [] if len(said.split()) > 7 or _NO_VALUE.match(said) else items(said)


def _lower(value: str) -> list[str]:
    return [clean(value).lower()]


def _age(value: str) -> list[str]:
    number = english_number(value)
    return [plain(number)] if number is not None and 0 < number < 130 else []


def _eaten(value: str) -> list[str]:
    return [f"eats {' '.join(food.lower().split())}" for food in re.findall(FOODS, value, re.IGNORECASE)]


def _not_eaten(value: str) -> list[str]:
    return [f"eats no {food}" for food in _foods(value) if food in ("meat", "fish", "animal products")]


def _avoided(value: str) -> list[str]:
    return [food for food in _foods(value) if food not in ("meat", "fish", "animal products")]


def _foods(value: str) -> list[str]:
    return [" ".join(food.lower().split()) for food in re.findall(FOODS, value, re.IGNORECASE)]


def _relatives(*kinds: str) -> str:
    return "|".join(kinds)


def _counted(value: str) -> list[str]:
    count, _, noun = " ".join(value.lower().split()).rpartition(" ")
    words = [w for w in count.split() if w not in ("a", "an", "one", "little", "old", "young", "small", "big", "new", "older", "younger", "grown-up", "twin", "lovely")]
    single = canonical_relation(noun.removesuffix("s")) if noun not in ("children", "kids") else "children"
    return [f"{words[0]} {noun}" if words else single]


_FOOD_LIST = rf"(?P<value>(?:{FOODS})\b(?:(?:\s*,\s*|\s*,?\s+(?:or|and)\s+)(?:{FOODS})\b)*)"
_COUNT = r"(?:a|an|one|two|three|four|five|\d+)\s+(?:(?:little|old|young|small|big|new|older|younger|grown-up|twin|lovely)\s+)*"
_I_HAVE = r"\b(?:i|we)(?:'ve\s+got|\s+have\s+got|\s+have|\s+own|\s+adopted|\s+got)\s+"

RULES: tuple[Rule, ...] = (
    Rule("name", _pattern(rf"\b(?:my\s+(?:full\s+)?name(?:'s|\s+is)|(?:hi|hello|hey),?\s+(?:i'm|i\s+am|this\s+is))\s+(?P<value>(?!not\b)[A-Za-z][\w'-]*(?:\s+(?-i:[A-Z])[\w'-]*){{0,2}})"), name_values),
    Rule("nickname", _pattern(rf"\b(?:can|please|just|everyone|people|friends|everybody)\s+calls?\s+me\s+(?P<value>[A-Za-z][\w'-]*)(?!\s+(?:a|later|back|when))"), name_values),
    Rule("nickname", _pattern(rf"^call\s+me\s+(?P<value>{_PROPER})"), name_values),
    Rule("residence", _pattern(rf"\b{WHO}(?:{_DONT}\s+{_ADVERB}lives?|(?:{_BE}|{_HAVE}\s+been)\s+{_ADVERB}(?:living|based))\s+(?:together\s+)?(?:in|at|near|on|out\s+in|over\s+in)\s+{_VALUE}"), _place),
    Rule("residence", _pattern(rf"\b{WHO}\s+(?P<ended>used\s+to\s+live|lived)\s+in\s+{_VALUE}"), _place),
    Rule("residence", _pattern(rf"\b{WHO}{_HAVE}?\s+{_ADVERB}moved\s+(?:back\s+|here\s+|over\s+)?to\s+{_VALUE}"), _place),
    Rule("hometown", _pattern(rf"\b{WHO}(?:{_BE}\s+{_ADVERB}from|\s+{_ADVERB}comes?\s+from|\s+grew\s+up\s+in|\s+(?:was|were)\s+born\s+in)\s+(?P<value>{_PROPER}|(?:a|the)\s+(?:small\s+|little\s+)?(?:village|town|city)[^.,;!?]*)"), _place),
    Rule("job", _pattern(rf"\b{WHO}(?:\s+{_ADVERB}works?|{_BE}\s+{_ADVERB}working)\s+as\s+(?:an?\s+|the\s+)?(?P<value>[\w-]+(?:\s+(?!(?:at|for|in|and|but|with)\b)[\w-]+){{0,3}})"), one),
    Rule("job", _pattern(rf"\b{WHO}{_BE}{_NEG}\s+{_ADVERB}(?:an?|the)\s+(?P<value>(?:[\w-]+\s+){{0,3}}?(?:{JOBS}))\b(?!\s+of\b)"), one),
    Rule("job", _pattern(rf"\b(?:{MY_RELATIVE}|my)(?:'s)?\s+job\s+is\s+(?:an?\s+)?{_VALUE}"), one),
    Rule("employer", _pattern(rf"\b{WHO}(?:\s+{_ADVERB}works?|{_BE}\s+{_ADVERB}working|{_BE}\s+(?:an?|the)\s+(?:[\w-]+\s+){{0,3}}?(?:{JOBS})|\s+works?\s+as\s+(?:an?\s+)?[\w-]+(?:\s+[\w-]+)?)\s+(?:at|for)\s+(?P<value>{_PROPER}|(?:an?|the)\s+(?:[\w-]+\s+){{0,2}}?(?:hospital|company|school|bank|university|start-?up|firm|agency|restaurant|office|hotel|shop|library|museum|clinic|bakery|factory)|(?!home\b|night|least|noon|the\b|an?\b|my\b|weekends?)[a-z]+(?=\s*(?:[,.;!?]|$|and\b|as\b)))"), name_values),
    Rule("studies", _pattern(rf"\b{WHO}(?:\s+{_ADVERB}(?:study|studies)|{_BE}\s+{_ADVERB}studying)\s+(?P<value>(?!for\b|hard|at\b|in\b|with\b|on\b)[\w-]+(?:\s+(?!at\b|in\b|and\b|with\b)[\w-]+)?)"), one),
    Rule("school", _pattern(rf"\b{WHO}(?:\s+{_ADVERB}(?:study|studies|go|goes)|{_BE}\s+{_ADVERB}studying)\s+(?:[\w-]+\s+){{0,2}}?(?:at|to)\s+(?:the\s+)?(?P<value>(?:university|college)\s+of\s+\w+|(?-i:[A-Z])\w+(?:\s+\w+)?\s+(?:university|college|school))"), one),
    Rule("age", _pattern(rf"\b{WHO}{_BE}\s+{_ADVERB}(?P<value>{NUMBER_EN})\s+years?\s+old\b"), _age),
    Rule("age", _pattern(rf"\b{WHO}{_HAVE}?\s+(?:just\s+)?(?:turned|turns)\s+(?P<value>{NUMBER_EN})\b"), _age),
    Rule("diet", _pattern(rf"\b{WHO}(?:{_BE}{_NEG}|\s+{_ADVERB}(?:became|went|turned|eats?)|{_HAVE}\s+(?:become|gone|been))\s+{_ADVERB}(?:an?\s+)?(?:strict\s+|lifelong\s+)?(?P<value>{DIETS})\b(?!\s+any\s?more)(?!\s+(?:food|dish|restaurant|meal|option))"), _lower),
    Rule("diet", _pattern(rf"\b{WHO}{_BE}(?P<neg>\s+no\s+longer|n't|\s+not)\s+(?:an?\s+)?(?P<value>{DIETS})(?:\s+any\s?more)?\b"), _lower),
    Rule("diet", _pattern(rf"\b{WHO}(?:{_HAVE}?\s+(?:started\s+eating|begun\s+eating)|\s+(?:now|only|do|also|still|can)\s+eats?|\s+eats?)\s+(?:only\s+)?{_FOOD_LIST}(?!\s+any\s?more)"), _eaten),
    Rule("diet", _pattern(rf"\b{WHO}\s+(?:(?:don't|doesn't|do\s+not|does\s+not|never|can't|cannot|no\s+longer)\s+(?:really\s+)?eats?|(?:have\s+|has\s+)?(?:stopped|quit|given\s+up|gave\s+up)(?:\s+eating)?|avoids?|don't\s+touch)\s+(?:any\s+)?{_FOOD_LIST}"), _not_eaten),
    Rule("avoids", _pattern(rf"\b{WHO}\s+(?:(?:don't|doesn't|do\s+not|does\s+not|never|can't|cannot|no\s+longer)\s+(?:really\s+)?(?:eats?|drinks?)|(?:have\s+|has\s+)?(?:stopped|quit|given\s+up|gave\s+up)(?:\s+(?:eating|drinking))?|avoids?|don't\s+touch)\s+(?:any\s+)?{_FOOD_LIST}"), _avoided),
    Rule("allergy", _pattern(rf"\b{WHO}(?:{_BE}{_NEG}|{_HAVE}\s+been)\s+{_ADVERB}allergic\s+to\s+(?![^.;!?]*\bany\s?more\b){_VALUE}"), items),
    Rule("allergy", _pattern(rf"\b{WHO}{_BE}(?P<neg>\s+no\s+longer|n't|\s+not)\s+{_ADVERB}allergic\s+to\s+(?=[^.;!?]*\bany\s?more\b|(?<=longer\sallergic\sto\s)){_VALUE}"), items),
    Rule("allergy", _pattern(rf"\b{WHO}{_DONT}{_HAVE}(?:\s+got)?\s+(?:an?\s+|any\s+)?{_ADVERB}(?:(?:severe|bad|serious|mild|slight|strong|life-threatening)\s+)?allerg(?:y|ies)\s+(?:to|against)\s+{_VALUE}"), items),
    Rule("allergy", _pattern(rf"\b{WHO}{_DONT}{_HAVE}(?:\s+got)?\s+an?\s+(?:(?:severe|bad|serious|mild|slight|strong)\s+)?(?P<value>(?!food\b|drug\b)[\w-]+(?:\s+(?!allerg)[\w-]+)?)\s+allergy\b"), items),
    Rule("intolerance", _pattern(rf"\b{WHO}{_BE}{_NEG}\s+{_ADVERB}(?P<value>lactose|gluten|histamine|fructose|dairy|wheat)[\s-]intolerant"), _lower),
    Rule("intolerance", _pattern(rf"\b{WHO}\s+can(?:'t|not|\s+not)\s+(?:tolerate|digest|have|handle)\s+(?P<value>lactose|gluten|dairy|fructose|milk|wheat|caffeine|alcohol)\b"), _lower),
    Rule("medication", _pattern(rf"\b{WHO}{_DONT}(?:\s+{_ADVERB}(?:takes?|uses?)|{_BE}\s+{_ADVERB}(?:on|taking)|\s+(?:have|has|need|needs)\s+to\s+take)\s+(?:my\s+|an?\s+|some\s+|his\s+|her\s+|the\s+)?(?P<value>(?:(?!to\b|for\b|care\b)[\w-]+\s+){{0,3}}?(?:{MEDICINES}))\b"), one),
    Rule("condition", _pattern(rf"\b{WHO}(?:{_DONT}\s+{_ADVERB}(?:have|has|suffers?\s+from)|'ve\s+got|\s+(?:was|were|got|has\s+been)\s+diagnosed\s+with)\s+{_ADVERB}(?:an?\s+)?(?P<value>(?:type\s+(?:one|two|1|2)\s+)?(?:{CONDITIONS}))\b"), _lower),
    Rule("condition", _pattern(rf"\b{WHO}{_BE}{_NEG}\s+{_ADVERB}(?:an?\s+)?(?P<value>diabetic|asthmatic|epileptic|pregnant|colou?r-?\s?blind|dyslexic|celiac|coeliac)\b"), _lower),
    Rule("likes", _pattern(rf"\b{WHO}{_DONT}\s+{_ADVERB}(?:likes?|loves?|enjoys?|adores?|prefers?)\s+{_VALUE}"), _liked),
    Rule("likes", _pattern(rf"\b{WHO}{_BE}{_NEG}\s+{_ADVERB}(?:(?:a\s+)?(?:big\s+|huge\s+)?fan\s+of|into|fond\s+of|crazy\s+about|keen\s+on)\s+{_VALUE}"), _liked),
    Rule("likes", _pattern(rf"\b{WHO}\s+{_ADVERB}(?:hates?|dislikes?|can't\s+stand|cannot\s+stand|detests?|loathes?|can't\s+bear)\s+{_VALUE}"), _liked, denies=True),
    Rule("pet", _pattern(rf"{_I_HAVE}(?P<value>{_COUNT}(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|turtle|bird|goldfish)s?)\b"), _counted),
    Rule("children", _pattern(rf"{_I_HAVE}(?P<value>{_COUNT}(?:sons?|daughters?|child|children|kids?|bab(?:y|ies)))\b"), _counted),
    Rule("siblings", _pattern(rf"{_I_HAVE}(?P<value>{_COUNT}(?:brother|sister)s?)\b"), _counted),
    Rule("habit", _pattern(rf"\b{WHO}\s+(?:(?P<neg>never|rarely|hardly\s+ever)|always|usually|often|normally|generally|regularly|tends?\s+to)\s+(?P<value>(?!liked?|loves?|prefers?|want|been|had|said|am|is|was|have\s+been|wanted|wondered|thought|forget|calms?|hates?|makes?\s+me|enjoys?)[a-z]+\b[^.;!?\n,]*?){_CLAUSE_END}"), one),
    Rule("habit", _pattern(rf"\b{WHO}\s+(?P<value>(?!need|want|will|would|have\s+to|should|am|is|was|takes?|always|usually|often|never|can|please)[a-z]+\b[^.;!?,\n]*?\s(?:every\s+(?:single\s+)?(?:day|morning|afternoon|evening|night|week|weekend|month|year|\w+day)|on\s+\w+days|(?:once|twice|three\s+times)\s+a\s+\w+))\b"), one),
    Rule("marital status", _pattern(rf"\b{WHO}{_BE}{_NEG}\s+{_ADVERB}(?P<value>married|single|divorced|engaged|widowed|separated)\b"), _lower),
    Rule("languages", _pattern(rf"\b{WHO}{_DONT}\s+{_ADVERB}(?:can\s+)?speaks?\s+(?:a\s+little\s+|fluent\s+|some\s+)?(?P<value>(?:{LANGUAGES})(?:(?:\s*,\s*|\s*,?\s+and\s+)(?:{LANGUAGES}))*)\b"), items),
)
"""Everything with one subject and one kind of value. Names of relatives, favourites and contacts are read in ``claims_en``."""
