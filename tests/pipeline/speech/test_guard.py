from __future__ import annotations

import pytest

from pipeline.speech.decoding import Verdict
from pipeline.speech.guard import Evidence, collapse_loops, is_loop, is_stock_phrase, judge


def verdict(text: str, avg_logprob: float, no_speech: float, looped: bool = False) -> Verdict:
    return judge(Evidence(text, avg_logprob, no_speech, looped))


@pytest.mark.parametrize(
    ("text", "avg_logprob", "no_speech", "expected"),
    [
        (" Turn on the lamp.", -0.1, 0.0, Verdict.ACCEPT),
        ("10001 90210", -0.47, 0.85, Verdict.ACCEPT),  # digits on the telephone: unheard, yet likely
        ("我真的在说一下", -0.68, 0.71, Verdict.DOUBT),
        (" I'm going to go to the beach.", -1.74, 0.72, Verdict.NO_SPEECH),
        (" A shame.", -1.37, 0.11, Verdict.REJECT),
        (" Thank you.", -0.61, 0.85, Verdict.NO_SPEECH),
        (" Thank you.", -0.3, 0.05, Verdict.ACCEPT),
        (" ...", -0.1, 0.0, Verdict.NO_SPEECH),
        ("", 0.0, 0.0, Verdict.NO_SPEECH),
    ],
)
def test_verdicts_on_what_whisper_really_wrote(
    text: str, avg_logprob: float, no_speech: float, expected: Verdict
) -> None:
    assert verdict(text, avg_logprob, no_speech) is expected


def test_a_loop_is_rejected_however_likely() -> None:
    assert verdict("北京科技馆北京科技馆", -0.04, 0.1, looped=True) is Verdict.REJECT


@pytest.mark.parametrize(
    "text",
    [
        " Concorde returned to its place amidst the tents. Concorde returned to its place amidst the",
        "北京科技馆北京科技馆北京科技馆北京科技",
        "有" * 20,
        " No. No.",
        " Never mind. Never mind. Never mind.",
        "换一首歌换一首歌",
    ],
)
def test_loops_are_seen(text: str) -> None:
    assert is_loop(text, capped=False)


@pytest.mark.parametrize(
    "text",
    [
        " Ask not what your country can do for you, ask what you can do for your country.",
        " No, no, no, I said the blue one.",
        "谢谢",
        "好的好的",
        "我有的时候说不清楚你们知道吗",
    ],
)
def test_rhetoric_is_no_loop(text: str) -> None:
    assert not is_loop(text, capped=False)


def test_running_into_the_length_limit_is_a_loop() -> None:
    assert is_loop(" So", capped=True)


def test_stock_phrases_are_whole_texts() -> None:
    assert is_stock_phrase(" Thanks for watching!")
    assert is_stock_phrase("请不吝点赞 订阅 转发 打赏支持明镜与点点栏目")
    assert not is_stock_phrase(" Thank you, book the room.")
    assert not is_stock_phrase("谢谢你帮我订房间")


def test_an_endless_repetition_becomes_emphasis() -> None:
    assert collapse_loops(" no" * 9 + " way") == " no no no way"
    assert collapse_loops(" go on" * 6) == " go on go on go on"
    assert collapse_loops(" no no way") == " no no way"
