import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.nouns import Emotion, RecallReason, RecallResult
from processors.turn_tracker import TurnTracker


@pytest.fixture
def tracker():
    return make_tracker()


def make_tracker() -> TurnTracker:
    return TurnTracker(session_id="s", user_id="u", language="en", wall_time=lambda t: 1000.0 + t)


def user_says(tracker: TurnTracker, at: float, text: str) -> None:
    tracker.speech_started(at)
    tracker.interim(at + 0.3, text, "")
    tracker.speech_tail(at + 1.1)
    tracker.speech_stopped(at + 1.26, at + 1.0)
    tracker.final_words(at + 1.28, text, "en")
    tracker.turn_ended(at + 1.33, text)


def agent_begins(tracker: TurnTracker, at: float, reply: str) -> None:
    tracker.recalled(at, RecallResult(reason=RecallReason.EMPTY, ms=3.0))
    tracker.model_asked(at, "model")
    tracker.model_text(at + 0.1, reply)
    tracker.reply_arrived(at + 0.1)
    tracker.voice_audio(at + 0.2)
    tracker.audible(at + 0.25)


def test_a_turn_from_speech_to_the_end_of_the_reply(tracker):
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    for word in ("Sure,", "one", "moment."):
        tracker.word_played(2.5, word)
    turn = tracker.reply_ended(3.0)
    assert turn is not None
    assert (turn.user_text, turn.reply_text, turn.heard_text) == (
        "Find me a room.",
        "Sure, one moment.",
        "Sure, one moment.",
    )
    assert not turn.interrupted
    latency = turn.latency
    assert latency.speech_end_to_vad_stop == pytest.approx(260)
    assert latency.asr_final == pytest.approx(20)
    assert latency.turn_decision == pytest.approx(70)
    assert latency.llm_first_token == pytest.approx(100)
    assert latency.tts_first_audio == pytest.approx(100)
    assert latency.voice_to_voice == pytest.approx(750)
    assert turn.started_at == 1000.5
    kinds = [event["kind"] for event in turn.timeline]
    assert kinds[0] == "user_speech_start"
    assert kinds.index("speech_tail") < kinds.index("vad_stop") < kinds.index("recall") < kinds.index("agent_word")
    assert tracker.is_settled


def test_a_barge_in_keeps_exactly_what_was_heard(tracker):
    user_says(tracker, 0.0, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, I will look for a room.")
    for word in ("Sure,", "I", "will"):
        tracker.word_played(2.5, word)
    tracker.speech_started(2.9)
    turn = tracker.barged_in(2.9)
    assert turn is not None
    assert turn.interrupted
    assert turn.heard_text == "Sure, I will"
    assert turn.reply_text == "Sure, I will look for a room."
    assert tracker.cut_off == ("Sure, I will", "look for a room.")
    tracker.speech_stopped(3.5, 3.3)
    tracker.final_words(3.5, "Wait.")
    following = tracker.turn_ended(3.6, "Wait.")
    assert following.turn_id == 2
    assert following.timeline[0]["kind"] == "user_speech_start"
    assert following.started_at == 1002.9


def test_a_reply_cut_before_its_first_sample_leaves_no_trace(tracker):
    user_says(tracker, 0.0, "Find me a room.")
    tracker.model_asked(2.0, "model")
    tracker.model_text(2.1, "Sure, I will")
    tracker.speech_started(2.2)
    assert tracker.barged_in(2.2) is None
    tracker.model_text(2.3, " look")
    tracker.speech_stopped(3.0, 2.9)
    tracker.final_words(3.0, "for tomorrow.")
    turn = tracker.turn_ended(3.1, "for tomorrow.")
    assert turn.turn_id == 1
    assert turn.user_text == "Find me a room for tomorrow."
    agent_begins(tracker, 3.2, "Tomorrow, then.")
    for word in ("Tomorrow,", "then."):
        tracker.word_played(3.6, word)
    closed = tracker.reply_ended(4.0)
    assert closed is not None
    assert closed.llm_response == closed.reply_text == closed.heard_text == "Tomorrow, then."


def test_the_end_of_a_dropped_reply_does_not_end_the_next_one(tracker):
    user_says(tracker, 0.0, "Find me a room.")
    tracker.model_asked(2.0, "model")
    tracker.reply_arrived(2.1)
    tracker.barged_in(2.2)
    tracker.turn_ended(2.3, "For tomorrow.")
    tracker.model_asked(2.4, "model")
    assert tracker.reply_ended(2.45) is None
    tracker.reply_arrived(2.5)
    assert tracker.reply_ended(2.6) is not None


def test_a_cut_after_the_last_word_is_no_interruption(tracker):
    user_says(tracker, 0.0, "Hello.")
    agent_begins(tracker, 2.0, "Hello.")
    tracker.word_played(2.5, "Hello.")
    turn = tracker.barged_in(2.6)
    assert turn is not None
    assert not turn.interrupted


def test_the_end_of_the_conversation_keeps_an_open_turn(tracker):
    user_says(tracker, 0.0, "Hello.")
    turn = tracker.finish(1.5)
    assert turn is not None
    assert turn.user_text == "Hello."
    assert turn.heard_text == ""
    assert turn.reply_text == ""
    assert tracker.finish(1.6) is None


def test_a_cough_makes_no_turn(tracker):
    tracker.speech_started(0.0)
    tracker.speech_stopped(0.5, 0.3)
    assert tracker.turn is None
    assert tracker.barged_in(0.6) is None


def test_coughs_for_hours_do_not_pile_up(tracker):
    for second in range(5000):
        tracker.speech_started(float(second))
        tracker.speech_stopped(second + 0.5, second + 0.3)
    turn = tracker.turn_ended(5001.0, "Hello.")
    assert len(turn.timeline) < 100


def test_state_changes_are_the_update(tracker):
    user_says(tracker, 0.0, "Tomorrow at ten.")
    tracker.understood(
        before={"version": 1, "facts": {}}, after={"version": 2, "facts": {"date": "2026-03-11"}}, emotion=Emotion()
    )
    turn = tracker.finish(2.0)
    assert turn is not None
    assert turn.state_update == {"facts": {"date": "2026-03-11"}}


def test_the_reply_is_what_of_the_answer_is_spoken(tracker):
    user_says(tracker, 0.0, "Hello.")
    tracker.model_asked(2.0, "model")
    tracker.model_text(2.1, '{"reply": "', reply="")
    tracker.model_text(2.2, "Hi\\u0020there", reply="Hi there")
    tracker.model_text(2.3, '"}', reply="")
    tracker.reply_arrived(2.3)
    tracker.audible(2.4)
    tracker.word_played(2.5, "Hi")
    turn = tracker.barged_in(2.6)
    assert turn is not None
    assert turn.llm_response == '{"reply": "Hi\\u0020there"}'
    assert (turn.reply_text, turn.heard_text, turn.interrupted) == ("Hi there", "Hi", True)


def test_a_proposal_stands_in_the_record_of_its_turn(tracker):
    user_says(tracker, 0.0, "Tomorrow at ten.")
    tracker.understood(before={"version": 1}, after={"version": 2, "facts": {"time": "10:00"}}, emotion=Emotion())
    agent_begins(tracker, 2.0, "All right.")
    tracker.proposed({"task": "find a room"})
    turn = tracker.reply_ended(3.0)
    assert turn is not None
    assert turn.to_json()["state_update"] == turn.proposed_update == {"task": "find a room"}
    user_says(tracker, 4.0, "At eleven.")
    agent_begins(tracker, 5.0, "All right.")
    following = tracker.reply_ended(6.0)
    assert following is not None
    assert following.state_update == {}


def test_the_proposal_of_a_dropped_reply_is_dropped(tracker):
    user_says(tracker, 0.0, "Find me a room.")
    tracker.proposed({"task": "too early"})
    tracker.model_asked(2.0, "model")
    assert tracker.reply_is_due
    tracker.proposed({"task": "find a room"})
    tracker.barged_in(2.1)
    assert not tracker.reply_is_due
    tracker.proposed({"task": "too late"})
    turn = tracker.finish(3.0)
    assert turn is not None
    assert turn.proposed_update is None
    assert turn.state_update == {}


def test_a_line_has_every_field_of_the_contract(tracker):
    user_says(tracker, 0.0, "Hello.")
    turn = tracker.finish(2.0)
    assert turn is not None
    line = json.loads(json.dumps(turn.to_json()))
    fields = (
        "session_id turn_id user_id started_at language user_text emotion inner_state_before recalled recall "
        "llm_response state_update tool_calls inner_state_after reply_text heard_text interrupted latency_ms"
    )
    for key in fields.split():
        assert key in line
    assert set(line["latency_ms"]) >= {
        "speech_end_to_vad_stop",
        "asr_final",
        "turn_decision",
        "recall",
        "llm_first_token",
        "tts_first_audio",
        "voice_to_voice",
    }


_STEPS = st.sampled_from(
    ["user", "ask", "arrive", "text", "json", "propose", "audio", "word", "end", "barge", "cough", "fail"]
)


@given(st.lists(_STEPS, max_size=60))
def test_in_any_order_heard_is_a_prefix_of_the_reply(steps):
    tracker = make_tracker()
    closed = []
    tracker.on_closed.append(closed.append)
    words: list[str] = []
    proposals = 0
    for index, step in enumerate(steps):
        at = float(index)
        match step:
            case "user":
                user_says(tracker, at, f"say {index}")
            case "ask":
                tracker.model_asked(at, "m")
                words = []
            case "arrive":
                tracker.reply_arrived(at)
            case "text":
                tracker.model_text(at, ("" if not words else " ") + f"w{index}")
                if tracker.turn is not None and tracker.reply_is_due:
                    words.append(f"w{index}")
            case "json":
                tracker.model_text(at, '{"reply": "', reply="")
            case "propose":
                proposals += tracker.turn is not None and tracker.reply_is_due
                tracker.proposed({"task": str(index)})
            case "audio":
                tracker.voice_audio(at)
                tracker.audible(at)
            case "word":
                spoken = len(tracker.reply.heard.split())
                if tracker.turn is not None and tracker.reply_is_due and spoken < len(words):
                    tracker.word_played(at, words[spoken])
            case "end":
                tracker.reply_ended(at)
            case "barge":
                tracker.barged_in(at)
            case "cough":
                tracker.speech_started(at)
                tracker.speech_stopped(at, at)
            case "fail":
                tracker.failed(at, "llm", "timeout", "late")
    tracker.finish(len(steps) + 1.0)
    assert [turn.turn_id for turn in closed] == list(range(1, len(closed) + 1))
    for turn in closed:
        assert turn.reply_text.split()[: len(turn.heard_text.split())] == turn.heard_text.split()
        if turn.interrupted:
            assert len(turn.heard_text.split()) < len(turn.reply_text.split())
        assert "reply" not in turn.reply_text
    assert sum(turn.proposed_update is not None for turn in closed) <= proposals


def test_words_find_their_turn_by_their_time(tracker):
    tracker.speech_started(0.5)
    tracker.user_words([("Find", 0.6, 0.8), ("me", 0.8, 0.9)])
    turn = tracker.turn_ended(1.8, "Find me")
    tracker.user_words([("a", 0.9, 1.0)])
    assert [word for word, _, _ in turn.user_words] == ["Find", "me", "a"]
    agent_begins(tracker, 2.0, "Sure.")
    closed = tracker.reply_ended(3.0)
    assert closed is turn
    # Late ones of the turn that has closed are not the next one's.
    tracker.user_words([("room", 1.0, 1.2), ("Thanks", 3.5, 3.9)])
    after = tracker.turn_ended(4.5, "Thanks")
    assert after.user_words == [("Thanks", 3.5, 3.9)]
    assert turn.to_json()["user_words"] == [["Find", 0.6, 0.8], ["me", 0.8, 0.9], ["a", 0.9, 1.0]]


def test_a_turn_that_goes_on_when_the_first_syllable_of_its_reply_is_heard_is_one_turn(tracker):
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    tracker.proposed({"task": "x"})
    tracker.speech_started(2.4, onset=2.2)
    assert tracker.barged_in(2.4) is None
    tracker.final_words(3.0, "For tomorrow.")
    turn = tracker.turn_ended(3.3, "For tomorrow.")
    assert turn.user_text == "Find me a room. For tomorrow."
    assert (turn.llm_response, turn.proposed_update) == ("", None)
    agent_begins(tracker, 3.5, "Tomorrow, then.")
    tracker.word_played(4.0, "Tomorrow,")
    closed = tracker.barged_in(4.2)
    assert closed is turn
    assert (closed.heard_text, closed.interrupted) == ("Tomorrow,", True)


@pytest.mark.parametrize(("onset", "words"), [(2.35, []), (2.2, ["Sure,"])])
def test_who_speaks_after_the_reply_began_interrupts_it(tracker, onset, words):
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    tracker.speech_started(onset + 0.2, onset=onset)
    for word in words:
        tracker.word_played(2.6, word)
    closed = tracker.barged_in(2.7)
    assert closed is not None
    assert (closed.interrupted, closed.heard_text) == (True, " ".join(words))


def test_what_was_said_beside_the_reply_is_kept_with_its_turn(tracker):
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    tracker.backchannel(2.5, "Mm-hmm.")
    turn = tracker.reply_ended(3.0)
    assert turn.to_json()["backchannels"] == [{"t": 2.5, "text": "Mm-hmm."}]


def test_a_voice_without_times_of_its_words_is_marked(tracker):
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    tracker.word_played(2.5, "Sure,", "Sure,", is_exact=False)
    turn = tracker.barged_in(3.0)
    assert (turn.heard_text, turn.heard_estimated, turn.to_json()["heard_estimated"]) == ("Sure,", True, True)


def test_speech_while_the_agent_thinks_does_not_shorten_the_delay(tracker):
    user_says(tracker, 0.5, "Find me a room.")
    tracker.model_asked(2.0, "model")
    tracker.model_text(2.1, "Sure.")
    tracker.speech_started(2.2, onset=2.0)
    tracker.speech_stopped(2.6, 2.4)
    tracker.audible(2.8)
    assert tracker.turn.latency.voice_to_voice == pytest.approx(1300)


def test_the_delay_after_a_barge_in_counts_from_the_speech_that_barged_in(tracker):
    """Its words may take the floor when they are final: after the VAD's stop."""
    user_says(tracker, 0.5, "Find me a room.")
    agent_begins(tracker, 2.0, "Sure, one moment.")
    tracker.word_played(2.5, "Sure,")
    tracker.speech_started(3.0, onset=2.8)
    tracker.speech_stopped(3.5, 3.3)
    tracker.final_words(3.55, "Stop.")
    tracker.barged_in(3.55)
    turn = tracker.turn_ended(3.9, "Stop.")
    assert turn.latency.speech_end_to_vad_stop == pytest.approx(200)
    tracker.model_asked(4.0, "model")
    tracker.audible(4.3)
    assert turn.latency.voice_to_voice == pytest.approx(1000)
