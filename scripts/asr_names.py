"""Sentences with rare names, spoken by the test voices, for measuring what knowing the names is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soxr

from memory.errors import UserError
from pipeline.settings import Settings
from pipeline.speech.decoding import SAMPLE_RATE, Samples
from pipeline.speech.voices import load_voice
from pipeline.weights import Weights

NAMES = {
    "en": (
        "Siobhan Katarzyna Oyelaran Thibault Xiomara Wojciech Aoife Priyanka Matsuoka Elowen Anneliese Ljubljana "
        "Rzeszow Schwerin Veltrani Brynhild Okonkwo Saoirse Tadhg Quispe Zbigniew Mirela Ottoline Kjartan Dragomir "
        "Ngozi Leocadia Ferreira Bhattacharya Hovhannes"
    ).split(),
    "zh": (
        "欧阳靖雯 司马昊然 慕容雪 尉迟琳 上官婉晴 诸葛明远 皇甫嵩 令狐冲霄 端木磊 夏侯渊博 闫若曦 翟梓萱 邸浩宇 晁子墨 "
        "亓官辰 佟沐阳 仝丽娜 冼秋怡 覃俊杰 郗建军"
    ).split(),
}

SENTENCES = {
    "en": (
        "My colleague {} is coming tomorrow.",
        "I want to call {} this evening.",
        "Please send the report to {} before noon.",
        "Yesterday I met {} at the station.",
        "Can you remind me what {} said about the budget?",
    ),
    "zh": (
        "我想给{}打个电话。",
        "明天{}要来我们公司。",
        "请把报告发给{}。",
        "昨天我在车站碰到了{}。",
        "{}说预算不够了。",
    ),
}

SILENCE_S = 1.0


@dataclass(frozen=True)
class SpokenName:
    """A sentence with a name in it."""

    name: str
    language: str
    text: str
    audio: Samples


def spoken_names() -> Iterator[SpokenName]:
    """Every name in two sentences.

    Yields:
        With a second of silence behind each; nothing for a language whose voice is not there.
    """
    for language, names in NAMES.items():
        settings = Settings.model_validate({"agent": {"language": language}, "asr": {"language": language}})
        try:
            voice = load_voice(settings, Weights(settings.weights))
        except UserError:
            continue
        for number, name in enumerate(names):
            for step in (0, 2):
                text = SENTENCES[language][(number + step) % 5].format(name)
                spoken = np.concatenate([chunk.audio for chunk in voice.synthesize(text)])
                audio = soxr.resample(spoken, voice.sample_rate, SAMPLE_RATE)
                silence = np.zeros(int(SILENCE_S * SAMPLE_RATE), dtype=np.int16)
                yield SpokenName(name, language, text, np.concatenate([audio, silence]))
