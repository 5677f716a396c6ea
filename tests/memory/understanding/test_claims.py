from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from memory.inner_state import InnerState, Subject
from memory.nouns import Claim, Understanding
from memory.understanding.claims.attributes import attribute_key

Read = Callable[..., Understanding]


def stated(read: Read, text: str) -> list[tuple[str, str, str, bool]]:
    return [(c.subject, c.attribute, c.value, c.polarity) for c in read(text).claims]


@pytest.mark.parametrize(
    "text",
    [
        "My dog is called Bruno.",
        "my dog's name is bruno",
        "The name of my dog is Bruno.",
        "We have a dog called Bruno.",
        "I've got a dog and his name is Bruno",
        "My dog Bruno loves swimming.",
        "Our dog is named Bruno",
        "No, my dog is called Bruno, not Rex.",
    ],
)
def test_the_key_is_the_same_however_it_is_said(read: Read, text: str) -> None:
    assert Claim("user", "dog's name", "Bruno", True, "single") in [
        Claim(c.subject, c.attribute, c.value, c.polarity, c.kind) for c in read(text).claims
    ]


@pytest.mark.parametrize(
    "text",
    [
        "我的狗叫布鲁诺。",
        "我家狗叫布鲁诺",
        "我有一只叫布鲁诺的狗",
        "我养了一只狗，叫布鲁诺。",
        "我狗狗的名字是布鲁诺",
        "不对，我的狗叫布鲁诺，不叫来福",
    ],
)
def test_the_key_is_the_same_however_it_is_said_in_mandarin(read: Read, text: str) -> None:
    assert ("user", "狗的名字", "布鲁诺", True) in stated(read, text)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("My name is Anna Schmidt.", ("user", "name", "Anna Schmidt", True)),
        ("hi i'm tom", ("user", "name", "Tom", True)),
        ("i live in berlin now", ("user", "residence", "Berlin", True)),
        ("I don't live in Berlin anymore.", ("user", "residence", "Berlin", False)),
        ("My wife and I moved to Lisbon in 2019", ("user", "residence", "Lisbon", True)),
        ("I'm from Spain originally.", ("user", "hometown", "Spain", True)),
        ("I work as a nurse at the Charité.", ("user", "job", "nurse", True)),
        ("I work as a nurse at the Charité.", ("user", "employer", "Charité", True)),
        ("I'm a software developer at Siemens", ("user", "job", "software developer", True)),
        ("I'm 34 years old", ("user", "age", "34", True)),
        ("my birthday is on May 3rd", ("user", "birthday", "May 3rd", True)),
        ("I'm vegetarian and I'm allergic to nuts.", ("user", "diet", "vegetarian", True)),
        ("I'm vegan and allergic to soy.", ("user", "allergy", "soy", True)),
        ("Actually I eat fish now.", ("user", "diet", "eats fish", True)),
        ("I stopped eating meat", ("user", "diet", "eats no meat", True)),
        ("I'm no longer vegan", ("user", "diet", "vegan", False)),
        ("I don't eat pork", ("user", "avoids", "pork", True)),
        ("I'm allergic to nuts, shellfish and eggs.", ("user", "allergy", "shellfish", True)),
        ("I have a severe peanut allergy", ("user", "allergy", "peanut", True)),
        ("I am not allergic to cats anymore.", ("user", "allergy", "cats", False)),
        ("My doctor says I'm allergic to penicillin", ("user", "allergy", "penicillin", True)),
        ("I am lactose intolerant", ("user", "intolerance", "lactose", True)),
        ("I've got diabetes and take insulin", ("user", "medication", "insulin", True)),
        ("I like hiking, climbing and good coffee.", ("user", "likes", "good coffee", True)),
        ("I hate coriander but I love sushi", ("user", "likes", "coriander", False)),
        ("I'm not a fan of jazz", ("user", "likes", "jazz", False)),
        ("I prefer tea to coffee", ("user", "likes", "tea", True)),
        ("My favourite colour is green.", ("user", "favourite colour", "green", True)),
        ("I go running every morning.", ("user", "habit", "go running every morning", True)),
        ("I never eat breakfast", ("user", "habit", "eat breakfast", False)),
        ("i have two kids", ("user", "children", "two kids", True)),
        ("My number is 0171 2345678", ("user", "phone", "01712345678", True)),
        ("我叫张伟，住在北京。", ("user", "名字", "张伟", True)),
        ("我叫张伟，住在北京。", ("user", "居住地", "北京", True)),
        ("我不住在北京了", ("user", "居住地", "北京", False)),
        ("我来自四川", ("user", "家乡", "四川", True)),
        ("我在西门子做软件工程师", ("user", "工作单位", "西门子", True)),
        ("我在西门子做软件工程师", ("user", "职业", "软件工程师", True)),
        ("我今年三十四岁", ("user", "年龄", "34", True)),
        ("我是素食主义者，对坚果过敏。", ("user", "饮食", "素食", True)),
        ("我是素食主义者对坚果过敏", ("user", "饮食", "素食", True)),
        ("其实我现在吃鱼了。", ("user", "饮食", "吃鱼", True)),
        ("我现在不吃素了", ("user", "饮食", "素食", False)),
        ("我不吃猪肉", ("user", "忌口", "猪肉", True)),
        ("我对坚果、虾和鸡蛋过敏", ("user", "过敏", "虾", True)),
        ("我已经不对猫毛过敏了", ("user", "过敏", "猫毛", False)),
        ("医生说我对青霉素过敏", ("user", "过敏", "青霉素", True)),
        ("我有糖尿病，每天打胰岛素", ("user", "用药", "胰岛素", True)),
        ("我讨厌香菜，但是喜欢寿司", ("user", "喜欢", "香菜", False)),
        ("我讨厌香菜，但是喜欢寿司", ("user", "喜欢", "寿司", True)),
        ("我最喜欢的颜色是绿色", ("user", "最喜欢的颜色", "绿色", True)),
        ("我每天早上跑步", ("user", "习惯", "每天早上跑步", True)),
        ("我的电话是13812345678", ("user", "电话", "13812345678", True)),
    ],
)
def test_the_user(read: Read, text: str, claim: tuple[str, str, str, bool]) -> None:
    assert claim in stated(read, text)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("My sister is vegan.", ("sister", "diet", "vegan", True)),
        ("My sister Mia lives in Hamburg and works as a teacher.", ("Mia", "residence", "Hamburg", True)),
        ("My sister Mia lives in Hamburg and works as a teacher.", ("Mia", "job", "teacher", True)),
        ("My boss is called Karen and she hates meetings", ("Karen", "likes", "meetings", False)),
        ("Mia's husband is called Tom.", ("Mia", "husband's name", "Tom", True)),
        ("my mom's birthday is on June 5th", ("mother", "birthday", "June 5th", True)),
        ("我妹妹小米住在杭州，是老师。", ("小米", "居住地", "杭州", True)),
        ("我妹妹小米住在杭州，是老师。", ("小米", "职业", "老师", True)),
        ("我妈妈对青霉素过敏", ("妈妈", "过敏", "青霉素", True)),
        ("我老公是医生，他在人民医院上班", ("丈夫", "工作单位", "人民医院", True)),
    ],
)
def test_third_persons_get_what_is_said_about_them(read: Read, text: str, claim: tuple[str, str, str, bool]) -> None:
    claims = stated(read, text)
    assert claim in claims
    assert not any(c[0] == "user" and c[2] == claim[2] for c in claims)


def test_a_pronoun_means_the_subject_of_the_conversation(read: Read) -> None:
    mia = InnerState(subject=Subject(type="person", id="Mia", description="sister"))
    assert [(c.subject, c.value) for c in read("She is allergic to shellfish.", mia).claims] == [("Mia", "shellfish")]
    assert read("He is allergic to shellfish.", mia).claims == ()
    xiaomi = InnerState(subject=Subject(type="person", id="小米", description="妹妹"))
    assert [(c.subject, c.value) for c in read("她对海鲜过敏", xiaomi).claims] == [("小米", "海鲜")]


@pytest.mark.parametrize(
    "text",
    [
        "Is my dog called Bruno?",
        "What is my dog's name?",
        "If I lived in Berlin I would be happy",
        "He said I live in Berlin.",
        "I like it",
        "I'd like a window seat",
        "Do I like jazz?",
        "I'm fine",
        "My back hurts",
        "the weather is nice",
        "我的狗叫豆豆吗？",
        "我的狗叫什么名字？",
        "如果我住在北京就好了",
        "听说他住在北京",
        "我喜欢你",
        "我没事",
    ],
)
def test_what_states_nothing(read: Read, text: str) -> None:
    assert read(text).claims == ()


def test_safety_and_events_have_their_class(read: Read) -> None:
    kinds = {c.attribute: c.kind for c in read("I'm allergic to nuts. Yesterday I had a steak by mistake.").claims}
    assert kinds == {"allergy": "safety", "event": "event"}
    kinds = {c.attribute: c.kind for c in read("我对坚果过敏。昨天不小心吃了块牛排。").claims}
    assert kinds == {"过敏": "safety", "经历": "event"}


def test_a_claim_begins_when_the_speaker_says_it_began(read: Read) -> None:
    (claim,) = read("I moved to Berlin last year.").claims
    assert claim.since == datetime(2025, 1, 1).timestamp()
    (event,) = read("I'm flying to Rome on Friday at three.").claims
    assert (event.attribute, event.since) == ("plan", datetime(2026, 3, 13, 15).timestamp())


def test_a_former_home_is_told_as_ended(read: Read) -> None:
    (claim,) = read("I used to live in Hamburg.").claims
    assert claim.until is not None


def test_one_key_for_both_languages() -> None:
    assert attribute_key("饮食") == attribute_key("diet") == "diet"
    assert attribute_key("狗的名字") == "狗的名字"
