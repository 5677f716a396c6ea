"""How Mandarin speakers state things, as rules on what follows the subject of a clause: [我妹妹][住在汉堡]."""

from __future__ import annotations

import re

from memory.understanding.claims.rules import Rule
from memory.understanding.values.numbers import NUMBER_ZH, mandarin_number, plain

_ADVERB = (
    r"(?:也|都|现在|还是?|真的?|其实|一直|从小就?|从来都?|特别|非常|很|挺|已经|就|目前|最近|又|只|开始|是个?"
    r"|本来|严重|有点|更|比较|超级?|太|蛮|可|还挺|家)*"
)
_NEG = r"(?P<neg>不(?:太|怎么|是很|再)?|没有?|不是)?"
_JOBS = (
    r"老师|教师|护士|医生|律师|工程师|程序员|设计师|经理|会计|厨师|服务员|司机|飞行员|学生|大学生|研究生"
    r"|高中生|教授|科学家|研究员|作家|记者|编辑|艺术家|画家|音乐家|歌手|演员|舞者|摄影师|建筑师"
    r"|电工|水管工|木匠|农民|面包师|理发师|牙医|兽医|药剂师|心理咨询师|消防员|警察|军人|图书管理员|翻译|秘书"
    r"|助理|前台|顾问|分析师|银行家|销售员?|收银员|保洁员?|保安|技术员|公务员|产品经理|项目经理"
    r"|教练|自由职业者|退休工人|家庭主妇|快递员|外卖员|创业者|老板|导演|法官|社工|健身教练|数据分析师|运营"
    r"|人事|实习生|瑜伽老师|主管|科员|船长|空姐|空乘"
)
_FOOD = (
    r"鸡肉|鸭肉|红肉|鱼|肉|猪肉|牛肉|羊肉|鸡肉|鸡蛋|蛋|海鲜|虾|贝类|奶制品|牛奶|奶酪|面食|面包|糖|甜食|坚果"
    r"|花生|大豆|豆制品"
    r"|香菜|葱|姜|蒜|大蒜|洋葱|蘑菇|辣|辣椒|生冷|内脏|荤|荤菜|主食|米饭"
    r"|油炸食品|麸质|快餐|零食|生鱼片"
)
_DISEASE = (
    r"(?:[一二12]型)?糖尿病|高血压|低血压|哮喘|癫痫|偏头痛|关节炎|乳糜泻|抑郁症|焦虑症|失眠|多动症|心脏病|癌症"
    r"|贫血|骨质疏松|睡眠呼吸暂停|湿疹|银屑病|甲亢|甲减|甲状腺疾病|帕金森|色盲"
    r"|痛风|鼻炎|花粉症"
    r"|胃病|胃炎|颈椎病|腰椎间盘突出|高血脂|肝炎|肾病|冠心病|脂肪肝|过敏性鼻炎"
)
_MEDICINE = (
    r"[一-鿿A-Za-z]{0,6}?(?:药|药片|胶囊|胰岛素|阿司匹林|布洛芬|二甲双胍|青霉素|阿莫西林|抗生素|止痛片|止疼药"
    r"|安眠药|降压药|维生素[A-Za-z]?|抗抑郁药|抗过敏药|华法林"
    r"|避孕药|激素|泼尼松|优甲乐|头孢)"
)
_LANGUAGES = (
    r"英语|德语|法语|西班牙语|意大利语|葡萄牙语|俄语|日语|韩语|阿拉伯语|汉语|中文|普通话|粤语|广东话|上海话"
    r"|闽南话|四川话|荷兰语|英文|日文|法文|德文"
)
_TAIL = re.compile(r"(?:了|的|呢|啊|吧|呀|哦|嘛|吗|哈|而已|来着|了吧|的呢|这些|什么的|之类的?|等等)$")
_NO_VALUE = re.compile(r"^(?:你|他|她|它|这|那|这个|那个|这样|那样|什么|谁|哪|的|了|和|跟|就|都|也|过|得|着|我)")


def clean(value: str) -> str:
    """A value without the particles behind it: 柏林了 -> 柏林."""
    said = value.strip(" ，,。！!？?；;、")
    while len(said) > 1 and (shorter := _TAIL.sub("", said)) != said:
        said = shorter
    return said[:40]


def one(value: str) -> list[str]:
    """The value, cleaned, if there is one."""
    said = clean(value)
    return [said] if said and not _NO_VALUE.match(said) else []


def items(value: str) -> list[str]:
    """The items of a list: 花生、虾和牛奶."""
    parts = re.split(r"[、，,]|和|跟|以及|还有|或者?|与", clean(value))
    return [part for part in (clean(p) for p in parts) if part and not _NO_VALUE.match(part)]


def _place(value: str) -> list[str]:
    said = re.split(
        r"(?<=..)(?:了|好几年|[一二三四五六七八九十几两\d]+年|生活|工作|上班|附近|这边|那边|，)",
        clean(value),
        maxsplit=1,
    )[0]
    return (
        [said]
        if 1 < len(said) <= 12
        and not _NO_VALUE.match(said)
        and not re.search(r"[晚夜天宿]$|^[一两二三四五六七八九十几\d]+[晚夜天个间套年]", said)
        and not said.startswith(("一起", "家里", "这里", "那里"))
        else []
    )


def _vegetarian(value: str) -> list[str]:
    return ["纯素" if re.search(r"纯素|全素|严格", value) else "素食"]


def _eats(value: str) -> list[str]:
    return [f"吃{food}" for food in re.findall(_FOOD, value)]


def _eats_no(value: str) -> list[str]:
    return [f"不吃{food}" for food in re.findall(_FOOD, value) if food in ("肉", "鱼", "荤", "荤菜")]


def _avoided(value: str) -> list[str]:
    return [food for food in re.findall(_FOOD, value) if food not in ("肉", "鱼", "荤", "荤菜")]


def _age(value: str) -> list[str]:
    number = mandarin_number(value)
    return [plain(number)] if number is not None and 0 < number < 130 else []


def _liked(value: str) -> list[str]:
    said = clean(value)
    return [] if len(said) > 16 or _NO_VALUE.match(said) else items(said)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"^{text}")


_FOOD_LIST = rf"(?P<value>(?:{_FOOD})(?:[、和跟或](?:{_FOOD}))*)"

RULES: tuple[Rule, ...] = (
    Rule(
        "nickname",
        re.compile(r"^(?:你?可以|请|大家都?|朋友们?都?|就)*叫我(?P<value>[一-鿿A-Za-z]{1,8}?)(?:吧|就行|就好|$)"),
        one,
    ),
    Rule(
        "residence",
        _pattern(rf"{_ADVERB}(?P<ended>以前|之前|曾经?)(?:住在?|家在|定居在?|生活在)(?P<value>.+)$"),
        _place,
    ),
    Rule(
        "residence",
        _pattern(
            rf"{_ADVERB}{_NEG}(?:再)?(?:住在|住(?!院|宿|酒店|的|得)|家住在?|(?<=家)在|家在|定居[在于]?"
            rf"|生活在)(?P<value>.+)$"
        ),
        _place,
    ),
    Rule("residence", _pattern(r"(?:[^，。]{0,8}?)(?:搬到|搬去|搬来|移居(?:到)?|搬家到)了?(?P<value>.+)$"), _place),
    Rule(
        "hometown",
        _pattern(rf"{_ADVERB}(?:来自|老家(?:是|在)|的?(?:家乡|老家)(?:是|在)|出生(?:在|于)|生在)(?P<value>.+)$"),
        _place,
    ),
    Rule(
        "hometown",
        _pattern(rf"{_ADVERB}是(?P<value>[一-鿿]{{2,6}})人$"),
        lambda v: [] if re.search(r"[个好老大男女病主工客商别家本爱有]$", v) else one(v),
    ),
    Rule(
        "job",
        _pattern(rf"{_ADVERB}(?P<neg>不)?是?(?:一?[名个位])?(?P<value>[一-鿿]{{0,6}}?(?:{_JOBS}))$"),
        lambda v: one(re.sub(r"^(?:是|一[名个位]|[名个位])", "", v)),
    ),
    Rule(
        "job",
        _pattern(
            rf"(?:在[^，。]{{1,14}}?)?{_ADVERB}(?:做|当|担任"
            rf"|干)(?:了)?(?:一?[名个位])?(?P<value>(?:[一-鿿]{{0,4}}?(?:{_JOBS})))"
        ),
        one,
    ),
    Rule("job", _pattern(r"的(?:工作|职业)是(?:一?[名个位])?(?P<value>.+)$"), one),
    Rule(
        "employer",
        _pattern(rf"{_ADVERB}在(?P<value>[^，。]{{2,14}}?)(?:工作|上班|任职|实习|当|做(?!饭|客|梦|的))"),
        lambda v: [] if v in ("家", "家里", "这里", "那里", "这边", "外面") else one(v),
    ),
    Rule(
        "school",
        _pattern(
            rf"{_ADVERB}在(?P<value>[^，。]{{2,12}}?(?:大学|学院|中学|小学|高中|学校))?(?:读书|上学|念书"
            rf"|读大学|读研|读博|上课)"
        ),
        one,
    ),
    Rule(
        "studies",
        _pattern(rf"(?:在[^，。]{{2,12}}?)?{_ADVERB}(?:学的?是?|读|念|主修)(?P<value>[一-鿿]{{2,8}}?)(?:专业|系)"),
        one,
    ),
    Rule(
        "age",
        _pattern(rf"[^，。]{{0,4}}?(?:的?年龄是|今年|已经|才|刚|快|都|马上|满|就)*(?P<value>{NUMBER_ZH})周?岁"),
        _age,
    ),
    Rule("birthday", _pattern(r"的?生日(?:是|在)(?:每年)?的?(?P<value>.+)$"), one),
    Rule(
        "diet",
        _pattern(
            rf"{_ADVERB}(?P<neg>不(?:再)?)?是?(?:一?个)?(?P<value>(?:严格的?)?(?:纯|全)?素食(?:主义)?者?"
            rf"|(?:严格的?)?纯素(?:主义)?者?"
            rf"|吃(?:全|纯|长)?素)"
        ),
        _vegetarian,
    ),
    Rule(
        "diet",
        _pattern(
            r"(?:其实|现在|最近|也|又|已经|开始|只|都|可以)*(?:现在|又|也|开始|只"
            r"|可以)吃(?P<value>(?:{food}))(?:了|的)?(?!药)".replace("{food}", _FOOD)
        ),
        _eats,
    ),
    Rule("diet", _pattern(rf"{_ADVERB}(?:不(?:再|能|太)?|从不|从来不|戒)吃?{_FOOD_LIST}"), _eats_no),
    Rule("avoids", _pattern(rf"{_ADVERB}(?:不(?:再|能|太|爱)?|从不|从来不|戒)[吃喝]{_FOOD_LIST}"), _avoided),
    Rule(
        "allergy",
        _pattern(
            rf"{_ADVERB}(?P<neg>不(?:再)?)?对(?P<value>[^，。]{{1,20}}?)(?:严重|有点|非常|也|都|会|是|很|有些|有)*过敏"
        ),
        items,
    ),
    Rule(
        "allergy",
        _pattern(
            rf"{_ADVERB}(?:有)?(?P<value>(?:{_FOOD}|花粉|尘螨|猫毛|狗毛|青霉素|头孢|阿司匹林|乳胶|芒果|菠萝"
            rf"|桃子|酒精|紫外线|海鲜|螃蟹|虾|小麦))(?:严重)?过敏"
        ),
        items,
    ),
    Rule("allergy", _pattern(r"(?:吃)?(?P<value>[^，。我]{1,8}?)(?:会|都)?让我过敏"), items),
    Rule("intolerance", _pattern(rf"{_ADVERB}有?(?P<value>乳糖|麸质|果糖|酒精)不耐"), one),
    Rule(
        "medication",
        _pattern(
            rf"{_ADVERB}(?:每天|每晚|在|得|要|需要|必须|长期|早晚|都)*(?P<neg>不(?:再)?)?(?:服用|服|吃着?|用|打)(?:的是"
            rf"|一?[种些片粒])?(?P<value>{_MEDICINE})"
        ),
        one,
    ),
    Rule(
        "condition",
        _pattern(rf"{_ADVERB}(?P<neg>没有?)?(?:有|得了|患有?|查出|确诊)(?:了|轻度|严重的?|一点)*(?P<value>{_DISEASE})"),
        one,
    ),
    Rule("condition", _pattern(r"(?:现在|已经)*(?P<value>怀孕)了?"), one),
    Rule(
        "likes",
        _pattern(
            rf"{_ADVERB}(?P<neg>不(?:太|怎么|是很|再)?|没那么)?{_ADVERB}(?:喜欢|热爱|钟爱|偏爱|最?爱(?!人|情"
            rf"|好|心|我|你|他|她)|迷上了?"
            rf"|爱上了?)(?P<value>.+)$"
        ),
        _liked,
    ),
    Rule(
        "likes",
        _pattern(rf"{_ADVERB}(?:讨厌|受不了|最?怕吃|最?烦(?!死|人|躁|恼|了)|反感|厌恶)(?P<value>.+)$"),
        _liked,
        denies=True,
    ),
    Rule("hobby", _pattern(r"的?爱好是(?P<value>.+)$"), items),
    Rule(
        "pet",
        _pattern(
            r"(?:们?家)?(?:里)?(?:有|养了?|领养了?)(?:着)?(?P<value>[一两二三四五几]?[只条个匹](?:小"
            r"|大)?(?:狗狗?|猫咪?|兔子|仓鼠|鹦鹉|乌龟|金鱼|马))"
        ),
        lambda v: [re.sub(r"^一?[只条个匹](?:小|大)?", "", v)],
    ),
    Rule(
        "children",
        _pattern(r"(?:们)?(?:有|生了)(?P<value>[一两二三四五几]个(?:儿子|女儿|孩子|小孩|宝宝))"),
        lambda v: [re.sub(r"^一个", "", v)],
    ),
    Rule(
        "siblings",
        _pattern(r"有(?P<value>[一两二三四五几]?个(?:哥哥|弟弟|姐姐|妹妹))"),
        lambda v: [re.sub(r"^一?个", "", v)],
    ),
    Rule("habit", _pattern(r"[^，。]{0,6}?(?:一般|通常|总是|经常|常常|习惯|平时)(?:都|会|在)*(?P<value>.{2,})$"), one),
    Rule("habit", _pattern(rf"(?:从不|从来不|几乎不)(?P<value>(?!吃(?:{_FOOD})).+)$"), one, denies=True),
    Rule(
        "habit",
        _pattern(
            r"(?P<value>每(?:天|晚|周[一二三四五六日天末]?|个?周末|个?月|年|早)(?:早上|晚上|上午|下午|中午|都"
            r"|会)*(?!吃.{0,6}药|服).{2,})$"
        ),
        one,
    ),
    Rule(
        "marital status",
        _pattern(rf"{_ADVERB}(?P<neg>没有?|未)?(?P<value>结婚|离婚|单身|订婚|丧偶|已婚|未婚)了?$"),
        one,
    ),
    Rule(
        "languages",
        _pattern(rf"{_ADVERB}(?P<neg>不)?会(?:说|讲)(?P<value>(?:{_LANGUAGES})(?:[、和跟](?:{_LANGUAGES}))*)"),
        items,
    ),
)
"""Everything with one kind of value. Names and favourites are read in ``claims.mandarin``."""

CALLED = re.compile(r"^(?:的)?(?:名字)?(?:叫做?|名叫|名字是|名字叫|大名叫|小名叫)(?P<value>.+)$")
"""What follows a person or pet where their name is told."""
FAVOURITE = re.compile(r"^(?:的)?最(?:喜欢|爱)(?:吃|喝|看|听|去|玩)?的(?P<thing>[一-鿿]{1,6}?)(?:是|叫)(?P<value>.+)$")
"""What follows the subject where a favourite is told."""
CONTACT = re.compile(
    r"^的?(?:新的?)?(?P<what>电话|手机|号码|邮箱|邮件|地址|家庭住址)(?:号码?|地址)?(?:是|为)(?P<value>.+)$"
)
"""What follows the subject where a number or an address is told."""
