"""English replies without a capable model: right, honest, and never silent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.nouns import Recalled, Speaker
from memory.prompt import Message, PromptInput
from memory.reply import ReplyPlan, plan_reply
from memory.reply.english_acts import Act, classify

NOW = datetime(2026, 3, 10, 9, 5)
DOG = "My dog is called Bruno and I like window seats."
ROOM = "Find me a free meeting room tomorrow from ten to twelve."
ROOM_STATE = {"task": "Find a free meeting room", "facts": {"date": "2026-03-11", "time_range": "10:00-12:00"}}
CLAIMS_DONE = ("i have booked", "i booked", "is booked now", "i have ordered", "i found", "i have sent")


def plan(words: str, *memories: str, hours_ago: float = 0.1, **changes: Any) -> ReplyPlan:
    recalled = tuple(
        Recalled(str(at), text, 1.0, said_at=NOW.timestamp() - hours_ago * 3600) for at, text in enumerate(memories)
    )
    values: dict[str, Any] = {
        "agent_name": "Joe",
        "language": "en",
        "instructions": "",
        "now": NOW,
        "recalled": recalled,
    }
    return plan_reply(PromptInput(user_text=words, **(values | changes)))


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("Hello, good morning.", Act.GREETING),
        ("How are you today?", Act.WELLBEING),
        ("Thank you, that is all.", Act.THANKS),
        ("Okay, bye.", Act.GOODBYE),
        ("Go on, please.", Act.CONTINUE),
        ("Can you say that again?", Act.REPEAT),
        ("Wait, wait.", Act.HOLD),
        ("Never mind.", Act.CANCEL),
        ("Yes, okay.", Act.ACKNOWLEDGEMENT),
        ("Wait, make it the afternoon.", Act.CORRECTION),
        ("No, I meant Tuesday.", Act.CORRECTION),
        (ROOM, Act.TASK),
        ("Could you please book a table for four?", Act.TASK),
        ("I would like a table for two.", Act.TASK),
        ("I need a taxi at nine.", Act.TASK),
        ("Remind me to call the dentist on Friday.", Act.TASK),
        ("Wait, book a table.", Act.TASK),
        ("Remind me what my dog is called.", Act.QUESTION),
        ("Tell me my dog's name.", Act.QUESTION),
        ("Can you tell me where my sister lives?", Act.QUESTION),
        ("by the way what is my dog's name", Act.QUESTION),
        ("I forgot my dog's name.", Act.QUESTION),
        ("Is my dog called Bruno?", Act.QUESTION),
        (DOG, Act.STATEMENT),
        ("I want to learn Danish.", Act.STATEMENT),
        ("It is raining.", Act.STATEMENT),
        ("Actually, her name is Mia.", Act.STATEMENT),
        ("My brother is visiting tomorrow.", Act.STATEMENT),
    ],
)
def test_acts(line: str, act: Act) -> None:
    assert classify(line) == act


@pytest.mark.parametrize(
    "question",
    [
        "What is my dog's name?",
        "what is my dog's name",
        "Do you remember my dog's name?",
        "Hey Joe, what's my dog called?",
    ],
)
def test_a_remembered_answer_goes_to_the_model_with_its_evidence(question: str) -> None:
    reply = plan(question, DOG)
    assert reply.ask_model
    assert reply.evidence == "Your dog is called Bruno and you like window seats."
    assert reply.text == "You told me that your dog is called Bruno and you like window seats."


def test_an_earlier_question_and_the_agents_words_are_no_evidence() -> None:
    said = Recalled("3", "I do not know your dog's name.", 1.0, speaker=Speaker.AGENT)
    asked = Recalled("1", "What is my dog's name?", 1.0)
    fact = Recalled("2", DOG, 0.4)
    reply = plan("What's my dog's name?", recalled=(said, asked, fact))
    assert "Bruno" in reply.evidence
    assert plan("What's my dog's name?", recalled=(said, asked)).act == "unknown"


def test_what_was_said_later_counts() -> None:
    old = Recalled("1", "My favourite colour is green.", 1.0, said_at=100)
    new = Recalled("2", "My favourite colour is blue.", 0.5, said_at=200)
    other = Recalled("3", "My favourite song is Imagine.", 0.4, said_at=300)
    assert "blue" in plan("What is my favourite colour?", recalled=(old, new, other)).evidence
    assert "blue" in plan("What is my favourite colour?", recalled=(new, old)).evidence


def test_only_the_sentence_that_answers_is_shown() -> None:
    reply = plan("Where does my sister live?", "I had a long day. My sister Helen lives in Lisbon. Work was hard.")
    assert reply.evidence == "Your sister Helen lives in Lisbon."


def test_what_was_never_said_is_not_made_up() -> None:
    assert plan("What is my cat's name?").text.startswith("I do not know that yet.")
    unsure = plan("What is my cat's name?", DOG)
    assert not unsure.ask_model
    assert unsure.text.startswith("I am not sure")
    assert "your dog is called Bruno" in unsure.text
    assert "what you have told me" in plan("What is the capital of France?", DOG).text


def test_yesterdays_tomorrow_is_quoted_with_its_day() -> None:
    reply = plan("When did I want the meeting room?", ROOM, hours_ago=24)
    assert not reply.ask_model
    assert reply.text == "Yesterday, you asked me to find you a free meeting room tomorrow from ten to twelve."
    assert plan("When did I want the meeting room?", ROOM).ask_model


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (DOG, "your dog is called Bruno and you like window seats"),
        ("I'm allergic to peanuts.", "you're allergic to peanuts"),
        ("My brother is visiting tomorrow.", "your brother is visiting tomorrow"),
        ("The wifi password is blue elephant.", "the wifi password is blue elephant"),
    ],
)
def test_a_statement_is_acknowledged_in_the_second_person(line: str, expected: str) -> None:
    reply = plan(line, DOG)
    assert expected in reply.text
    assert not reply.ask_model


def test_bad_news_is_not_good_to_know() -> None:
    assert plan("My dog died yesterday.").text.startswith("I am sorry to hear that.")


def test_a_task_is_noted_and_never_said_to_be_done() -> None:
    reply = plan(ROOM, DOG, state=ROOM_STATE)
    assert reply.act == "task"
    assert "find you a free meeting room tomorrow from ten to twelve" in reply.text
    assert "Wednesday, March 11" in reply.text
    assert "Nothing is booked yet" in reply.text
    assert len(reply.text.split()) >= 12
    assert not reply.ask_model


def test_the_date_of_another_task_is_not_borrowed() -> None:
    state = {"task": "Order two bags of soil", "facts": {"date": "2026-03-11"}}
    assert "March" not in plan(ROOM, state=state).text


def test_a_statement_and_a_task_in_one_breath() -> None:
    reply = plan(f"I like window seats. {ROOM}", state=ROOM_STATE)
    assert reply.act == "task"
    assert "you like window seats" in reply.text
    assert "find you a free meeting room" in reply.text


def test_a_correction_is_repeated() -> None:
    reply = plan("Wait, make it the afternoon.", ROOM, state=ROOM_STATE, cut_off=("All right, you want", "me to find"))
    assert reply.act == "correction"
    assert reply.text.startswith("All right, the afternoon then.")
    assert "Nothing is booked yet" in reply.text


def test_going_on_after_a_cut() -> None:
    reply = plan("Go on.", cut_off=("All right, you", "want me to find a room."))
    assert reply.text == "I was saying: want me to find a room."
    assert plan("Say that again?", history=(Message("assistant", "It is nine."),)).text == "It is nine."


def test_time_and_date_come_from_the_session() -> None:
    assert plan("What time is it?").text == "It is 9:05."
    assert plan("What day is it today?").text == "It is Tuesday, March 10."
    assert "Find a free meeting room" in plan("Where were we?", state=ROOM_STATE).text.replace("find", "Find")


@given(
    st.one_of(
        st.text(max_size=60), st.sampled_from(["?", "...", "I", "my", "you", "Wait, no, not", "make it", "instead."])
    )
)
def test_there_is_always_something_to_say(words: str) -> None:
    for memories in ((), (words, DOG)):
        reply = plan(words, *memories, state=ROOM_STATE)
        assert reply.text.strip()
        assert "{" not in reply.text or "{" in words
        assert not any(claim in reply.text.lower() for claim in CLAIMS_DONE if claim not in words.lower())


def test_who_comes_back_is_told_what_is_still_open() -> None:
    left = ("book a meeting room (date = 2026-03-11)",)
    assert "book a meeting room" in plan("Hello.", open_from_before=left).text
    assert "go on" in plan("Hello.", open_from_before=left).text
    assert "book a meeting room" not in plan("Hello.", open_from_before=left, state={"task": "x"}).text
    assert "book a meeting room" not in plan("Hello.").text
