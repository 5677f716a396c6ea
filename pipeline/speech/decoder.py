"""Short-context decoding on CTranslate2: the audio and a few seconds of silence instead of Whisper's 30 s.

The encoder's cost grows with the window, so an utterance of 4 s takes a third of the time. CTranslate2 accepts
a shorter spectrogram; what ``transcribe()`` would catch by decoding again is caught by ``guard``. Measured on
26 recordings with ``base``: with 5 s of silence the errors equal the full window's but for clips that are
written twice, and those are retried with the full window; with less silence more of them fail.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.feature_extractor import FeatureExtractor
from faster_whisper.tokenizer import Tokenizer

from pipeline.speech.decoding import (
    FULL_WINDOW_S,
    SAMPLE_RATE,
    DecodeRequest,
    Decoding,
    Samples,
    Verdict,
    WordEnds,
)
from pipeline.speech.guard import Evidence, collapse_loops, is_loop, judge
from pipeline.speech.script import ChineseScript

Spectrogram = np.ndarray[Any, np.dtype[np.float32]]

# Tokens that the text of a recording may have: fast Mandarin has 8 a second.
TOKENS_AT_LEAST = 8
TOKENS_PER_SECOND = 8.0

# Longest prompt from the text before, in tokens.
PROMPT_TOKENS = 64

# Frames of 10 ms, two of which the encoder makes one.
FRAMES_PER_SECOND = 100
ENCODED_SECONDS = 0.02


class Decoder(Protocol):
    """Turns audio into words. Called in the engine's thread."""

    def decode(self, request: DecodeRequest) -> Decoding:
        """Decode once."""
        ...


class ShortContextDecoder:
    """Decodes with one loaded model; holds nothing of a conversation."""

    def __init__(self, model: WhisperModel, script: ChineseScript) -> None:
        """Wrap a model.

        Args:
            model: Loaded; multilingual or English only.
            script: Chinese characters are written in it.
        """
        self._model = model
        self._script = script
        self._tokenizers: dict[str, Tokenizer] = {}
        mels = model.model.n_mels
        matches = model.feature_extractor.mel_filters.shape[0] == mels
        self._features = model.feature_extractor if matches else FeatureExtractor(feature_size=mels)
        self._max_length = model.max_length

    @property
    def is_multilingual(self) -> bool:
        """Whether the model knows more than English."""
        return bool(self._model.model.is_multilingual)

    def decode(self, request: DecodeRequest) -> Decoding:
        """Decode once.

        Args:
            request: Audio and how to read it.

        Returns:
            The words and the guard's verdict on them.

        Raises:
            RuntimeError: The model failed.
        """
        full = request.window_s >= FULL_WINDOW_S
        encoded = self._model.encode(self.spectrogram(request.audio, request.window_s))
        language, probability = self._language(request, encoded)
        tokenizer = self._tokenizer(language)
        prompt = self._prompt(tokenizer, request)
        budget = TOKENS_AT_LEAST + int(TOKENS_PER_SECOND * request.seconds)
        result = self._model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            # CTranslate2 gives half of it to the answer, and less if the prompt leaves less.
            max_length=min(self._max_length, max(2 * budget, budget + len(prompt))),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = result.sequences_ids[0]
        avg_logprob = result.scores[0] * len(tokens) / (len(tokens) + 1) if tokens else 0.0
        raw = tokenizer.decode(tokens)
        looped = not full and is_loop(raw, capped=len(tokens) >= budget)
        verdict = judge(Evidence(raw, avg_logprob, result.no_speech_prob, looped))
        text = "" if verdict is Verdict.NO_SPEECH else self._script.convert(raw)
        shown = collapse_loops(text) if looped or full else text
        align = None
        if text and shown == text:
            align = partial(self._word_times, tokenizer, encoded, tokens, request.seconds, len(text))
        times = align() if align is not None and request.word_times else ()
        no_speech = result.no_speech_prob
        return Decoding(shown, verdict, language, probability, avg_logprob, no_speech, looped, times, align=align)

    def spectrogram(self, audio: Samples, window_s: float) -> Spectrogram:
        """The log-mel spectrogram of audio that is followed by digital silence.

        Args:
            audio: int16 mono at 16 kHz.
            window_s: Length of the result, seconds, at most 30.

        Returns:
            float32, shape (mel bands, frames of 10 ms), an even number of frames.
        """
        frames = int(window_s * FRAMES_PER_SECOND) // 2 * 2
        wave = audio[: int(window_s * SAMPLE_RATE)].astype(np.float32) / 32768.0
        heard = self._features(wave, padding=self._features.n_fft)[:, :frames]
        # The quietest that a frame can be: 80 dB below the loudest, or the floor of the logarithm.
        silence = max(float(heard.max()) - 2.0, -1.5) if heard.size else -1.5
        window = np.full((heard.shape[0], frames), silence, dtype=np.float32)
        window[:, : heard.shape[1]] = heard
        return window

    def _language(self, request: DecodeRequest, encoded: Any) -> tuple[str, float | None]:
        choice = request.language
        if not self.is_multilingual:
            return "en", None
        if not choice.detect:
            return choice.preferred or choice.candidates[0], None
        found = self._model.model.detect_language(encoded)[0]
        probabilities = {token[2:-2]: float(probability) for token, probability in found}
        language = choice.pick(probabilities)
        return language, probabilities.get(language, 0.0)

    def _tokenizer(self, language: str) -> Tokenizer:
        if language not in self._tokenizers:
            self._tokenizers[language] = Tokenizer(
                self._model.hf_tokenizer, self.is_multilingual, task="transcribe", language=language
            )
        return self._tokenizers[language]

    def _prompt(self, tokenizer: Tokenizer, request: DecodeRequest) -> list[int]:
        before = f" {request.prompt.strip()}" if request.prompt.strip() else ""
        tokens = tokenizer.encode(before)[-PROMPT_TOKENS:] if before else []
        # A greeting spells names better than a bare list does, and the last of them best.
        greeting = f" Hello {', '.join(reversed(request.names))}." if request.names else ""
        spelt = tokenizer.encode(greeting)[:PROMPT_TOKENS] if greeting else []
        return list(self._model.get_prompt(tokenizer, [*spelt, *tokens], without_timestamps=True))

    def _word_times(
        self, tokenizer: Tokenizer, encoded: Any, tokens: list[int], seconds: float, length: int
    ) -> WordEnds:
        """Word ends from the cross-attention, as (characters so far, seconds)."""
        alignment = self._model.model.align(
            encoded, tokenizer.sot_sequence, [tokens], max(1, int(seconds * FRAMES_PER_SECOND))
        )[0]
        begins: dict[int, float] = {}
        for token, frame in alignment.alignments:
            begins.setdefault(token, frame * ENCODED_SECONDS)
        words, word_tokens = tokenizer.split_to_word_tokens([*tokens, tokenizer.eot])
        characters = [len(word) for word in words[:-1]]
        scale = length / max(1, sum(characters))
        times: list[tuple[int, float]] = []
        index = count = 0
        for size, part in zip(characters, word_tokens, strict=False):
            index += len(part)
            count += size
            end = min(begins.get(index, seconds), seconds)
            times.append((round(count * scale), max(end, times[-1][1] if times else 0.0)))
        return tuple(times)
