"""A reply that is cut every 100 ms: what counts as heard is what was played, and the state knows of no promise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.conversation import INPUT_RATE
from pipeline.settings import Settings
from pipeline.speech.silent import SilentVoice
from pipeline.speech.tts import VoiceTTSService
from pipeline.speech.voice import SpokenChunk, Voice
from processors.spoken_words import join_words
from tests.fakes.scripted import ScriptedModels, Speech
from tests.pipeline.test_conversation import agent_channel, play

REPLIES = {
    "en": "Sure, I will look for a free room and tell you what I can find.",
    "zh": "好的，我马上帮你找一间明天上午空着的会议室。",
}
CUT_IN = {"en": "Wait, not that one.", "zh": "等等 不要那间"}
STEP_S = 0.1
SPEECH_S = 1.0
# The last words of a block of 40 ms count when the block has been played.
BLOCK = INPUT_RATE // 25


class NumberedVoice(SilentVoice):
    """Says every word of a clause at an amplitude of its own: what was played can be read off the recording."""

    def __init__(self) -> None:
        super().__init__(sample_rate=INPUT_RATE)
        self.lengths: dict[int, tuple[str, int]] = {}
        self._seen: dict[tuple[str, int], int] = {}

    def synthesize(self, text: str):
        for chunk in super().synthesize(text):
            audio = np.zeros(len(chunk.audio), dtype=np.int16)
            for position, word in enumerate(chunk.words):
                number = self._seen.setdefault((text, position), len(self._seen))
                level = 1000 + 50 * number
                audio[word.start : word.end] = level
                self.lengths[level] = (word.text, word.end - word.start)
            yield SpokenChunk(audio, chunk.words, chunk.exact)


class Models(ScriptedModels):
    """Scripted ears and a scripted model, with a voice of the test's own."""

    def __init__(self, speeches: list[Speech], answers: list[str], voice: Voice | None = None) -> None:
        super().__init__(speeches, answers)
        self.voice: Any = voice or NumberedVoice()

    def speaking_part(self, settings: Settings) -> VoiceTTSService:
        return VoiceTTSService(self.voice, first_clause_chars=settings.tts.first_clause_chars)


@dataclass(frozen=True)
class Played:
    """What the recording holds of one reply.

    Attributes:
        surely: The words of which all was played, and a block after them.
        whole: The words of which all was played.
    """

    surely: str
    whole: str


def played(channel: np.ndarray, start: float, end: float, voice: NumberedVoice) -> Played:
    part = channel[round(start * INPUT_RATE) : round(end * INPUT_RATE)]
    part = part[part != 0]
    surely, whole, passed = [], [], 0
    while passed < len(part):
        text, length = voice.lengths[int(part[passed])]
        passed += length
        if passed <= len(part):
            whole.append(text)
        if passed + BLOCK <= len(part):
            surely.append(text)
    return Played(join_words(surely), join_words(whole))


def answer(reply: str, number: int) -> str:
    return json.dumps({"reply": reply, "state_update": {"task": f"promise {number}"}}, ensure_ascii=False)


def begins(line: dict) -> float:
    return next(event["t"] for event in line["timeline"] if event["kind"] == "agent_speech_start")


def cut_everywhere(
    folder: Path, language: str, voice: Voice | None = None, step_s: float = STEP_S
) -> tuple[list[dict], list[float], Models]:
    """One conversation in which each reply is cut ``step_s`` later than the one before."""
    reply, words = REPLIES[language], CUT_IN[language]
    json_format = ("llm.base_url=http://localhost:1", "llm.reply_format=json", f"agent.language={language}")
    probe = Models([Speech(0.5, 0.5 + SPEECH_S, words)], [answer(reply, 0)], voice)
    (line,) = play(folder / "probe", probe, 2.0, *json_format)
    delay = begins(line) - 0.5 - SPEECH_S
    seconds = next(e["t"] for e in line["timeline"] if e["kind"] == "agent_speech_stop") - begins(line)
    speeches, cuts, at = [Speech(0.5, 0.5 + SPEECH_S, words)], [], 0.5 + SPEECH_S + delay
    for number in range(1, int(seconds / step_s)):
        onset = at + number * step_s
        cuts.append(onset)
        speeches.append(Speech(onset, onset + SPEECH_S, words))
        at = onset + SPEECH_S + delay
    models = Models(speeches, [answer(reply, number) for number in range(len(speeches))], voice)
    return play(folder / "cuts", models, at + 1.0, *json_format), cuts, models


@dataclass(frozen=True)
class Cut:
    """A conversation in which each reply is cut 100 ms later than the one before."""

    language: str
    lines: list[dict]
    cuts: list[float]
    models: Models
    channel: np.ndarray


@pytest.fixture(scope="module", params=["en", "zh"])
def cut(request, tmp_path_factory) -> Cut:
    folder = tmp_path_factory.mktemp("cuts")
    lines, cuts, models = cut_everywhere(folder, request.param)
    return Cut(request.param, lines, cuts, models, agent_channel(folder / "cuts"))


def test_what_counts_as_heard_is_what_was_played(cut):
    lines, cuts, models, channel = cut.lines, cut.cuts, cut.models, cut.channel
    assert len(lines) == len(cuts) + 1
    assert len(cuts) > 25
    for number, (line, onset) in enumerate(zip(lines, cuts, strict=False)):
        start = begins(line)
        assert onset - start == pytest.approx((number + 1) * STEP_S, abs=0.03)
        heard = line["heard_text"]
        said = played(channel, start, begins(lines[number + 1]) - 0.02, models.voice)
        assert said.whole.startswith(heard) and heard.startswith(said.surely), f"cut at {onset - start:.2f} s"
        assert line["interrupted"] is (heard != REPLIES[cut.language])
        assert line["reply_text"].startswith(heard)
        assert line["heard_estimated"] is False
    silences = [
        event["t"] - onset
        for line, onset in zip(lines, cuts, strict=False)
        for event in line["timeline"]
        if event["kind"] == "agent_paused"
    ]
    assert max(silences) <= 0.25, "silent soon after the onset, at every moment of the reply"


def test_the_state_never_knows_of_what_was_cut_off(cut):
    lines, models = cut.lines, cut.models
    for number, line in enumerate(lines[:-1]):
        if line["interrupted"]:
            assert f"promise {number}" not in json.dumps(line["inner_state_after"])
            prompt = json.dumps(models.model.prompts[number + 1], ensure_ascii=False)
            assert f"promise {number}" not in prompt
            unheard = line["reply_text"][len(line["heard_text"]) :].strip()
            assert unheard and unheard in prompt
    assert lines[-1]["interrupted"] is False
    assert lines[-1]["inner_state_after"]["task"] == f"promise {len(lines) - 1}"
    versions = [line["inner_state_after"]["version"] for line in lines]
    assert versions == sorted(versions)
    assert [line["user_text"] for line in lines] == [CUT_IN[cut.language]] * len(lines)
