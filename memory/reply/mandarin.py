"""Plans a reply in Mandarin from the user's words, memory and state; no model is asked."""

from __future__ import annotations

import re
from datetime import date

from memory.prompt_input import PromptInput
from memory.recency import days_between, recency_label
from memory.reply.changed import plan_change
from memory.reply.evidence import Evidence, best_evidence, is_question, is_request, sentences
from memory.reply.known import known_answer
from memory.reply.plan import ReplyPlan
from memory.reply.returning import greeting_again
from memory.reply.second_person import is_mandarin, second_person

# Longer statements are not repeated; characters.
_REPEATED_CHARS = 40
_QUOTED_CHARS = 70

_PUNCTUATION = re.compile(r"[\s，。！？、,.!?；;：:~～]+")
_FILLER = re.compile(
    r"^(?:嗯+|呃+|啊|哦|噢|那个|那么|对了|还有|另外|然后|好的|好吧|好|喂|你好|您好|嗨)[，,、。\s]*(?=\S)"
)
_SMALL_TALK: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern))
    for act, pattern in (
        (
            "greeting",
            r"(?:你好|您好|嗨|喂|哈喽|早上好|早安|早|上午好|中午好|下午好|晚上好|大家好)(?:啊|呀|你好|早上好|下午好|晚上好)?",
        ),
        ("wellbeing", r".{0,3}(?:你好吗|您好吗|最近怎么样|你怎么样|过得好吗|还好吗)"),
        ("thanks", r"(?:好的?|太好了)?(?:谢谢|多谢|感谢|辛苦).{0,8}"),
        ("goodbye", r"(?:好的?)?(?:再见|拜拜|回头见|晚安|下次再聊).{0,4}"),
        ("continue", r"(?:请|好)?(?:继续|接着说|往下说|你刚才说什么来着|说完).{0,4}"),
        ("repeat", r"(?:请)?(?:再说一遍|再说一次|重复一下|你说什么|你刚才说什么|没听清).{0,3}"),
        ("hold", r"(?:等等|等一下|等一等|停|停一下|打住|先别说|别说了)+"),
        ("cancel", r"(?:算了|不用了|取消吧|没事了|当我没说).{0,6}"),
        (
            "acknowledgement",
            r"(?:嗯|好|好的|好吧|行|可以|对|对的|是|是的|不是|不|没有|没了|知道了|明白|明白了|就这样|没问题|哦)+",
        ),
    )
)
_TAKES_BACK = re.compile(r"^(?:等等|等一下|等一等|不对|不是|不(?=[，,、。\s])|错了|我说错了|抱歉|对不起)[，,、。\s]*")
_CORRECTION = re.compile(r"(?:改成|改到|改为|换成|换到|改一下|调整到|推迟到|提前到)|(?:我是说|我说的是|应该是|而是)")
_CHANGED = re.compile(
    r"(?:改成|改到|改为|换成|换到|调整到|推迟到|提前到|我是说|我说的是|应该是|而是)(?P<to>[^，。！？,.!?]+)"
)
_TASK = re.compile(
    r"^(?:请|麻烦)?(?:我(?:想|要|需要|打算)(?:让你|请你|要|再)?)?(?:预订|预定|预约|订|定|找|查|买|点|叫|安排|提醒我|取消|发|打电话|播放|放|打开|关掉|关闭|设|加|记下|写|寄|付)"
)
_TASK_OPENING = re.compile(r"^(?:请问?你?|麻烦(?:你|您)?|能不能|可不可以|可以|你能|您能|能)+")
_RELATIVE_TIME = re.compile(r"今[天晚早]|明[天晚早]|昨[天晚]|后天|前天|[上下这]个?(?:周|星期|礼拜|月)|刚才|现在")
_PERSONAL = re.compile(r"我|咱|记得|记不记得")
_SAD = re.compile(r"去世|过世|死了|走了|难过|伤心|生病|住院|受伤|车祸|害怕|孤单|孤独|分手|糟糕|担心|压力|抑郁|丢了")
_ABOUT_AGENT = re.compile(r"(?:你|您)(?:是谁|叫什么|能做什么|会做什么|是什么)")
_ABOUT_TASK = re.compile(r"说到哪|我(?:刚才)?(?:让|叫|请)你(?:做|帮)什么|现在在做什么|任务是什么|进行到哪")
_CLOCK = re.compile(r"现在几点|几点了")
_CALENDAR = re.compile(r"今天(?:是)?(?:几号|几月几号|星期几|周几|礼拜几|什么日子)")
_NOT_DONE = (
    (r"提醒|闹钟|叫我起", "现在还没有设提醒"),
    (r"订|定|预约|会议室|房间|座位|票|酒店|餐|桌", "现在还没有预订"),
    (r"买|下单|外卖", "现在还没有下单"),
    (r"付|转账|缴|交.{0,4}费", "现在还没有付款"),
    (r"发|寄|写信|打电话", "现在还什么都没有发出去"),
    (r"删|取消|忘掉", "现在还什么都没有删除"),
)
_REPLIES = {
    "greeting": "您好，我是{name}。有什么可以帮您的吗？",
    "wellbeing": "我很好，谢谢您。您今天怎么样？",
    "thanks": "不客气。",
    "goodbye": "再见。您说过的话我都会记住。",
    "hold": "好的，您请说。",
    "cancel": "好的，那就先这样。",
    "acknowledgement": "好的。",
}
_WEEKDAYS = "一二三四五六日"


def plan_mandarin(prompt: PromptInput) -> ReplyPlan:
    """Plan the reply to one Mandarin turn, which may hold several sentences.

    A question decides the reply. Otherwise what was stated is taken note of, then what is to be done;
    small talk is answered when there is nothing else.
    """
    parts = [(_classify(line), line) for line in sentences(prompt.user_text)] or [("acknowledgement", "")]
    asks = any(act == "question" for act, _ in parts)
    changed = plan_change(prompt, _not_done(str(prompt.state.get("task", ""))), "zh")
    if changed and (len(parts) == 1 or not asks):
        return changed
    for act, line in reversed(parts):
        if act == "question":
            return _answer(prompt, line)
    say = {"statement": _statement, "correction": _correction, "task": _task}
    said = [say[act](line, prompt) for act, line in parts if act in say]
    if said:
        main = next(act for act in ("task", "correction", "statement") if any(part[0] == act for part in parts))
        return ReplyPlan(main, "".join([said[0], *(re.sub(r"^好的，", "另外，", text) for text in said[1:])]))
    act = parts[-1][0]
    if act in ("continue", "repeat"):
        return ReplyPlan(act, _again(act, prompt))
    if act == "greeting" and (again := greeting_again(prompt, "zh")):
        return ReplyPlan(act, again)
    return ReplyPlan(act, _REPLIES[act].format(name=prompt.agent_name))


def _classify(line: str) -> str:
    plain = _PUNCTUATION.sub("", line)
    for act, pattern in _SMALL_TALK:
        if pattern.fullmatch(plain):
            return act
    core = _strip(line)
    if _CORRECTION.search(core) and not is_question(core):
        return "correction"
    if is_request(core) or (_TASK.match(_TAKES_BACK.sub("", core)) and not is_question(core)):
        return "task"
    return "question" if is_question(core) else "statement"


def _strip(line: str) -> str:
    core = line.strip()
    while True:
        shorter = _FILLER.sub("", core)
        if shorter == core:
            return core
        core = shorter


def _answer(prompt: PromptInput, question: str) -> ReplyPlan:
    fixed = _fixed_answer(prompt, question)
    if fixed:
        return ReplyPlan("answer", fixed)
    evidence = best_evidence(question, prompt.recalled)
    personal = bool(_PERSONAL.search(question.replace("告诉我", "")))
    if evidence is None or (evidence.overlap == 0 and not personal):
        if personal:
            return ReplyPlan("unknown", "这个我还不知道。您告诉我，我就会记住。")
        return ReplyPlan("unknown", "这个我不知道。没有接上更大的语言模型时，我只知道您告诉过我的事。")
    if evidence.overlap == 0:
        return ReplyPlan("unsure", f"这个我不太确定。我记得的是，{_quoted(evidence, prompt)}。")
    return ReplyPlan("recall", f"{_quoted(evidence, prompt)}。")


def _fixed_answer(prompt: PromptInput, question: str) -> str:
    if _ABOUT_AGENT.search(question):
        return f"我是{prompt.agent_name}。我会听您说话，记住您告诉我的事，您问起时再说给您听。"
    if _CLOCK.search(question):
        minute = f"{_numeral(prompt.now.minute)}分" if prompt.now.minute else "整"
        return f"现在是{_numeral(prompt.now.hour)}点{minute}。"
    if _CALENDAR.search(question):
        return f"今天是{_spoken_date(prompt.now.date())}。"
    if known := known_answer(question, prompt.state, "zh"):
        return known
    if _ABOUT_TASK.search(question) and prompt.state.get("task"):
        return f"您让我做的是：{_wish(str(prompt.state['task']))}。{_not_done(str(prompt.state['task']))}。"
    return ""


def _quoted(evidence: Evidence, prompt: PromptInput) -> str:
    """Such as 昨天您说过，您的狗叫豆豆."""
    text = _strip(evidence.text)
    text = text if len(text) <= _QUOTED_CHARS else text[:_QUOTED_CHARS] + "…"
    if not is_mandarin(text):
        said = f"您说过：{text.rstrip('.。')}"
    elif _classify(text) == "task":
        said = f"您让我{_without_opening(text)}"
    else:
        said = f"您说过，{second_person(text)}"
    if evidence.item.said_at > 0 and days_between(evidence.item.said_at, prompt.now) > 0:
        return recency_label(evidence.item.said_at, prompt.now, "zh") + said
    return said


def _statement(line: str, prompt: PromptInput) -> str:
    core = _strip(_TAKES_BACK.sub("", line) or line)
    if _SAD.search(core):
        return "听到这个我很难过。我会记住的。"
    if len(core) > _REPEATED_CHARS:
        return "谢谢您告诉我，这些我都记住了。"
    text = second_person(core)
    if text.startswith("我"):
        return "谢谢您告诉我。"
    forms = ("好的，我记住了：{0}。", "知道了，{0}，我会记住的。", "谢谢您告诉我，{0}，我记下了。")
    return forms[len(prompt.history) // 2 % len(forms)].format(text)


def _task(line: str, prompt: PromptInput) -> str:
    wish = _wish(line)
    return f"好的，我记下了：{wish}{_date_of_task(line, prompt)}。{_not_done(line)}，日期或者时间要改的话，随时告诉我。"


def _wish(line: str) -> str:
    """The task in the second person: 帮我找… → 帮您找…, 我想订… → 您想订…."""
    core = _TAKES_BACK.sub("", _strip(line))
    return second_person(_TASK_OPENING.sub("", core) or core).rstrip("吗？?")


def _without_opening(line: str) -> str:
    core = re.sub(r"^我(?:想|要|需要|打算)(?:让你|请你)?", "", _TASK_OPENING.sub("", _TAKES_BACK.sub("", _strip(line))))
    return second_person(core)


def _correction(line: str, prompt: PromptInput) -> str:
    core = _TAKES_BACK.sub("", _strip(line))
    match = _CHANGED.search(core)
    changed = second_person(match["to"]) if match else second_person(core)
    changed = re.sub(r"[吧啊呀了]+$", "", changed)
    if not prompt.state.get("task"):
        return f"好的，是{changed}，我记住了。"
    return f"好的，改成{changed}，我已经记下这个改动，其他的保持不变。{_not_done(str(prompt.state['task']))}。"


def _not_done(task: str) -> str:
    for pattern, text in _NOT_DONE:
        if re.search(pattern, task):
            return text
    return "现在还没有办好"


def _date_of_task(line: str, prompt: PromptInput) -> str:
    """，也就是三月十一日 when the state dates this task and the words only say 明天."""
    task = str(prompt.state.get("task", ""))
    facts = prompt.state.get("facts") or {}
    shared = set(_PUNCTUATION.sub("", task)) & set(line)
    if not task or len(shared) * 2 < len(set(task)) or not _RELATIVE_TIME.search(line):
        return ""
    try:
        return f"，也就是{_spoken_date(date.fromisoformat(str(facts.get('date', ''))))}"
    except ValueError:
        return ""


def _spoken_date(day: date) -> str:
    return f"{_numeral(day.month)}月{_numeral(day.day)}日，星期{_WEEKDAYS[day.weekday()]}"


def _numeral(number: int) -> str:
    """0 to 99 as it is read aloud."""
    tens, ones = divmod(number, 10)
    digits = "零一二三四五六七八九"
    if tens == 0:
        return digits[ones]
    return ("" if tens == 1 else digits[tens]) + "十" + (digits[ones] if ones else "")


def _again(act: str, prompt: PromptInput) -> str:
    if act == "continue" and prompt.cut_off is not None and prompt.cut_off[1].strip():
        return f"我刚才说到：{prompt.cut_off[1].strip()}"
    last = next((message.text for message in reversed(prompt.history) if message.role == "assistant"), "")
    return last or "我还没有说过什么。"
