"""Risky actions: nothing is paid, sent or deleted without a clear yes in a later turn, and nobody says it was."""

from __future__ import annotations

import json
import re

import pytest

from memory.tools.done_claims import claims_done
from tests.fakes.openai_server import calls, says
from tests.pipeline.tool_dialogues import PAY, CountingTool, converse, statuses

TALK = {
    "en": {
        "ask": "Pay the electricity bill, it's eighty four euros.",
        "question": "That is 84 euros for electricity. Shall I pay it?",
        "fact": "84 EUR",
        "fine": "All right.",
        "done": "Done, the bill is paid.",
    },
    "zh": {
        "ask": "帮我交一下电费，八十四块。",
        "question": "电费84元，确认支付吗？",
        "fact": "84 CNY",
        "fine": "好的。",
        "done": "付好了。",
    },
}
ARGUMENTS = {"amount": 84, "bill": "electricity"}
YES = {"en": ["Yes, go ahead.", "Yes.", "Sure, do it.", "Okay."], "zh": ["可以，付吧。", "好的", "确认", "付吧"]}
NO_YES = {
    "en": [
        "Hmm, I'm not sure.",
        "Maybe.",
        "How much was it?",
        "Wait.",
        "Let me think.",
        "Hmm.",
        "What day is it today?",
    ],
    "zh": ["嗯，再想想。", "也许吧", "多少钱来着？", "等等", "我考虑一下", "嗯", "今天几号？"],
}
NO = {"en": ["No.", "Cancel that.", "Never mind.", "No, don't pay it."], "zh": ["不用了", "算了", "取消吧", "别付了"]}


def pay(**changes):
    return CountingTool("pay_bill", {**PAY, "returns": {"receipt": "R17"}, **changes})


def asks(language):
    return [calls(("pay_bill", ARGUMENTS)), says(TALK[language]["question"])]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("number", range(4))
def test_a_clear_yes_in_a_later_turn_runs_the_stored_call_once(tmp_path, language, number):
    talk, tool = TALK[language], pay()
    lines, requests = converse(
        tmp_path,
        [tool],
        [talk["ask"], NO_YES[language][0], YES[language][number], talk["fine"]],
        *asks(language),
        says(talk["fine"]),
        says(talk["done"]),
        says(talk["fine"]),
        language=language,
    )
    assert [statuses(line) for line in lines] == [["waiting_confirmation"], [], ["completed"], []]
    assert tool.calls == [ARGUMENTS]
    waits = [line["inner_state_after"]["status"] for line in lines]
    assert waits == ["waiting_confirmation", "waiting_confirmation", "completed", "completed"]
    assert lines[0]["inner_state_after"]["facts"]["amount"] == talk["fact"]
    assert lines[0]["reply_text"] == talk["question"]
    assert lines[2]["reply_text"] == talk["done"]
    assert lines[2]["tool_calls"][0]["arguments"] == ARGUMENTS
    # The result is in the prompt of the turn that confirmed.
    assert json.loads(requests[3]["messages"][-1]["content"]) == {"receipt": "R17"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_that_calls_again_after_the_yes_runs_it_only_once(tmp_path, language):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], YES[language][0]],
        *asks(language),
        calls(("pay_bill", {**ARGUMENTS, "bill": "power"})),
        says(talk["done"]),
        language=language,
    )
    assert tool.calls == [ARGUMENTS]
    assert lines[1]["reply_text"] == talk["done"]
    assert lines[1]["inner_state_after"]["status"] == "completed"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_that_asks_in_words_first_and_calls_after_the_yes(tmp_path, language):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], NO_YES[language][0], YES[language][0]],
        says(talk["question"]),
        says(talk["fine"]),
        calls(("pay_bill", ARGUMENTS)),
        says(talk["done"]),
        language=language,
    )
    assert [statuses(line) for line in lines] == [[], [], ["completed"]]
    assert tool.calls == [ARGUMENTS]
    assert lines[2]["inner_state_after"]["status"] == "completed"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_another_amount_than_was_asked_for_is_not_paid(tmp_path, language):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], YES[language][0]],
        says(talk["question"]),
        calls(("pay_bill", {**ARGUMENTS, "amount": 840})),
        says(talk["done"]),
        language=language,
    )
    assert tool.calls == []
    assert statuses(lines[1]) == ["waiting_confirmation"]
    assert not claims_done(lines[1]["heard_text"])


@pytest.mark.parametrize(
    ("language", "words"), [(language, words) for language in NO_YES for words in NO_YES[language]]
)
def test_nothing_else_runs_it_and_nobody_says_it_was_done(tmp_path, language, words):
    """Whatever the model claims, and however often it calls."""
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], words, words],
        *asks(language),
        calls(("pay_bill", ARGUMENTS)),
        says(talk["done"]),
        says(talk["done"]),
        language=language,
    )
    assert tool.calls == []
    for line in lines:
        clauses = re.split(r"(?<=[,.!?，。！？])", line["heard_text"])
        assert line["heard_text"] and not any(map(claims_done, clauses)), line["heard_text"]
        assert line["inner_state_after"]["status"] == "waiting_confirmation"


@pytest.mark.parametrize(("language", "words"), [(language, words) for language in NO for words in NO[language]])
def test_a_no_cancels_and_a_later_yes_runs_nothing(tmp_path, language, words):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], words, YES[language][1]],
        *asks(language),
        says(talk["fine"]),
        language=language,
    )
    assert tool.calls == []
    assert lines[1]["inner_state_after"]["status"] == "cancelled"
    assert statuses(lines[1]) == ["cancelled"]


@pytest.mark.parametrize(
    ("language", "other"),
    [("en", "What's the weather in Berlin tomorrow?"), ("zh", "帮我查一下北京明天的天气。")],
)
def test_a_yes_after_a_topic_change_runs_nothing(tmp_path, language, other):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], other, YES[language][0]],
        *asks(language),
        says(talk["fine"]),
        language=language,
    )
    assert lines[1]["inner_state_after"]["topic"] == "weather"
    assert tool.calls == []


@pytest.mark.parametrize(("language", "change"), [("en", "Make it ninety euros."), ("zh", "改成九十块。")])
def test_changed_arguments_need_a_yes_of_their_own(tmp_path, language, change):
    talk, tool = TALK[language], pay()
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], change, YES[language][0]],
        *asks(language),
        says(talk["fine"]),
        says(talk["done"]),
        language=language,
    )
    assert tool.calls == [{**ARGUMENTS, "amount": 90}]
    assert statuses(lines[1]) == ["waiting_confirmation"]
    assert "90" in lines[1]["heard_text"] and re.search("[?？]", lines[1]["heard_text"])
    assert statuses(lines[2]) == ["completed"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_question_that_was_cut_off_is_no_question(tmp_path, language):
    """The user barges in with a yes before the question was asked."""
    talk, tool = TALK[language], pay()
    long = {
        "en": "So this is about the electricity bill that came in today, and it is 84 euros. Shall I pay it now?",
        "zh": "您说的是今天收到的这张电费账单，一共是八十四块钱，需要从您的账户里支付。要我现在就付吗？",
    }[language]
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], (YES[language][0], 1.0), YES[language][0]],
        calls(("pay_bill", ARGUMENTS)),
        says(long),
        says(talk["question"]),
        says(talk["done"]),
        language=language,
    )
    assert lines[0]["interrupted"] is True
    assert statuses(lines[1]) == []
    assert statuses(lines[2]) == ["completed"]
    assert tool.calls == [ARGUMENTS]


def test_a_reply_that_does_not_ask_is_made_to(tmp_path):
    (line,), _ = converse(tmp_path, [pay()], [TALK["en"]["ask"]], calls(("pay_bill", ARGUMENTS)), says("Okay!"))
    assert line["heard_text"].startswith("Okay! To be sure: ")
    assert line["heard_text"].endswith("Shall I go ahead?")
    assert "84" in line["heard_text"]


@pytest.mark.parametrize("reply_format", ["plain", "json"])
def test_a_claim_is_replaced_by_the_question(tmp_path, reply_format):
    said = "Sure, I have paid the 84 euros. You will get a receipt."
    if reply_format == "json":
        said = json.dumps({"reply": said, "state_update": {"status": "completed", "result": "paid"}})
    (line,), _ = converse(
        tmp_path, [pay()], [TALK["en"]["ask"]], says(said), overrides=[f"llm.reply_format={reply_format}"]
    )
    assert "paid" not in line["heard_text"] and "receipt" not in line["heard_text"]
    assert line["heard_text"].startswith("Sure, ") and line["heard_text"].endswith("Shall I go ahead?")
    assert line["inner_state_after"]["status"] == "waiting_confirmation"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("script", [{"error": "the account is empty"}, {"delay_s": 60}])
def test_a_payment_that_fails_is_never_called_done(tmp_path, language, script):
    talk, tool = TALK[language], pay(**script)
    lines, _ = converse(
        tmp_path,
        [tool],
        [talk["ask"], YES[language][0]],
        *asks(language),
        says(talk["done"]),
        language=language,
    )
    assert len(tool.calls) == 1
    assert lines[1]["inner_state_after"]["status"] == "failed"
    assert not claims_done(lines[1]["heard_text"])
    assert statuses(lines[1]) == ["timed_out" if "delay_s" in script else "failed"]


def test_two_risky_calls_wait_for_one_yes(tmp_path):
    send = CountingTool("send_message", {"parameters": {}, "risky": True, "returns": "sent"})
    tool = pay()
    both = calls(("pay_bill", ARGUMENTS), ("send_message", {"to": "Anna"}))
    lines, _ = converse(
        tmp_path,
        [tool, send],
        [TALK["en"]["ask"], "Yes, do both."],
        both,
        says("Shall I pay the 84 euros and tell Anna?"),
        says("Both are done."),
    )
    assert statuses(lines[0]) == ["waiting_confirmation", "waiting_confirmation"]
    assert statuses(lines[1]) == ["completed", "completed"]
    assert tool.calls == [ARGUMENTS] and send.calls == [{"to": "Anna"}]
    assert lines[1]["reply_text"] == "Both are done."
