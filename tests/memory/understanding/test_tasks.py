from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.inner_state import InnerState, StateHistory, carry_over, reduce
from memory.nouns import Understanding
from memory.state_events import (
    FactsDropped,
    FactsStated,
    PreferenceStated,
    RolledBack,
    SubjectSet,
    TaskStarted,
    TaskStatusChanged,
)

Read = Callable[..., Understanding]


def after(read: Read, *turns: str) -> InnerState:
    history = StateHistory()
    for number, turn in enumerate(turns, 1):
        for event in read(turn, history.current).updates:
            history.apply(event, number)
    return history.current


@pytest.mark.parametrize(
    ("text", "task", "topic"),
    [
        ("Please find me a free meeting room tomorrow.", "book a meeting room", "room"),
        ("can you pay my phone bill of thirty euros", "pay my phone bill", "payment"),
        ("whats the weather in munich", "check the weather", "weather"),
        ("Remind me in two hours to check the oven.", "reminder to check the oven", "reminder"),
        ("Set a reminder for eight to take my pills.", "reminder to take my pills", "reminder"),
        ("A table for two tonight, please.", "book a table", "restaurant"),
        ("I'm looking for a hotel in Vienna.", "book a hotel", "hotel"),
        ("Am I free on Friday afternoon?", "check the calendar", "calendar"),
        ("Where's my parcel?", "track the order", "order"),
        ("Translate good morning into French.", "translate good morning into French", "translation"),
        ("Tell Anna I'm running late.", "tell Anna I'm running late", "message"),
        ("Cancel my appointment on Friday.", "cancel my appointment", "appointment"),
        ("帮我查一下明天的空闲会议室。", "预订会议室", "room"),
        ("帮我交一下电费，八十四块。", "交电费", "payment"),
        ("明天北京天气怎么样", "查天气", "weather"),
        ("北京明天天气", "查天气", "weather"),
        ("两个小时后提醒我看一下烤箱", "提醒看烤箱", "reminder"),
        ("我要一张四人桌，七点", "订餐厅", "restaurant"),
        ("我周五下午有空吗", "查日程", "calendar"),
        ("我的快递到哪了", "查询物流", "order"),
        ("给小李转三百块", "给小李转账", "payment"),
        ("把早上好翻译成法语", "把早上好翻译成法语", "translation"),
        ("取消周五的预约", "取消预约", "appointment"),
        ("帮我把明天的会改到后天", "改会", ""),
    ],
)
def test_a_request_starts_a_task(read: Read, text: str, task: str, topic: str) -> None:
    started = [event for event in read(text).updates if isinstance(event, TaskStarted)]
    assert [(event.task, event.topic) for event in started] == [(task, topic)]


@pytest.mark.parametrize(
    "text",
    [
        "What is my dog's name?",
        "Which room did I book?",
        "Where do I live?",
        "Remind me what my dog is called.",
        "Do you remember my sister's name?",
        "Hello, how are you?",
        "Good morning.",
        "I went to the restaurant with Anna on Friday.",
        "My train was late yesterday.",
        "The weather is nice today.",
        "my sister told me to book a table for her birthday",
        "call me Annie",
        "Stop.",
        "我的狗叫什么名字？",
        "我订的是哪间？",
        "我住在哪里",
        "还记得我妹妹的名字吗",
        "你好，你好吗？",
        "我周五跟小李去了那家餐厅",
        "明天天气真好",
        "我妹妹让我给她订生日餐厅",
        "停",
    ],
)
def test_what_asks_for_nothing_new_starts_no_task_and_states_no_fact(read: Read, text: str) -> None:
    assert not [event for event in read(text).updates if isinstance(event, TaskStarted | FactsStated)]


def test_two_requests_in_one_breath_are_two_tasks_with_their_own_facts(read: Read) -> None:
    state = after(read, "Book me a room for tomorrow and remind me on Friday to prepare the slides.")
    assert [record.task for record in state.tasks] == ["book a meeting room", "reminder to prepare the slides"]
    assert dict(state.facts) == {"date": "2026-03-13"}


def test_only_risky_tasks_wait_for_a_yes(read: Read) -> None:
    assert after(read, "Pay the rent.").status == "waiting_confirmation"
    assert after(read, "交房租").status == "waiting_confirmation"
    assert after(read, "Find me a room.").status == "in_progress"


@pytest.mark.parametrize(
    "answer", ["Hmm, I'm not sure.", "Maybe later.", "What's my dog's name?", "嗯，再想想。", "晚点再说吧。"]
)
def test_anything_but_a_clear_yes_leaves_it_waiting(read: Read, answer: str) -> None:
    assert after(read, "Pay the rent.", answer).status == "waiting_confirmation"


@pytest.mark.parametrize(
    "said",
    [
        "等一下。",
        "等等",
        "等会儿再说",
        "one moment",
        "no, not that one",
        "wait",
        "第一个",
        "不知道呢。",
        "hold on one second",
    ],
)
def test_no_number_word_in_passing_becomes_an_amount(read: Read, said: str) -> None:
    assert after(read, "把房租转给房东，九百五十块。", said).facts["amount"] == "950 CNY"
    assert after(read, "Transfer the rent to my landlord, it's 950 euros.", said).facts["amount"] == "950 EUR"


@pytest.mark.parametrize("answer", ["Yes, go ahead.", "ok do it", "Sure, please.", "可以，付吧。", "好的", "确认"])
def test_a_clear_yes_is_heard(read: Read, answer: str) -> None:
    assert read(answer, after(read, "Pay the rent.")).updates == (TaskStatusChanged("in_progress"),)


def test_the_afternoon_replaces_a_morning_range(read: Read) -> None:
    room = after(read, "Find me a free meeting room tomorrow from ten to twelve.")
    read_now = read("Wait, make it the afternoon.", room)
    assert read_now.updates == (FactsDropped(("time_range",)), FactsStated({"part_of_day": "afternoon"}))
    assert read_now.is_correction
    room = after(read, "帮我找一间明天十点到十二点的会议室。")
    assert read("等等，改成下午。", room).updates == read_now.updates


def test_a_range_that_begins_elsewhere_keeps_its_length(read: Read) -> None:
    state = after(read, "Find me a meeting room tomorrow from ten to twelve.", "Actually, make it three.")
    assert state.facts["time_range"] == "15:00-17:00"


def test_a_follow_up_changes_only_what_it_mentions(read: Read) -> None:
    weather = after(read, "What's the weather in Berlin tomorrow?")
    assert read("And the day after?", weather).updates == (FactsStated({"date": "2026-03-12"}),)
    assert read("What about Hamburg?", weather).updates == (FactsStated({"city": "Hamburg"}),)
    assert read("what about vienna", weather).updates == (FactsStated({"city": "Vienna"}),)
    weather = after(read, "帮我查一下北京明天的天气。")
    assert read("那后天呢？", weather).updates == (FactsStated({"date": "2026-03-12"}),)
    assert read("上海呢？", weather).updates == (FactsStated({"city": "上海"}),)


def test_the_speaker_corrects_herself_in_mid_sentence(read: Read) -> None:
    state = after(read, "Find me a room on Tuesday, no, I meant Wednesday, from ten to twelve.")
    assert dict(state.facts) == {"date": "2026-03-11", "time_range": "10:00-12:00"}
    state = after(read, "帮我找一间周四，不对，周五上午的会议室。")
    assert state.facts["date"] == "2026-03-13"


def test_what_is_denied_is_no_value(read: Read) -> None:
    state = after(read, "Find me a room on Thursday.", "No, not Thursday, Friday.")
    assert state.facts["date"] == "2026-03-13"


@pytest.mark.parametrize(
    "text",
    [
        "Forget it, keep the original time.",
        "Leave it as it was.",
        "undo that",
        "Go back to the original time",
        "算了，还是原来的。",
        "恢复原来的时间吧",
        "Scratch that.",
        "Scrap that, go with the earlier time.",
        "当我没说，就原来那个时间吧。",
        "保持原样",
        "Actually, take that back.",
        "Change it back.",
        "Go back one step, please.",
        "改回去",
        "退回上一步",
        "换回来吧",
        "请收回刚才的话",
        "撤销",
    ],
)
def test_taking_it_back(read: Read, text: str) -> None:
    room = after(read, "Find me a meeting room tomorrow from ten to twelve.", "Make it two to four.")
    assert read(text, room).updates == (RolledBack(),)


@pytest.mark.parametrize(("text", "time"), [("Move it back to nine.", "09:00"), ("改回上午十点。", "10:00")])
def test_back_to_a_time_is_a_change(read: Read, text: str, time: str) -> None:
    room = after(read, "Find me a meeting room tomorrow at two.", text)
    assert room.facts["time"] == time


@pytest.mark.parametrize("text", ["Never mind.", "Forget it.", "Cancel that.", "算了，不用了。"])
def test_dropping_the_task(read: Read, text: str) -> None:
    room = after(read, "Find me a meeting room tomorrow from ten to twelve.")
    assert read(text, room).updates == (TaskStatusChanged("cancelled"),)


def test_an_answer_fills_what_the_task_still_lacks(read: Read) -> None:
    state = after(read, "Book a table at an Italian restaurant.", "Tomorrow at eight.", "For four people, please.")
    assert state.facts["date"] == "2026-03-11"
    assert state.facts["time"] == "20:00"
    assert state.facts["people"] == "4"


@pytest.mark.parametrize(
    "story",
    [
        "I have a meeting at nine tomorrow.",
        "My manager Daniel moved the deadline to Friday.",
        "I was in Paris last Monday.",
        "我昨天去了上海。",
        "我们经理周五又改了截止日期。",
    ],
)
def test_a_story_with_a_date_is_no_answer(read: Read, story: str) -> None:
    before = after(read, "Find me a meeting room on Thursday.")
    assert after(read, "Find me a meeting room on Thursday.", story).facts == before.facts


def test_asking_about_a_room_does_not_take_it_but_then_booking_it_does(read: Read) -> None:
    turns = ["I need a room this afternoon at three.", "Is A302 free?"]
    asked = after(read, *turns)
    assert "room" not in asked.facts
    assert asked.subject.id == "A302"
    booked = after(read, *turns, "Book it.")
    assert (booked.facts["room"], booked.status) == ("A302", "waiting_confirmation")


def test_a_pronoun_in_a_reminder_becomes_the_person(read: Read) -> None:
    assert after(read, "My sister Mia is great.", "Remind me to call her on Sunday.").task == "reminder to call Mia"
    assert (
        after(read, "My grandpa makes me smile.", "Remind me to visit him.").task == "reminder to visit my grandfather"
    )
    assert after(read, "我爷爷总能逗我笑。", "提醒我下周末去看他。").task == "提醒去看我爷爷"


def test_codes_and_people_become_the_subject(read: Read) -> None:
    assert SubjectSet("order", "ORD12345678") in read("Where is my order ORD12345678?").updates
    assert SubjectSet("pet", "Bruno", "dog") in read("My dog is called Bruno.").updates
    assert SubjectSet("person", "老陈", "经理") in read("我们经理老陈又改了截止日期。").updates


@pytest.mark.parametrize(
    ("text", "preferences"),
    [
        ("I like window seats.", {"seat": "window"}),
        ("I usually book aisle seats", {"seat": "aisle"}),
        ("I always prefer to sit by the window.", {"seat": "window"}),
        ("I prefer meetings in the morning", {"meeting": "morning"}),
        ("we prefer quiet restaurants", {"restaurant": "quiet"}),
        ("I prefer tea to coffee", {"prefers": "tea to coffee"}),
        ("Please keep your answers short", {"answers": "short"}),
        ("我喜欢靠窗的位子。", {"座位": "靠窗"}),
        ("我一般坐靠过道的座位", {"座位": "靠过道"}),
        ("我喜欢上午开会", {"会议": "上午"}),
        ("回答请简短一点", {"回答": "简短"}),
        ("I'd like a window seat on this flight.", None),
        ("Do I like window seats?", None),
        ("I like my room", None),
        ("I need a free meeting room", None),
    ],
)
def test_lasting_preferences(read: Read, text: str, preferences: dict[str, str] | None) -> None:
    stated = [event.preferences for event in read(text).updates if isinstance(event, PreferenceStated)]
    assert stated == ([preferences] if preferences else [])


@pytest.mark.parametrize(
    ("text", "question", "correction"),
    [
        ("What is my dog's name?", True, False),
        ("where is my parcel", True, False),
        ("Find me a room.", False, False),
        ("No, I meant Tuesday.", False, True),
        ("Hold on, what time tomorrow was that window room again?", True, False),
        ("我的狗叫什么名字", True, False),
        ("等等，改成下午两点到四点。", False, True),
        ("不过跟我妹妹小米聊聊总能让我平静下来。", False, False),
    ],
)
def test_questions_and_corrections(read: Read, text: str, question: bool, correction: bool) -> None:
    room = after(read, "Find me a meeting room tomorrow from ten to twelve.")
    said = read(text, room)
    assert (said.is_question, said.is_correction) == (question, correction)


@pytest.mark.parametrize(
    ("first", "text", "goes_on"),
    [
        ("Find me a meeting room tomorrow at ten.", "Yes, let's go on with that.", True),
        ("Find me a meeting room tomorrow at ten.", "Go on.", True),
        ("Find me a meeting room tomorrow at ten.", "Can we continue, please?", True),
        ("Find me a meeting room tomorrow at ten.", "Back to the room.", True),
        ("Find me a meeting room tomorrow at ten.", "Please go on talking.", False),
        ("Find me a meeting room tomorrow at ten.", "Hello.", False),
        ("帮我订一个明天上午十点的会议室。", "继续。", True),
        ("帮我订一个明天上午十点的会议室。", "好的，接着办。", True),
        ("帮我订一个明天上午十点的会议室。", "接着上次的来吧。", True),
        ("帮我订一个明天上午十点的会议室。", "你继续说。", False),
        ("帮我订一个明天上午十点的会议室。", "你好。", False),
    ],
)
def test_what_was_left_open_goes_on_in_a_new_session_if_the_user_wants(
    read: Read, first: str, text: str, goes_on: bool
) -> None:
    before = after(read, first)
    state = carry_over(before)
    for event in read(text, state).updates:
        state = reduce(state, event)
    assert (state.task, dict(state.facts)) == ((before.task, dict(before.facts)) if goes_on else ("", {}))
    assert state.open_from_before() == ([] if goes_on else carry_over(before).open_from_before())


def test_only_what_is_open_from_before_is_gone_on_with(read: Read) -> None:
    state = after(read, "Find me a meeting room tomorrow at ten.")
    assert read("Go on.", state).updates == ()
    assert read("Go on.", InnerState()).updates == ()
