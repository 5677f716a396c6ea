"""Who has the floor: one decision after another, on a clock that the test holds."""

import pytest

from processors.interruption import Act, AgentSpeech, Interruption, InterruptionParams

SPEAKS = AgentSpeech(is_due=True, is_audible=True, recent="I can book the small room for you tomorrow")
THINKS = AgentSpeech(is_due=True)
SILENT = AgentSpeech()
ASKS = AgentSpeech(is_due=True, is_audible=True, recent="Shall I book it?", asks=True)
ASKED = AgentSpeech(recent="Shall I book it?", asks=True)


def overlap(agent: AgentSpeech = SPEAKS) -> Interruption:
    """The user begins to speak at 1.0; the VAD says so at 1.2."""
    floor = Interruption(InterruptionParams())
    assert floor.speech_started(1.2, agent) is Act.PAUSE
    return floor


def ends(floor: Interruption, at: float, text: str, agent: AgentSpeech = SPEAKS) -> Act:
    """The user's speech ends at ``at``; the words are there 0.3 s later."""
    floor.speech_stopped(at + 0.26, 0.26)
    return floor.final_words(at + 0.3, text, agent)


def test_while_the_agent_is_silent_speech_begins_a_turn_at_once():
    assert Interruption(InterruptionParams()).speech_started(1.2, SILENT) is Act.TAKE


@pytest.mark.parametrize("text", ["not that one", "no", "stop", "wait", "等等", "换一间大的", "不对"])
def test_two_words_or_a_stop_word_interrupt(text):
    assert overlap().partial_words(1.5, text, text, SPEAKS) is Act.TAKE


@pytest.mark.parametrize("text", ["mhm", "Mm-hmm.", "right", "okay, okay", "嗯嗯", "对对", "好的", "是的。"])
def test_a_backchannel_does_not(text):
    floor = overlap()
    assert floor.partial_words(1.5, text, text, SPEAKS) is Act.NOTHING
    assert ends(floor, 1.6, text) is Act.BACKCHANNEL
    assert floor.time(5.0, SPEAKS) is Act.NOTHING


@pytest.mark.parametrize("text", ["Monday", "明天"])
def test_a_single_word_interrupts_when_the_user_has_spoken_for_long_enough(text):
    floor = overlap()
    assert floor.partial_words(1.4, text, text, SPEAKS) is Act.NOTHING
    assert floor.time(1.5, SPEAKS) is Act.NOTHING
    assert floor.time(1.61, SPEAKS) is Act.TAKE


def test_a_short_single_word_is_answered_after_the_reply():
    assert ends(overlap(), 1.4, "Monday") is Act.KEEP


def test_a_long_backchannel_does_not_interrupt():
    floor = overlap()
    floor.partial_words(1.6, "yeah", "yeah yeah", SPEAKS)
    assert floor.time(1.9, SPEAKS) is Act.NOTHING
    assert ends(floor, 2.6, "Yeah, yeah, yeah.") is Act.BACKCHANNEL


@pytest.mark.parametrize(("first", "then"), [("yeah", "yeah but not tomorrow"), ("嗯", "嗯，换一间大的")])
def test_a_backchannel_that_turns_into_speech_interrupts(first, then):
    floor = overlap()
    assert floor.partial_words(1.5, first, first, SPEAKS) is Act.NOTHING
    assert floor.partial_words(1.8, then, then, SPEAKS) is Act.TAKE


def test_words_that_may_change_do_not_interrupt_yet():
    floor = overlap()
    assert floor.partial_words(1.5, "", "thanks for watching", SPEAKS) is Act.NOTHING
    assert ends(floor, 1.6, "") is Act.FALSE


def test_a_cough_lets_the_reply_go_on():
    floor = overlap()
    assert floor.time(1.4, SPEAKS) is Act.NOTHING
    assert ends(floor, 1.4, "") is Act.FALSE


def test_a_long_noise_lets_the_reply_go_on_after_a_second():
    floor = overlap()
    assert floor.time(2.19, SPEAKS) is Act.NOTHING
    assert floor.time(2.2, SPEAKS) is Act.RESUME
    assert floor.time(9.0, SPEAKS) is Act.NOTHING
    assert floor.partial_words(9.1, "stop it", "stop it", SPEAKS) is Act.TAKE


def test_words_on_their_way_are_waited_for_a_little_longer():
    floor = overlap()
    floor.partial_words(2.0, "", "make it", SPEAKS)
    assert floor.time(2.3, SPEAKS) is Act.NOTHING
    assert floor.partial_words(2.5, "make it", "make it the", SPEAKS) is Act.TAKE


def test_where_pausing_was_wrong_twice_words_decide_alone_for_a_while():
    floor = overlap()
    assert ends(floor, 1.4, "") is Act.FALSE
    assert floor.speech_started(3.0, SPEAKS) is Act.PAUSE
    assert ends(floor, 3.2, "") is Act.FALSE
    assert floor.speech_started(5.0, SPEAKS) is Act.NOTHING
    assert floor.partial_words(5.4, "hold on", "hold on", SPEAKS) is Act.TAKE
    floor.reset()
    assert floor.speech_started(40.0, SPEAKS) is Act.PAUSE


def test_the_agents_own_words_do_not_interrupt_and_pausing_for_them_ends():
    floor = overlap()
    text = "book the small room"
    assert floor.partial_words(1.8, text, text, SPEAKS) is Act.NOTHING
    assert ends(floor, 2.0, text) is Act.ECHO
    assert floor.speech_started(3.0, SPEAKS) is Act.NOTHING
    text = "the small room for you wait not that"
    assert floor.partial_words(4.0, text, text, SPEAKS) is Act.TAKE


def test_who_repeats_the_agent_after_the_reply_speaks():
    floor = Interruption(InterruptionParams())
    floor.time(0.9, SPEAKS)
    assert floor.speech_started(1.3, AgentSpeech(recent=SPEAKS.recent)) is Act.TAKE


def test_where_there_is_an_echo_its_end_is_not_taken_for_the_user():
    floor = overlap()
    assert ends(floor, 1.6, "the small room") is Act.ECHO
    floor.time(3.0, SPEAKS)
    after = AgentSpeech(recent=SPEAKS.recent)
    assert floor.speech_started(3.3, after) is Act.NOTHING
    assert ends(floor, 3.5, "for you tomorrow", after) is Act.ECHO
    assert floor.speech_started(5.0, after) is Act.TAKE


def test_where_there_is_an_echo_a_quick_answer_is_heard():
    floor = overlap()
    assert ends(floor, 1.6, "the small room") is Act.ECHO
    floor.time(3.0, SPEAKS)
    after = AgentSpeech(recent=SPEAKS.recent)
    assert floor.speech_started(3.3, after) is Act.NOTHING
    assert ends(floor, 3.5, "Okay.", after) is Act.TAKE


@pytest.mark.parametrize("text", ["yes", "Yes.", "okay", "对", "好的", "是的"])
def test_yes_in_the_last_words_of_a_question_is_an_answer(text):
    assert ends(overlap(ASKS), 1.4, text, ASKS) is Act.KEEP
    assert ends(overlap(ASKS), 1.4, text, ASKED) is Act.TAKE


@pytest.mark.parametrize("text", ["for tomorrow", "tomorrow", "yes", "好的", "明天"])
def test_while_the_agent_thinks_the_user_goes_on(text):
    assert overlap(THINKS).partial_words(1.5, text, text, THINKS) is Act.TAKE


@pytest.mark.parametrize("text", ["", "mhm", "嗯"])
def test_while_the_agent_thinks_a_cough_does_not_cost_the_reply(text):
    assert ends(overlap(THINKS), 1.4, text, THINKS) in (Act.FALSE, Act.BACKCHANNEL)


def test_words_that_the_vad_missed_count():
    floor = Interruption(InterruptionParams())
    assert floor.final_words(1.0, "wait", SPEAKS) is Act.TAKE
    assert floor.final_words(1.0, "hello", SILENT) is Act.TAKE
    assert floor.final_words(1.0, "", SILENT) is Act.NOTHING
