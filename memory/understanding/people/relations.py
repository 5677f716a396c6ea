"""People and animals in a person's life, by what they are to them: sister, boss, dog; 妹妹, 经理, 狗."""

from __future__ import annotations

_EN = {
    "f": "sister mother wife girlfriend daughter grandmother aunt niece stepmother mother-in-law sister-in-law "
    "granddaughter fiancée",
    "m": "brother father husband boyfriend son grandfather uncle nephew stepfather father-in-law brother-in-law "
    "grandson",
    "": "partner fiancé cousin child friend colleague coworker neighbour roommate flatmate classmate manager "
    "boss supervisor assistant"
    " teacher doctor dentist therapist lawyer landlord landlady client customer coach trainer tutor professor "
    "twin godmother godfather"
    " baby toddler secretary accountant nanny babysitter",
}
_SPELLINGS_EN = {
    "mom": "mother",
    "mum": "mother",
    "mommy": "mother",
    "mama": "mother",
    "dad": "father",
    "daddy": "father",
    "papa": "father",
    "grandma": "grandmother",
    "granny": "grandmother",
    "grandpa": "grandfather",
    "granddad": "grandfather",
    "hubby": "husband",
    "kid": "child",
    "neighbor": "neighbour",
    "co-worker": "colleague",
    "coworker": "colleague",
    "workmate": "colleague",
    "housemate": "flatmate",
    "fiance": "fiancé",
    "fiancee": "fiancée",
    "puppy": "dog",
    "doggy": "dog",
    "kitten": "cat",
    "kitty": "cat",
    "bunny": "rabbit",
    "line manager": "manager",
    "best friend": "best friend",
}
_PETS_EN = (
    "dog cat rabbit hamster parrot horse pony turtle tortoise goldfish bird budgie guinea-pig snake ferret mouse pet"
)

GENDER_EN: dict[str, str] = {noun: gender for gender, nouns in _EN.items() for noun in nouns.split()}
"""English noun -> ``f``, ``m`` or an empty string."""
PETS_EN: frozenset[str] = frozenset(_PETS_EN.replace("-", " ").split() + ["guinea pig"]) - {"guinea", "pig"}
_ONLY_ONE = frozenset(
    "mother father husband wife partner boyfriend girlfriend fiancé fiancée manager boss grandmother "
    "grandfather landlord landlady"
    " best mother-in-law father-in-law twin".split()
)
RELATION_EN = "|".join(sorted({*GENDER_EN, *_SPELLINGS_EN, *PETS_EN}, key=len, reverse=True))
"""Pattern of every English relation noun, singular."""

_ZH = {
    "f": "妹妹 姐姐 妈妈 妻子 女朋友 女儿 奶奶 外婆 阿姨 姑姑 婆婆 岳母 表姐 表妹 堂姐 堂妹 侄女 外甥女 孙女 "
    "未婚妻 嫂子 舅妈 姑妈 闺蜜",
    "m": "弟弟 哥哥 爸爸 丈夫 男朋友 儿子 爷爷 外公 叔叔 舅舅 公公 岳父 表哥 表弟 堂哥 堂弟 侄子 外甥 孙子 "
    "未婚夫 姐夫 妹夫 伯伯 姑父",
    "": "朋友 好朋友 同事 邻居 室友 同学 老师 医生 牙医 经理 老板 领导 上司 主管 助理 客户 房东 教练 律师 孩子 "
    "宝宝 教授 导师 秘书 对象 爱人 伴侣 保姆 组长 总监",
}
_SPELLINGS_ZH = {
    "母亲": "妈妈",
    "老妈": "妈妈",
    "妈": "妈妈",
    "父亲": "爸爸",
    "老爸": "爸爸",
    "爸": "爸爸",
    "老公": "丈夫",
    "先生": "丈夫",
    "老婆": "妻子",
    "太太": "妻子",
    "媳妇": "妻子",
    "姥姥": "外婆",
    "姥爷": "外公",
    "妹": "妹妹",
    "姐": "姐姐",
    "哥": "哥哥",
    "弟": "弟弟",
    "男友": "男朋友",
    "女友": "女朋友",
    "闺女": "女儿",
    "小孩": "孩子",
    "狗狗": "狗",
    "小狗": "狗",
    "猫咪": "猫",
    "小猫": "猫",
    "猫猫": "猫",
}
_PETS_ZH = "狗 猫 兔子 仓鼠 鹦鹉 金鱼 乌龟 小鸟 宠物"

GENDER_ZH: dict[str, str] = {noun: gender for gender, nouns in _ZH.items() for noun in nouns.split()}
"""Mandarin noun -> ``f``, ``m`` or an empty string."""
PETS_ZH: frozenset[str] = frozenset(_PETS_ZH.split())
_ONLY_ONE_ZH = frozenset(
    "妈妈 爸爸 丈夫 妻子 男朋友 女朋友 经理 老板 领导 上司 主管 奶奶 爷爷 外婆 外公 婆婆 公公 岳母 岳父 房东 "
    "对象 爱人".split()
)
RELATION_ZH = "|".join(sorted({*GENDER_ZH, *_SPELLINGS_ZH, *PETS_ZH}, key=len, reverse=True))
"""Pattern of every Mandarin relation noun."""


def canonical_relation(said: str) -> str:
    """One noun for all the ways to say it: "mom" -> ``mother``, 老公 -> 丈夫."""
    noun = " ".join(said.lower().split())
    return _SPELLINGS_EN.get(noun, _SPELLINGS_ZH.get(noun, noun))


def gender_of(relation: str) -> str:
    """``f``, ``m``, or an empty string where the noun does not say."""
    return GENDER_EN.get(relation, GENDER_ZH.get(relation, ""))


def is_pet(relation: str) -> bool:
    """Whether it is an animal."""
    return relation in PETS_EN or relation in PETS_ZH


def is_single(relation: str) -> bool:
    """Whether a person has one of them, so that a new name replaces the old one."""
    return relation in _ONLY_ONE or relation == "best friend" or relation in _ONLY_ONE_ZH or is_pet(relation)
