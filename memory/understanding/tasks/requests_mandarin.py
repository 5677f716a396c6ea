"""Mandarin requests: 帮我查一下明天的天气, 提醒我周日给她打电话, 我的快递到哪了."""

from __future__ import annotations

import re

from memory.understanding.people.relations import RELATION_ZH
from memory.understanding.reading import Reading
from memory.understanding.tasks.cues import asks_memory
from memory.understanding.tasks.request import Person, Request, clause_topic
from memory.understanding.tasks.topics import Topic, topic_of
from memory.understanding.words.analysis import Clause

_LEAD = (
    r"[\s，,]*(?:那么|那就|那|对了|好的?|嗯+|哦|啊|喂|你好|然后|另外|顺便|还有|不过|现在|先|等下|等一下|也"
    r"|最后|请|麻烦你?|小助手|话说|行|可以)*[\s，,]*"
)
_POLITE = (
    r"(?:(?:请|麻烦你?|你?能不能|你?能否|你?可不可以|你?可以|你能|能|我?想请你|我们?想要?|我们?要|我们?需要"
    r"|想要?|需要|帮忙|帮我们?|帮|给我们?|替我们?|为我|让(?:快递员?|包裹|订单|货|他们?|她)|再|也|先|就"
    r"|直接|赶紧|快|一会儿?|的时候|到时候"
    r"|在[^，。]{1,10}?(?=\s*(?:给我|帮我|找|订|预|查|搜|买|看))"
    rf"|把[^，。]{{1,14}}?|(?:给|向|跟|替)(?:我(?={RELATION_ZH}))?(?!我)[^，。我]{{1,8}}?(?=[\s]*(?:转|发|打"
    rf"|寄|订|买|汇|付|交|写|约"
    rf"|点|充|留)))[\s，,]*)*"
)
_VERBS = (
    r"倒?计时|查询?|找|看(?:一下|看|下)|搜索?|预订|预定|预约|订|定(?=[个间张一两二三\dA-Z])|买"
    r"|点(?=[一两二三四五六七八九十\d]{0,2}[份个杯碗盒瓶张]|餐|外卖|些)|提醒|叫(?=醒|车|一?辆|个?车|我起床"
    r"|个?外卖)|设置?|发(?!现|生|烧)|寄|转(?!折|眼)|交(?!通|流|友)|付|缴|充"
    r"|取消|退掉?|改(?!成|到|为)|换(?!成|到)|推迟|提前|删除?|打(?:一?[个通])?电话|打车|拨打?|播放|播报"
    r"|放(?=一?首|点|个|歌|音乐|邻居|门口|前台|快递柜)|翻译|推荐|告诉|安排|约(?=个|一下"
    r"|在|\s|[一-鿿])|挂(?:个)?号|下单|派?送(?=去|吧|给|上)|导航|记(?=一?下|录)|写|加|添加"
    r"|创建|新建|读|念|确认|续订?|申请|还(?=信用卡|款)|汇款?|来(?=一?[份杯个张间])"
)
_COMMAND = re.compile(
    rf"^{_LEAD}(?P<polite>{_POLITE})(?P<verb>{_VERBS})(?!了(?!吧)|过|完了|着)(?P<rest>.*)$", re.DOTALL
)
_WANT = re.compile(
    rf"^{_LEAD}(?:我们?|咱们?)?(?:[一两二三四五六七八九十\d]+个人)?\s*(?:想要?|要|需要|得)"
    rf"(?P<rest>(?:[一两二三四五六\d]*[个间张辆份桌位]|坐|飞|用|借|开(?=[个一]?会)"
    rf"|去(?=.{{1,6}}的)|住|吃|知道).*)$",
    re.DOTALL,
)
_AVAILABLE = re.compile(r"多少钱|有没有|有.{0,12}吗|还有.{0,8}(?:吗|空|位)|哪[间家个些]|空着|空闲|推荐")
_CHANGE = re.compile(r"改|换|推迟|提前")
_CANCEL = re.compile(r"取消|退|删")
_RISKY = re.compile(r"^(?:付|交|缴|充|转|发|寄|删除?|买|下单|还|汇款?|点|写)$")
_MOVE = re.compile(
    rf"^{_LEAD}(?P<polite>{_POLITE}把[^，。]{{1,14}}?)(?P<verb>改|换|推迟|提前|移)(?P<rest>(?:到|成|为|一下).*)$",
    re.DOTALL,
)
_TELLS = re.compile(
    r"很|太|真的?|非常|特别|好[累难贵忙]|得(?:很|好|不|挺)|(?<![付交订发转买])了$|到了|完了|起来|中$|的时候"
)
_FILLER = re.compile(r"一下子?|(?<=[交付查订])个(?=[电水话网])|麻烦|请(?!假|客)")
_TRAIL = re.compile(r"[\s，,。！？!?]*(?:吧|吗|好吗|好不好|可以吗|行吗|谢谢你?|呢|啊|呀|哈|了|的)?[\s，,。！？!?]*$")
_REMIND = re.compile(
    r"(?:提醒(?:一下)?(?:我们?|一下)*(?:一下)?|备忘)[\s，,]*(?:在|于|每)?[\s，,的]*(?:记得|一下|要"
    r"|该)?(?P<content>.*)$",
    re.DOTALL,
)
_BILL = re.compile(
    r"(?:把(?P<moved>[一-鿿]{1,8}?)(?P<verb>交|付|缴|还)(?:了|掉)?)|(?P<plain>(?:交|付|缴|转|充|还|汇).*)$", re.DOTALL
)


def request_zh(reading: Reading, clause: Clause, following: Clause | None, person: Person | None) -> Request | None:
    """Reads a clause as a request.

    Args:
        reading: The utterance.
        clause: The part of it to read.
        following: The next clause, which may carry on a reminder's content.
        person: Whom 他 and 她 mean.

    Returns:
        None where nothing is asked for.
    """
    if asks_memory(clause.text):
        return None
    said = reading.untimed[clause.start : clause.end]
    command = _COMMAND.match(said) or _moves(said)
    if command and not command["polite"] and _TELLS.search(clause.text):
        command = None
    want = None if command else _WANT.match(said)
    topic = clause_topic(reading, clause)
    if command is None and (
        topic is None or not (want or _asks(clause, topic) or _is_fragment(reading, clause, topic))
    ):
        return None
    verb = command["verb"] if command else ""
    return Request(
        clause.start,
        following.end if following and _carried(said, topic, command) else clause.end,
        topic,
        _task_name(reading, clause, following, command, topic, person, command is None and want is None),
        verb=verb,
        risky=_is_risky(verb, topic),
        asks=command is None and want is None and clause.is_question,
        changes=bool(_CHANGE.search(verb)),
        cancels=bool(_CANCEL.match(verb)),
    )


def _carried(said: str, topic: Topic | None, command: re.Match[str] | None) -> bool:
    """Whether the content of a reminder stands in the next clause: 设个提醒，明天给她打电话."""
    if topic is None or topic.name != "reminder" or (command and _CANCEL.match(command["verb"])):
        return False
    match = _REMIND.search(said)
    return not (_cut(match["content"], None) if match else "")


def _moves(said: str) -> re.Match[str] | None:
    """把明天的会改到后天: a change to something named, rather than a correction of what was just said."""
    match = _MOVE.match(said)
    return (
        match if match and (topic_of(match["polite"]) or re.search(r"会|预约|行程|航班|票", match["polite"])) else None
    )


def _is_risky(verb: str, topic: Topic | None) -> bool:
    if topic and topic.name in ("reminder", "order") and not verb.startswith("删"):
        return False
    return bool(_RISKY.match(verb)) or (topic is not None and topic.name == "message" and bool(verb))


def _asks(clause: Clause, topic: Topic) -> bool:
    return clause.is_question and (topic.asks or bool(_AVAILABLE.search(clause.text)))


def _is_fragment(reading: Reading, clause: Clause, topic: Topic) -> bool:
    """A topic without any verb or adjective: 明天北京的天气."""
    words = [w for w in reading.analysis.words if clause.start <= w.start < clause.end]
    return (
        len(clause.text) <= 24
        and not any(w.tag in ("v", "a", "vd", "ad", "d") for w in words)
        and (topic.asks or bool(re.search(r"请|谢谢|[一两二三四五六\d][张间个份位]", clause.text)))
    )


def _task_name(
    reading: Reading,
    clause: Clause,
    following: Clause | None,
    command: re.Match[str] | None,
    topic: Topic | None,
    person: Person | None,
    asked: bool,
) -> str:
    said = reading.untimed[clause.start : clause.end]
    if topic and topic.name == "reminder" and not (command and _CANCEL.match(command["verb"])):
        match = _REMIND.search(said)
        content = _cut(match["content"], person) if match else ""
        if not content and following:
            content = _cut(reading.untimed[following.start : following.end], person)
        return f"提醒{content}"
    verb = command["verb"] if command else ""
    if topic and topic.name == "order" and not _CANCEL.match(verb):
        code = next((c.value for c in reading.codes if clause.start <= c.start < clause.end), "")
        return f"查询订单{code}" if code else "查询物流"
    if topic and _CANCEL.match(verb) and command:
        return _cut(verb + command["rest"], person)
    if topic and topic.task and not (topic.asks and topic.name in ("flight", "train") and asked):
        return topic.task["zh"]
    if topic and topic.task:
        return "查航班" if topic.name == "flight" else "查车次"
    if topic and topic.name == "payment":
        if command and re.search(r"(?:给|向)[^，。]{1,8}$", command["polite"].rstrip()):
            return re.sub(r"转$", "转账", _cut(re.sub(r"^.*?(?=给|向)", "", said), person))
        bill = _BILL.search(said)
        if not bill:
            return "查账单"
        return _cut(f"{bill['verb']}{bill['moved']}" if bill["moved"] else bill["plain"], person)
    if not command:
        return _cut(said, person)
    moved = re.search(r"把(?P<what>[^，。]{1,14})$", command["polite"]) if _CHANGE.search(verb) else None
    if moved:
        return _cut(verb + moved["what"], person)
    whom = re.search(
        rf"(?:(?:给|向|跟)(?:我(?={RELATION_ZH}))?(?!我)[^，。我]{{1,8}}?|把[^，。]{{1,14}}?)(?=\s*$)",
        command["polite"].rstrip("，, "),
    )
    return _cut((whom[0] if whom else "") + verb + command["rest"], person)


def _cut(phrase: str, person: Person | None) -> str:
    """A short name: without fillers and politeness, with the person instead of 她."""
    said = _FILLER.sub("", re.sub(r"\s+", "", re.sub(r"\s+的", "", phrase)))
    said = _TRAIL.sub("", said).strip("，,。 ")
    if person:
        said = re.sub(person.han_pronouns, person.name, said)
    return said[:24]
