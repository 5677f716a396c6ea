"""What tasks are about: one word per topic, the words that name it, the facts it takes, the name of its task."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TIME_FACTS = ("date", "date_range", "time", "time_range", "part_of_day", "duration", "repeats")


@dataclass(frozen=True, slots=True)
class Topic:
    """One kind of task.

    Attributes:
        name: One English word, the same in every language.
        words: Pattern of what names it, English and Mandarin.
        task: Language -> name of its task; left out where the task is named by the user's own words.
        facts: Keys of the facts it takes, besides times.
        asks: Whether a plain question about it is a request ("where is my parcel").
        evening: Whether an hour without more is an evening hour.
        each_new: Whether a second request with other words is another task, rather than more about this one.
        lookup: Whether an answer is all that is wanted, so that the task is over once it was given.
        found: Language -> the step that was taken once the agent tells what it found.
    """

    name: str
    words: re.Pattern[str]
    task: dict[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    asks: bool = False
    evening: bool = False
    each_new: bool = False
    lookup: bool = False
    found: dict[str, str] = field(default_factory=dict)


def _words(english: str, mandarin: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})\b|(?:{mandarin})", re.IGNORECASE)


TOPICS: tuple[Topic, ...] = (
    Topic("reminder", _words(r"remind(?:er|ers)?", r"提醒|备忘"), facts=("person",), each_new=True),
    Topic(
        "alarm",
        _words(r"alarms?(?:\s+clock)?|wake\s+(?:me|us)(?:\s+up)?", r"闹钟|叫醒|叫我起床|喊我起床"),
        {"en": "set an alarm", "zh": "设闹钟"},
    ),
    Topic("timer", _words(r"timers?|countdown", r"计时器?|倒计时"), {"en": "set a timer", "zh": "设计时器"}),
    Topic(
        "weather",
        _words(
            r"weather|forecast|rain(?:ing|y)?|snow(?:ing|y)?|sunny|umbrella|temperature|how\s+(?:warm|cold|hot|windy)"
            r"|degrees|(?:will|is)\s+it\s+(?:(?:going\s+to\s+|gonna\s+)?(?:be|get|stay|feel)\s+)?(?:(?:very"
            r"|really|that|too)\s+)?"
            r"(?:warm|cold|hot|windy|dry|cloudy|foggy|freezing|stormy|humid|chilly|nice\s+(?:out|outside))",
            r"天气|下雨|下雪|气温|温度|带伞|雨伞|几度|多少度|晴天|阴天|刮风|台风|暖和|凉快|多[冷热]|[冷热](?:不[冷热]|吗)",
        ),
        {"en": "check the weather", "zh": "查天气"},
        ("city",),
        asks=True,
        lookup=True,
        found={"en": "checked the weather", "zh": "查询天气"},
    ),
    Topic(
        "calendar",
        _words(
            r"calendar|schedule(?!\s+(?:a|an|the)\b)|agenda|(?:what|which|any"
            r"|how\s+many)\s+(?:\w+\s+)?(?:meetings?(?![\s-]*rooms?)|appointments?)"
            r"|(?:what|anything)\s+(?:do\s+i\s+have|am\s+i\s+doing|have\s+i\s+got)|(?:am|are)\s+(?:i"
            r"|we)\s+(?:free|busy)|my\s+next\s+(?:meeting|appointment)"
            r"|planned\s+for\s+(?:today|tomorrow|tonight|\w+day)|do\s+i\s+have\s+anything",
            r"日程|日历|下一?个(?:预约|会|安排|约)|行程安排|有(?:什么|哪些|啥)(?:安排|会(?!议[室间])|约|事)|有(?:安排|会|约|事)[吗么]|几个会|有空吗"
            r"|有没有(?:安排|会(?!议[室间])|空(?!的?会议)|事)|我的安排|忙不忙|忙吗|有时间吗",
        ),
        {"en": "check the calendar", "zh": "查日程"},
        ("person",),
        asks=True,
        lookup=True,
        found={"en": "checked the calendar", "zh": "查询日程"},
    ),
    Topic(
        "payment",
        _words(
            r"pay(?:ing|ment)?|bills?|transfer|invoice|rent(?=\s*(?:$|[,.]|for\b|is\b))|top\s+up|wire",
            r"付(?:款|账|钱|一下|吧)?|缴|交(?:一下)?(?:电|水|燃?气|话|网|房|物业|学|停车|暖气|取暖|有线)(?:费"
            r"|租)|[电水]费|燃?气费|话费|网费|房租|物业费|账单"
            r"|转账|转(?:给|[\d一二两三四五六七八九十百几])|给[^，。]{1,6}转|充值|汇款|还款|还信用卡",
        ),
        facts=("amount", "person"),
        each_new=True,
    ),
    Topic(
        "order",
        _words(
            r"parcels?|packages?|deliver(?:y|ed|ies)?|shipment|shipped|tracking|track(?=\s+(?:my|the|that|this"
            r"|order|[A-Z]{2,}))|courier"
            r"|(?:my|the|that|this|an?)\s+(?:\w+\s+)?order(?!\s+(?:a|an|some|me)\b)|order\s+(?:number|status)"
            r"|order\s+(?=[A-Z]{2,}[ -]?\d)|order\s+o\s+r\s+d",
            r"快递|包裹|物流|订单|派送|配送|发货|单号|送货|运单|签收",
        ),
        {"en": "track the order", "zh": "查询物流"},
        ("order",),
        asks=True,
        lookup=True,
        found={"en": "checked the order", "zh": "查询物流状态"},
    ),
    Topic(
        "hotel",
        _words(
            r"hotels?|hostels?|guest\s*house|hotel\s+rooms?|bed\s+and\s+breakfast|airbnb",
            r"酒店|宾馆|旅馆|民宿|旅店|住宿",
        ),
        {"en": "book a hotel", "zh": "订酒店"},
        ("city", "people", "nights", "hotel"),
        found={"en": "searched hotels", "zh": "查询酒店"},
    ),
    Topic(
        "restaurant",
        _words(
            r"restaurants?|(?:a|the|our|that)?\s*table(?=\s+(?:for|at|tomorrow|tonight|on|in))|tables?"
            r"|dinner\s+reservation|somewhere\s+to\s+eat|place\s+to\s+eat"
            r"|(?:book|reserve)\s+(?:dinner|lunch|brunch)|bistro|pizzeria",
            r"餐厅|餐馆|饭店|饭馆|火锅店|餐位|(?:[早午晚]饭|[早午晚]餐|吃饭|聚餐)的?(?:位[子置]?|座位|桌子?)|[订定](?:一?个)?(?:[桌座餐]位?"
            r"|位[子置]?)(?!老师|医生)|包间|包厢|吃饭的地方|一桌|桌子"
            r"|[一二两三四五六七八九十\d]人桌|人的位[子置]|火锅|西餐|日料|川菜|粤菜",
        ),
        {"en": "book a table", "zh": "订餐厅"},
        ("city", "people", "cuisine", "restaurant"),
        evening=True,
        found={"en": "searched restaurants", "zh": "查询餐厅"},
    ),
    Topic(
        "room",
        _words(
            r"(?:meeting|conference|board|seminar|video)\s*-?\s*rooms?|rooms?(?!\s+service)|(?:the\s+)?window\s+one",
            r"会议室|会议间|开会的地方|教室|研讨室",
        ),
        {"en": "book a meeting room", "zh": "预订会议室"},
        ("room", "people", "equipment", "city"),
        found={"en": "searched free rooms", "zh": "查询空闲会议室"},
    ),
    Topic(
        "flight",
        _words(r"flights?|fly(?:ing)?|plane(?:\s+tickets?)?|airline", r"机票|航班|飞机|飞(?:去|往|到|回)?(?=[一-鿿])"),
        {"en": "book a flight", "zh": "订机票"},
        ("origin", "destination", "people", "flight", "airline"),
        asks=True,
        found={"en": "searched flights", "zh": "查询航班"},
    ),
    Topic(
        "train",
        _words(r"trains?(?:\s+tickets?)?|rail(?:way)?\s+tickets?", r"火车票?|高铁票?|动车票?|车票|列车"),
        {"en": "book a train ticket", "zh": "订火车票"},
        ("origin", "destination", "people"),
        asks=True,
        found={"en": "searched trains", "zh": "查询车次"},
    ),
    Topic(
        "taxi",
        _words(r"taxis?|cabs?|uber|ride\s+to", r"打车|出租车|叫(?:一?辆|个)?车|叫[^，。]{1,16}的车|专车|网约车|滴滴"),
        {"en": "order a taxi", "zh": "叫车"},
        ("origin", "destination", "people"),
    ),
    Topic(
        "appointment",
        _words(
            r"appointments?|(?:see|visit)\s+(?:the|a|my)\s+(?:doctor|dentist)|haircut|check-?up|(?:schedule"
            r"|arrange|set\s+up|plan|organi[sz]e)\s+(?:a|an|the)\s+(?:\w+\s+)?(?:meeting|call|visit)",
            r"预约|挂(?:个)?号|看(?:牙|医生|病)|体检|理发|剪头发|安排(?:一)?[个次场](?:会|面谈|电话)|约(?:个"
            r"|一下)?(?:时间|会)|约[^，。]{0,14}(?:牙医"
            r"|医生|体检|理发|见面)|安排[^，。]{0,14}(?:开会|会议|见面)|牙医的?预约",
        ),
        {"en": "make an appointment", "zh": "预约"},
        ("person", "city"),
    ),
    Topic(
        "tickets",
        _words(
            r"tickets?|cinema|(?:concert|theatre|theater)\s+(?:seats?|tonight|tomorrow)",
            r"电影票?|演唱会|门票|话剧|音乐会|展览",
        ),
        {"en": "book tickets", "zh": "订票"},
        ("city", "people"),
        evening=True,
        found={"en": "searched tickets", "zh": "查询门票"},
    ),
    Topic(
        "message",
        _words(
            r"(?:send|write|text|e-?mail|message)(?:ing)?|tell\s+(?!me\b|us\b|you\b)\w+|messages?|e-?mails?"
            r"|let\s+\w+\s+know",
            r"发(?:个|条|一条|一封|封|一下)?(?:短信|消息|微信|邮件|信息)|写(?:个|一?封)?邮件|告诉(?!我)|转告"
            r"|回复|短信|邮件",
        ),
        facts=("person", "contact"),
        each_new=True,
    ),
    Topic(
        "call",
        _words(r"call|ring|phone(?!\s+number)|dial", r"打(?:个|一个|通)?电话|拨打|拨(?:一下)?电话|呼叫"),
        facts=("person", "contact"),
        each_new=True,
    ),
    Topic(
        "shopping",
        _words(
            r"buy|groceries|shopping(?:\s+list)?|order(?:ing)?\s+(?:me\s+|us\s+)?(?:a|an|some|two|three|four"
            r"|\d)|pizzas?|takeaway|take-?out",
            r"买|下单|外卖|(?<![一二两三四五六七八九十\d])点(?:[一两二三四五六\d]*[份个杯碗盒瓶]|些|餐|两)|购物|采购|披萨",
        ),
        facts=("amount", "city"),
        each_new=True,
    ),
    Topic(
        "navigation",
        _words(
            r"directions|route|navigate|navigation|how\s+(?:do\s+i|can\s+i|to)\s+get\s+to|how\s+far"
            r"|take\s+me\s+to|traffic",
            r"怎么走|路线|导航|多远|怎么去|堵车|路况",
        ),
        {"en": "find the way", "zh": "查路线"},
        ("origin", "destination"),
        asks=True,
        lookup=True,
        found={"en": "looked up the way", "zh": "查询路线"},
    ),
    Topic("music", _words(r"music|songs?|playlist|album|radio|podcast", r"音乐|歌曲?|歌单|播客|收音机"), each_new=True),
    Topic(
        "news",
        _words(r"(?<!any\s)news|headlines", r"新闻|头条"),
        {"en": "read the news", "zh": "看新闻"},
        asks=True,
        lookup=True,
        found={"en": "read the news", "zh": "查看新闻"},
    ),
    Topic("translation", _words(r"translat(?:e|ion)", r"翻译"), each_new=True),
    Topic("note", _words(r"notes?|list|write\s+down", r"记(?:一下|下来|录)|笔记|清单|待办"), each_new=True),
)

_BY_NAME = {topic.name: topic for topic in TOPICS}
ANY_TOPIC = Topic("", re.compile(r"(?!)"), facts=("city", "person", "amount", "people", "room", "order"), each_new=True)
"""What is known of a task whose topic has no name here: it takes every fact."""


def topic_named(name: str) -> Topic:
    """The topic of that name; :data:`ANY_TOPIC` where there is none."""
    return _BY_NAME.get(name, ANY_TOPIC)


def topic_of(text: str) -> Topic | None:
    """The topic the words name; where several are named, the first of the table."""
    return next((topic for topic in TOPICS if topic.words.search(text)), None)
