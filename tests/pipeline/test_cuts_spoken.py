"""What counts as heard of a cut reply, against what a recogniser hears in the recording: real voices, real ears."""

from __future__ import annotations

import os
from difflib import SequenceMatcher

import numpy as np
import pytest

from pipeline.conversation import INPUT_RATE
from pipeline.settings import load_settings
from pipeline.speech.voices import load_voice
from pipeline.weights import Weights
from processors.tokens import tokens
from tests.pipeline.test_conversation import agent_channel
from tests.pipeline.test_cuts import begins, cut_everywhere

pytestmark = pytest.mark.weights

# Seconds between cuts: 0.1 takes minutes.
STEP_S = float(os.environ.get("CUT_STEP_S", "0.6"))


def words_covered(transcript: str, reply: str) -> int:
    """How many tokens of the reply a transcript reaches; what a recogniser adds on its own account counts nothing."""
    blocks = SequenceMatcher(None, tokens(transcript), tokens(reply), autojunk=False).get_matching_blocks()
    return max((block.b + block.size for block in blocks if block.size), default=0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_counts_as_heard_is_what_a_listener_hears(tmp_path, weights, language):
    from faster_whisper import WhisperModel

    settings = load_settings(None, [f"agent.language={language}"], environ={})
    weights("piper-en-joe")
    voice = load_voice(settings, Weights(load_settings().weights))
    listener = WhisperModel(str(weights("whisper-base")), compute_type="int8", cpu_threads=2)
    lines, _, _ = cut_everywhere(tmp_path, language, voice, STEP_S)
    channel = agent_channel(tmp_path / "cuts")
    off = []
    for number, line in enumerate(lines[:-1]):
        start = int((begins(line) - 0.1) * INPUT_RATE)
        end = int((begins(lines[number + 1]) - 0.1) * INPUT_RATE)
        heard = np.pad(channel[start:end].astype(np.float32) / 32768, (0, INPUT_RATE))
        options = {"beam_size": 5, "temperature": 0.0, "condition_on_previous_text": False}
        segments, _ = listener.transcribe(heard, language=language, **options)
        transcript = "".join(segment.text for segment in segments)
        wrong = words_covered(transcript, line["reply_text"]) - len(tokens(line["heard_text"]))
        off.append(wrong)
        print(f"{wrong:+d} {line['heard_text']!r} ~ {transcript!r}")
    strictly = sum(abs(wrong) <= 1 for wrong in off) / len(off)
    # The word that is cut does not count as heard; a recogniser guesses it from its beginning.
    within = sum(-1 <= wrong <= 2 for wrong in off) / len(off)
    print(f"{language}: {strictly:.0%} of {len(off)} cuts within one word, {within:.0%} beside the one that is cut")
    assert within >= 0.95
