"""Who has the floor, in whole conversations in lock-step: real pipeline, scripted ears, model and voice."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.conversation import INPUT_RATE
from processors.spoken_words import join_speech
from tests.fakes.scripted import ScriptedModels, Speech
from tests.pipeline.test_conversation import LONG_REPLY, agent_channel, play

MANDARIN_REPLY = "好的，我马上帮你找一间明天上午空着的会议室，然后告诉你整栋楼里还有哪些房间可以用。"
FIRST = Speech(0.5, 2.0, "Find me a room.")
# The reply to FIRST is heard from here on, seconds.
REPLY_AT = 3.0


def overlap(folder: Path, *speeches: Speech, reply: str = LONG_REPLY, then: str = "All right.") -> list[dict]:
    models = ScriptedModels([FIRST, *speeches], [reply, then])
    lines = play(folder, models, max(speech.end for speech in speeches) + 2.0, "llm.base_url=http://localhost:1")
    for number, line in enumerate(lines):
        line["prompt"] = json.dumps(
            models.model.prompts[min(number, len(models.model.prompts) - 1)], ensure_ascii=False
        )
    return lines


def kinds(line: dict) -> list[str]:
    return [event["kind"] for event in line["timeline"]]


def event(line: dict, kind: str) -> dict:
    return next(event for event in line["timeline"] if event["kind"] == kind)


def silent_stretches(folder: Path, start: float) -> list[tuple[float, float]]:
    """Where the agent's channel is silent between sounds from ``start`` on: (from, seconds)."""
    loud = np.flatnonzero(np.abs(agent_channel(folder)[int(start * INPUT_RATE) :]) > 100)
    gaps = np.flatnonzero(np.diff(loud) > INPUT_RATE // 10)
    return [(start + loud[g] / INPUT_RATE, (loud[g + 1] - loud[g]) / INPUT_RATE) for g in gaps]


@pytest.mark.parametrize("reply", [LONG_REPLY, MANDARIN_REPLY])
@pytest.mark.parametrize("words", ["", "Mm-hmm.", "yeah, right", "嗯嗯", "好的。"])
def test_a_cough_or_a_backchannel_lets_the_reply_go_on_where_it_stopped(tmp_path, reply, words):
    (line,) = overlap(tmp_path, Speech(4.5, 5.0, words), reply=reply)
    assert line["interrupted"] is False
    assert line["heard_text"] == line["reply_text"] == reply
    assert line["user_text"] == FIRST.text
    assert [said["text"] for said in line["backchannels"]] == ([words] if words else [])
    ((at, seconds),) = silent_stretches(tmp_path, REPLY_AT)
    assert at - 4.5 < 0.35, "the agent falls silent soon after the user's onset"
    assert seconds < 1.0


def test_nothing_that_was_to_be_said_is_lost_or_said_twice(tmp_path):
    overlap(tmp_path / "cough", Speech(4.5, 5.0, ""))
    overlap(tmp_path / "none", Speech(20.0, 20.1, ""))
    coughed, smooth = (agent_channel(tmp_path / name) for name in ("cough", "none"))
    assert np.count_nonzero(coughed[: 19 * INPUT_RATE]) == np.count_nonzero(smooth[: 19 * INPUT_RATE])


def test_a_noise_that_goes_on_silences_the_agent_for_a_second_at_most(tmp_path):
    (line,) = overlap(tmp_path, Speech(4.5, 8.5, ""))
    assert line["heard_text"] == LONG_REPLY
    ((_, seconds),) = silent_stretches(tmp_path, REPLY_AT)
    assert 0.9 < seconds < 1.1


@pytest.mark.parametrize("words", ["Wait.", "No, not that one.", "等等", "不要 那间", "Stop"])
def test_an_interruption_cuts_and_the_next_prompt_says_what_was_not_heard(tmp_path, words):
    first, second = overlap(tmp_path, Speech(4.5, 5.2, words))
    assert first["interrupted"] is True
    assert first["heard_text"] and LONG_REPLY.startswith(first["heard_text"])
    assert second["user_text"] == words
    assert second["reply_text"] == "All right."
    unheard = LONG_REPLY[len(first["heard_text"]) :].strip()
    assert first["heard_text"] in second["prompt"]
    assert unheard in second["prompt"]
    assert event(first, "agent_paused")["t"] - 4.5 < 0.3
    assert second["latency_ms"]["voice_to_voice"] > 0


def test_a_backchannel_that_turns_into_speech_interrupts(tmp_path):
    first, second = overlap(tmp_path, Speech(4.5, 6.0, "Yeah but not tomorrow please"))
    assert first["interrupted"] is True
    assert second["user_text"] == "Yeah but not tomorrow please"


def words_played(line: dict) -> list[tuple[float, str]]:
    return [(event["t"], event["word"]) for event in line["timeline"] if event["kind"] == "agent_word"]


def said_again(line: dict, first: int, last: int, lag_s: float) -> Speech:
    """The agent's words of those numbers, so much later."""
    played = words_played(line)
    gap = "" if line["reply_text"] == MANDARIN_REPLY else " "
    return Speech(
        played[first - 1][0] + lag_s, played[last][0] + lag_s, gap.join(w for _, w in played[first : last + 1])
    )


@pytest.mark.parametrize(
    ("reply", "begins", "goes_on"), [(LONG_REPLY, "Sure, I", (8, 14)), (MANDARIN_REPLY, "好的，我", (12, 22))]
)
def test_the_agents_own_echo_is_nobodys_turn(tmp_path, reply, begins, goes_on):
    # The reply falls silent for the first echo; from then on it plays on and its words decide.
    echo = Speech(REPLY_AT + 0.1, REPLY_AT + 0.7, begins)
    (line,) = overlap(tmp_path / "first", echo, Speech(14.0, 14.1, ""), reply=reply)
    again = said_again(line, *goes_on, lag_s=0.2)
    (line,) = overlap(tmp_path / "second", echo, again, Speech(14.0, 14.1, ""), reply=reply)
    assert (line["interrupted"], line["heard_text"], line["user_text"]) == (False, reply, FIRST.text)
    assert line["backchannels"] == []
    assert [kind for kind in kinds(line) if kind == "agent_paused"] == ["agent_paused"]


@pytest.mark.parametrize(("reply", "chosen"), [(LONG_REPLY, (6, 8)), (MANDARIN_REPLY, (13, 19))])
def test_somebody_who_chooses_in_the_agents_words_while_it_goes_on_has_a_turn(tmp_path, reply, chosen):
    (line,) = overlap(tmp_path / "alone", Speech(14.0, 14.1, ""), reply=reply)
    choice = said_again(line, *chosen, lag_s=1.6)
    first, second = overlap(tmp_path / "chosen", choice, reply=reply)
    assert (first["interrupted"], second["user_text"]) == (True, choice.text)


def test_somebody_who_repeats_the_agent_after_the_reply_has_a_turn(tmp_path):
    _, second = overlap(tmp_path, Speech(10.0, 11.0, "in the whole building"))
    assert second["user_text"] == "in the whole building"


def test_a_short_word_is_answered_after_the_reply(tmp_path):
    first, second = overlap(tmp_path, Speech(4.5, 4.9, "Monday."), Speech(10.9, 11.0, ""))
    assert (first["interrupted"], first["heard_text"]) == (False, LONG_REPLY)
    assert (second["user_text"], second["reply_text"]) == ("Monday.", "All right.")


@pytest.mark.parametrize(
    ("reply", "answer"), [("It is free. Shall I book it for you?", "Yes."), ("那间有空。要我帮你预订吗？", "好的")]
)
def test_yes_into_the_last_words_of_a_question_is_an_answer(tmp_path, reply, answer):
    first, _ = overlap(tmp_path / "whole", Speech(20.0, 20.1, ""), reply=reply), None
    end = event(first[0], "agent_speech_stop")["t"]
    lines = overlap(tmp_path / "yes", Speech(end - 0.3, end + 0.2, answer), Speech(end + 4, end + 4.1, ""), reply=reply)
    assert [line["user_text"] for line in lines] == [FIRST.text, answer]
    assert (lines[0]["heard_text"], lines[1]["reply_text"]) == (reply, "All right.")


@pytest.mark.parametrize("words", ["", "mhm", "嗯"])
@pytest.mark.parametrize("after", [0.45, 0.7, 1.1])
def test_a_cough_while_the_agent_thinks_does_not_cost_the_reply(tmp_path, words, after):
    models = ScriptedModels([FIRST, Speech(2.0 + after, 2.4 + after, words)], ["Sure, at ten.", "Never."])
    models.model._token_s = 0.4
    (line,) = play(tmp_path, models, 8.0, "llm.base_url=http://localhost:1")
    assert (line["user_text"], line["reply_text"]) == (FIRST.text, "Sure, at ten.")
    assert line["heard_text"] == "Sure, at ten."
    assert len(models.model.prompts) == 1


def test_partial_words_that_were_none_in_the_end_do_not_cost_the_reply(tmp_path):
    """They drop the reply that nobody has heard; the turn before is answered after all."""
    models = ScriptedModels([FIRST, Speech(2.5, 3.6, "Thanks for watching", is_speech=False)], ["Lost.", "At ten."])
    models.model._token_s = 0.8
    (line,) = play(tmp_path, models, 8.0, "llm.base_url=http://localhost:1")
    assert (line["user_text"], line["reply_text"]) == (FIRST.text, "At ten.")


@pytest.mark.parametrize(
    ("one", "two", "joined"),
    [
        ("Find me a room.", "For tomorrow.", "Find me a room. For tomorrow."),
        ("帮我找一间会议室。", "要明天的。", "帮我找一间会议室。要明天的。"),
        ("帮我订 Blue Room", "明天上午", "帮我订 Blue Room 明天上午"),
    ],
)
def test_a_turn_that_was_closed_too_early_goes_on(tmp_path, one, two, joined):
    models = ScriptedModels([Speech(0.5, 1.5, one), Speech(2.2, 3.2, two)], ["Nobody hears this.", "Good."])
    models.model._token_s = 0.3
    (line,) = play(tmp_path, models, 5.0, "llm.base_url=http://localhost:1")
    assert line["user_text"].replace(" 明天", "明天") == joined.replace(" 明天", "明天")
    assert (line["reply_text"], line["heard_text"], line["interrupted"]) == ("Good.", "Good.", False)
    assert "Nobody hears" not in json.dumps(models.model.prompts)
    assert "Nobody hears" not in json.dumps(line)


def test_a_pause_within_a_turn_is_one_turn(tmp_path):
    speeches = [Speech(0.5, 1.5, "Find me a room"), Speech(2.2, 3.2, "for tomorrow at ten.")]
    models = ScriptedModels(speeches, ["Good."])
    (line,) = play(tmp_path, models, 5.0, "turn.silence_s=0.9", "llm.base_url=http://localhost:1")
    assert line["user_text"] == "Find me a room for tomorrow at ten."
    assert len(models.model.prompts) == 1


@pytest.mark.parametrize(("wait", "more"), [("Wait.", "make it two o'clock"), ("等一下", "改成下午两点")])
def test_who_says_wait_is_waited_for(tmp_path, wait, more):
    first, second = overlap(tmp_path, Speech(4.5, 5.0, wait), Speech(6.3, 7.5, more))
    assert first["interrupted"] is True
    assert second["user_text"] == join_speech([wait, more])
    assert second["reply_text"] == "All right."
