import pytest
from hypothesis import given
from hypothesis import strategies as st

from processors.endpointing import Endpointing, EndpointingParams


def spoken(endpointing: Endpointing, text: str = "hello") -> None:
    endpointing.speech_started()
    endpointing.speech_stopped(0.2)
    endpointing.words(text)


def test_complete_verdict_and_words_end_the_turn_whichever_comes_last():
    words_first = Endpointing(EndpointingParams(complete_silence_s=0.2))
    spoken(words_first)
    assert not words_first.is_over()
    words_first.verdict(True)
    assert words_first.is_over()

    verdict_first = Endpointing(EndpointingParams(complete_silence_s=0.2))
    verdict_first.speech_started()
    verdict_first.speech_stopped(0.2)
    verdict_first.verdict(True)
    assert not verdict_first.is_over()
    verdict_first.words("hello")
    assert verdict_first.is_over()


@pytest.mark.parametrize("use_verdict", [True, False])
@pytest.mark.parametrize(
    "words", ["Wait.", "Hold on,", "um", "Just a second.", "Wait, wait.", "等一下", "等等，我想想。", "那个"]
)
def test_who_asks_for_time_gets_it(words, use_verdict):
    params = EndpointingParams(use_verdict=use_verdict)
    endpointing = Endpointing(params)
    spoken(endpointing, words)
    endpointing.verdict(True)
    endpointing.silence(1.7)
    assert not endpointing.is_over()
    endpointing.silence(0.2)
    assert endpointing.is_over()


@pytest.mark.parametrize("words", ["Stop.", "Wait for me.", "Yes.", "停", "好的", "等一下再说明天的事", "那个房间"])
def test_other_words_do_not_ask_for_time(words):
    endpointing = Endpointing(EndpointingParams())
    spoken(endpointing, words)
    endpointing.verdict(True)
    endpointing.silence(0.3)
    assert endpointing.is_over()


def test_who_asked_for_time_and_went_on_is_done():
    endpointing = Endpointing(EndpointingParams())
    spoken(endpointing, "Wait.")
    spoken(endpointing, "Make it ten.")
    endpointing.verdict(True)
    endpointing.silence(0.3)
    assert endpointing.is_over()


def test_a_comma_that_sounds_complete_is_waited_out():
    endpointing = Endpointing(EndpointingParams(complete_silence_s=0.4))
    spoken(endpointing)
    endpointing.verdict(True)
    assert not endpointing.is_over()
    endpointing.silence(0.18)
    endpointing.onset(True)
    endpointing.silence(0.04)
    assert not endpointing.is_over(), "what may be speech is waited for"
    endpointing.onset(False)
    assert endpointing.is_over()
    endpointing.onset(True)
    endpointing.speech_started()
    assert not endpointing.is_over()


def test_incomplete_verdict_waits_for_silence():
    endpointing = Endpointing(EndpointingParams(incomplete_silence_s=3.0))
    spoken(endpointing)
    endpointing.verdict(False)
    endpointing.silence(2.7)
    assert not endpointing.is_over()
    endpointing.silence(0.2)
    assert endpointing.is_over()


def test_speech_that_goes_on_drops_the_verdict():
    endpointing = Endpointing(EndpointingParams())
    spoken(endpointing)
    endpointing.verdict(True)
    endpointing.speech_started()
    assert not endpointing.is_over()
    endpointing.verdict(True)
    endpointing.speech_stopped(0.2)
    endpointing.words("more")
    assert not endpointing.is_over(), "a verdict given while the user speaks must not count"


def test_without_a_verdict_silence_decides():
    endpointing = Endpointing(EndpointingParams(use_verdict=False, silence_s=0.6))
    spoken(endpointing)
    assert not endpointing.is_over()
    endpointing.silence(0.5)
    assert endpointing.is_over()


def test_speech_without_words_ends_at_once_unless_words_came_before():
    cough = Endpointing(EndpointingParams())
    spoken(cough, "")
    assert cough.is_over()
    assert not cough.has_words

    words_then_cough = Endpointing(EndpointingParams())
    spoken(words_then_cough, "I would like")
    words_then_cough.verdict(False)
    spoken(words_then_cough, "")
    assert not words_then_cough.is_over()


def test_words_that_never_come_do_not_hang_the_turn():
    endpointing = Endpointing(EndpointingParams(words_timeout_s=15.0))
    endpointing.speech_started()
    endpointing.speech_stopped(0.2)
    endpointing.verdict(True)
    endpointing.silence(14.0)
    assert not endpointing.is_over(), "a slow recogniser is waited for"
    endpointing.silence(1.0)
    assert endpointing.is_over()


def test_words_that_come_after_the_turn_was_given_up_end_by_silence():
    endpointing = Endpointing(EndpointingParams(incomplete_silence_s=3.0))
    endpointing.words("hello")
    assert not endpointing.is_over()
    endpointing.silence(3.0)
    assert endpointing.is_over()


@given(st.lists(st.sampled_from(["start", "stop", "words", "empty", "complete", "incomplete", "silence"]), max_size=40))
def test_never_ends_while_the_user_speaks_or_before_anything_was_said(events):
    endpointing = Endpointing(EndpointingParams())
    speaking = False
    spoke = False
    for event in events:
        match event:
            case "start":
                endpointing.speech_started()
                speaking, spoke = True, True
            case "stop":
                endpointing.speech_stopped(0.2)
                speaking = False
            case "words":
                endpointing.words("yes")
                spoke = True
            case "empty":
                endpointing.words("")
            case "complete":
                endpointing.verdict(True)
            case "incomplete":
                endpointing.verdict(False)
            case "silence":
                endpointing.silence(10.0)
        if speaking or not spoke:
            assert not endpointing.is_over()
    endpointing.reset()
    assert not endpointing.is_over()


@pytest.mark.parametrize("seconds", [0.0, 100.0])
def test_silence_alone_is_no_turn(seconds):
    endpointing = Endpointing(EndpointingParams())
    endpointing.silence(seconds)
    assert not endpointing.is_over()
