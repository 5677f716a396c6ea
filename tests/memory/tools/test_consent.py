"""When a yes is a yes, and when a claim is a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.tools.consent import read_consent
from memory.tools.done_claims import claims_done, split_clauses
from processors.reply_guard import ReplyGuard

ANSWERS = {
    "yes": [
        "Yes, go ahead.",
        "yes",
        "Yes please.",
        "OK",
        "do it",
        "Go ahead",
        "yes go ahead and pay it",
        "Sure, please do.",
        "confirm",
        "Okay, book it.",
        "That's right, go ahead.",
        "可以，付吧。",
        "可以",
        "付吧",
        "好的",
        "确认",
        "好的，确认",
        "嗯，可以",
        "行",
        "没问题",
        "是的，请付款",
        "就这样吧",
        "好，订吧",
        "嗯嗯，付吧",
        "对，删掉吧",
        "确认支付",
        "可以订",
        "好的谢谢",
        "那就付吧",
        "yes pay the bill",
        "Pay it.",
        "Yes. Send it, please.",
        "Okay. Yes.",
        "行，你去办吧",
        "好的，你发吧",
        "Yes, I'm sure.",
        "Yeah, let's do it",
        "帮我付了吧",
        "可以的，转吧",
    ],
    "no": [
        "No.",
        "no thanks",
        "cancel",
        "Cancel it.",
        "算了",
        "不要",
        "不用了",
        "别付了",
        "取消吧",
        "never mind",
        "Don't do it",
        "No, don't pay it.",
        "不，先不付",
        "forget it",
        "No, cancel that please",
        "不行",
        "算了，不付了",
        "还是算了",
        "还是不要了",
        "Stop, don't send it",
        "不了，谢谢",
    ],
    "unclear": [
        "maybe",
        "hmm",
        "Hmm, I'm not sure.",
        "not sure",
        "嗯，再想想。",
        "再想想",
        "嗯",
        "",
        "...",
        "yes, but make it 90",
        "How much was it?",
        "可以吗？",
        "好像可以",
        "我想想",
        "make it 90 euros",
        "What's the weather?",
        "wait",
        "等等",
        "Yes? What was that?",
        "I guess so",
        "mhm",
        "right, and what's the time",
        "改成九十块",
        "okay wait",
        "也许吧",
        "可能可以吧",
        "no, make it 90",
        "不是，是九十块",
        "yesterday I paid",
        "I like window seats",
        "可以改成九十吗",
        "要不明天吧",
        "好贵啊",
        "行不行呢",
        "go on",
        "Yes, if it's cheaper",
        "uh-huh",
        "唔",
        "to be honest no idea",
        "I don't know",
        "let me think",
        "发票呢",
    ],
}
CLAIMS = [
    "I've paid it.",
    "I have paid the electricity bill.",
    "Done!",
    "Done.",
    "All done,",
    "Okay, done.",
    "Your table is booked.",
    "It has been paid.",
    "The payment went through.",
    "I sent the message.",
    "I've gone ahead and booked A302.",
    "Payment complete.",
    "The bill has been paid.",
    "Booked.",
    "Paid.",
    "I just ordered it.",
    "It's done.",
    "You're all set.",
    "Your order has been placed.",
    "I booked it for you.",
    "A302 is booked for you.",
    "已经付好了。",
    "电费已支付。",
    "付好了。",
    "付完了，",
    "已为您预订A302。",
    "预订成功。",
    "办好了。",
    "我已经帮您把电费交了。",
    "搞定。",
    "好了，",
    "消息发出去了。",
    "已经删除了。",
    "订单已提交。",
    "支付完成。",
    "I paid the bill.",
    "The room is reserved.",
    "I’ve sent it.",
]
NO_CLAIMS = [
    "That is 84 euros for electricity.",
    "Shall I pay it?",
    "电费84元，",
    "确认支付吗？",
    "I have not paid it yet.",
    "Nothing is booked yet.",
    "Once it is paid,",
    "Do you want me to pay?",
    "I will pay it when you say yes.",
    "还没有付款。",
    "要现在付吗？",
    "付款之后我告诉您。",
    "Sure.",
    "I found three:",
    "A302 by the window,",
    "found three rooms",
    "找到三间：",
    "A302靠窗，",
    "好的，",
    "It has shipped,",
    "Take your time.",
    "Just say yes and I'll pay it.",
    "明天北京晴，",
    "Is it paid?",
    "You paid last month.",
    "I can book it.",
    "已发货，",
    "You have a meeting booked at ten",
    "Should I have it booked?",
    "我查到了三间，",
    "预计明天送达。",
    "Good to know.",
    "All right,",
    "your dog is called Bruno.",
    "I made a note of that.",
    "The meeting is at ten.",
    "您已经付过电费了。",
]


@pytest.mark.parametrize(("answer", "words"), [(answer, words) for answer in ANSWERS for words in ANSWERS[answer]])
def test_only_a_clear_yes_is_a_yes(answer, words):
    assert read_consent(words).answer == answer
    heard = "".join(ch for ch in words if ch not in ".,!，。！、").strip()
    if answer == "yes":
        assert read_consent(heard).answer == "yes", "as a recogniser without punctuation writes it"


@pytest.mark.parametrize(
    ("words", "explicit"),
    [("Yes.", False), ("OK", False), ("好的", False), ("Yes, go ahead.", True), ("付吧", True), ("No.", False)]
    + [("不用了", False), ("Cancel that.", True), ("算了", True), ("别付了", True)],
)
def test_a_bare_answer_is_told_from_one_that_names_what_is_to_happen(words, explicit):
    assert read_consent(words).explicit is explicit


@given(words=st.text(max_size=60), added=st.sampled_from([" maybe", " but not now", "，再想想", " or what?"]))
def test_what_is_added_makes_it_unclear(words, added):
    assert read_consent(f"yes{added}").answer != "yes"
    assert read_consent(f"可以{added}").answer != "yes"
    read_consent(words)


@pytest.mark.parametrize("said", CLAIMS)
def test_a_claim_is_found(said):
    assert claims_done(said)


@pytest.mark.parametrize("said", NO_CLAIMS)
def test_what_claims_nothing_passes(said):
    assert not claims_done(said)


@given(text=st.text(alphabet="ab .,!?1，。付了已paid", max_size=80), cut=st.integers(1, 9))
def test_clauses_are_the_text_however_it_arrives(text, cut):
    held, clauses = "", []
    for start in range(0, len(text), cut):
        done, held = split_clauses(held + text[start : start + cut])
        clauses += done
    assert "".join(clauses) + held == text


@given(text=st.text(alphabet="ab .,!?，。付了已 ", max_size=80), cut=st.integers(1, 9))
def test_a_guard_lets_everything_else_through_unchanged(text, cut):
    guard = ReplyGuard("Shall I?")
    said = "".join(guard.feed(text[start : start + cut]) for start in range(0, len(text), cut)) + guard.finish()
    assert said == text or (guard.refused and said.endswith("Shall I?"))


@pytest.mark.parametrize("by", [1, 3, 100])
def test_a_guard_stops_at_a_claim_and_asks(by):
    text = "Sure, that is 84.50 euros. I have paid it. Anything else?"
    guard = ReplyGuard("Shall I pay it?", must_ask=True)
    said = "".join(guard.feed(text[start : start + by]) for start in range(0, len(text), by)) + guard.finish()
    assert said == "Sure, that is 84.50 euros. Shall I pay it?"
