"""The second person, the check of a model's answer, and the plan's way to the model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.reply import ReplyPlan, accept, plan_message, split_plan
from memory.reply.evidence import content_words, is_question, sentences
from memory.reply.second_person import second_person


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("My dog is called Bruno.", "your dog is called Bruno"),
        ("I am Anna and I was born in Porto.", "you are Anna and you were born in Porto"),
        ("I was born in Porto and am thirty.", "you were born in Porto and are thirty"),
        ("We're moving to our new flat, so call me.", "you're moving to your new flat, so call you"),
        ("You are nice and I like you.", "I am nice and you like me"),
        ("You know my wife.", "I know your wife"),
        ("Helen lives in the US with us!", "Helen lives in the US with you"),
        ("Iris likes my meal.", "Iris likes your meal"),
        ("Am I late?", "are you late?"),
        ("我们的狗叫豆豆。", "你们的狗叫豆豆"),
        ("你知道我喜欢茶", "我知道您喜欢茶"),
    ],
)
def test_second_person(said: str, told: str) -> None:
    assert second_person(said) == told


@given(st.text(max_size=60))
def test_second_person_takes_anything(text: str) -> None:
    assert isinstance(second_person(text), str)


DOG = ReplyPlan("recall", "", True, "What is my dog's name?", "Your dog is called Bruno and you like window seats.")


@pytest.mark.parametrize(
    ("question", "evidence", "answer", "accepted"),
    [
        (DOG.question, DOG.evidence, "Your dog is called Bruno", True),
        (DOG.question, DOG.evidence, "Bruno.", True),
        (DOG.question, DOG.evidence, "Your dog is called Rex.", False),
        (DOG.question, DOG.evidence, "Your dog Bruno is a poodle.", False),
        (DOG.question, DOG.evidence, "Your dog's name.", False),
        (DOG.question, DOG.evidence, "My dog is called Bruno.", False),
        (DOG.question, DOG.evidence, "No, I do not remember.", False),
        (DOG.question, DOG.evidence, "", False),
        (DOG.question, DOG.evidence, "Bruno " * 40, False),
        ("What size are my shoes?", "You wear size forty three shoes.", "You wear size forty-three shoes.", True),
        ("Do I prefer tea or coffee?", "You prefer tea over coffee.", "You prefer tea.", True),
        ("Do I like mushrooms?", "You don't like mushrooms on pizza.", "You like mushrooms on pizza.", False),
        ("What don't I like?", "You don't like mushrooms.", "You don't like mushrooms.", True),
        ("When was it?", "You asked me to find you a room at ten.", "You asked me to find you a room at ten.", True),
        ("Who am I meeting?", "You are meeting Sara at noon.", "I have booked Sara at noon.", False),
    ],
)
def test_accept(question: str, evidence: str, answer: str, accepted: bool) -> None:
    assert (accept(ReplyPlan("recall", "", True, question, evidence), answer) is not None) is accepted


def test_an_accepted_answer_ends_as_a_sentence() -> None:
    assert accept(DOG, ' "Your dog is called Bruno" ') == "Your dog is called Bruno."


@given(st.builds(ReplyPlan, st.text(), st.text(), st.booleans(), st.text(), st.text()))
def test_a_plan_survives_its_way(plan: ReplyPlan) -> None:
    messages, back = split_plan([{"role": "user", "content": "Hi."}, plan_message(plan)])
    assert back == plan
    assert messages == [{"role": "user", "content": "Hi."}]
    assert json.dumps(plan_message(plan))


def test_messages_without_a_plan_are_left_alone() -> None:
    messages = [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}]
    assert split_plan(messages) == (messages, None)


def test_sentences_and_questions() -> None:
    assert sentences("Hi. What is it? 我的狗。叫什么？ ...") == ["Hi.", "What is it?", "我的狗。", "叫什么？"]
    assert is_question("what is it")
    assert not is_question("can you book a table")
    assert content_words("Where did she fly?") & content_words("My flight")
