"""What a similarity is worth: a query's vector compared with sentences that answer nothing.

Raw cosines have no meaning of their own: e5 gives 0.75 to sentences that have nothing in common, another model 0.1.
Two measurements on a few everyday sentences, made once per embedder, remove that:

* *Hubness*: some utterances are close to every question. What a query has in common with all questions is taken out of
  its vector, ``q - 0.6 * mean(generic questions)``, so that only what is particular to it counts.
* *Scale*: a similarity is expressed in standard deviations above the similarity of the same query to generic
  statements in the utterance's language (the s-norm of speaker verification: Kenny, "Bayesian Speaker Verification
  with Heavy-Tailed Priors", 2010). Answers then score above 2 in English and Mandarin alike, small talk below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory.embedder import Embedder
from memory.index.dense import DenseScores
from memory.index.rows import Bools
from memory.index.tokenise import holds_han

Floats = npt.NDArray[np.float32]

HUBNESS = np.float32(0.6)

QUESTIONS = {
    False: (
        "What is my name?",
        "Where do I live?",
        "When is it?",
        "What did I say?",
        "Who is that?",
        "Do I like it?",
        "How do I feel about that?",
        "What do I need?",
    ),
    True: (
        "我叫什么名字?",
        "我住在哪里?",
        "是什么时候?",
        "我说过什么?",
        "那是谁?",
        "我喜欢吗?",
        "我感觉怎么样?",
        "我需要什么?",
    ),
}
STATEMENTS = {
    False: (
        "I think that is fine.",
        "Let's do it tomorrow.",
        "I went there last week.",
        "It was really nice.",
        "My friend told me about it.",
        "I don't like that at all.",
        "She is coming over later.",
        "We had a good time together.",
        "I need to buy some things.",
        "He works a lot these days.",
        "The weather was bad.",
        "I am a bit tired today.",
        "That costs too much.",
        "I usually do it in the morning.",
        "There is something new in town.",
        "I have to call them back.",
    ),
    True: (
        "我觉得可以。",
        "我们明天再做吧。",
        "我上周去过那里。",
        "真的很不错。",
        "我朋友跟我说过。",
        "我一点也不喜欢。",
        "她晚点会过来。",
        "我们玩得很开心。",
        "我要买点东西。",
        "他最近工作很忙。",
        "天气不太好。",
        "我今天有点累。",
        "那个太贵了。",
        "我一般早上做。",
        "城里有了新东西。",
        "我得给他们回电话。",
    ),
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """Measurements of one embedder; keys are "holds Han characters".

    Attributes:
        questions: float32[dim], mean of the generic questions.
        statements: float32[n, dim], generic statements.
    """

    questions: dict[bool, Floats]
    statements: dict[bool, Floats]

    @classmethod
    def measure(cls, embedder: Embedder) -> Calibration:
        """Embed the generic sentences: 48 short ones, about 0.4 s on one core. Blocking."""
        questions = {
            han: np.stack([embedder.embed_query(text) for text in texts]).mean(axis=0)
            for han, texts in QUESTIONS.items()
        }
        return cls(questions, {han: embedder.embed_passages(texts) for han, texts in STATEMENTS.items()})

    def query(self, text: str, vector: Floats) -> Floats:
        """What is particular to a query: float32[dim], no longer of length 1."""
        return vector - HUBNESS * self.questions[holds_han(text)]

    def scores(self, query: Floats, raw: DenseScores, han: Bools) -> DenseScores:
        """Similarities in standard deviations above those of generic statements.

        Args:
            query: As :meth:`query` gives it.
            raw: Its similarities.
            han: bool[n], whether the row is written with Han characters.
        """
        generic = {language: statements @ query for language, statements in self.statements.items()}
        mean = np.where(han, generic[True].mean(), generic[False].mean()).astype(np.float32)
        spread = np.where(han, generic[True].std(), generic[False].std()).astype(np.float32) + np.float32(1e-6)
        return DenseScores((raw.own - mean) / spread, (raw.smoothed - mean) / spread, raw.known)
