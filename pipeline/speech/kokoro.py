"""A Mandarin voice from Kokoro-82M (ONNX, 24 kHz) that knows when each of its characters ends.

Kokoro predicts a length for every phoneme inside its graph; that tensor is made an output when the model is
loaded. A model that hides it still speaks, with times estimated from the phonemes.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from google.protobuf.message import DecodeError
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, InvalidGraph, InvalidProtobuf

from memory.errors import UserError
from pipeline.speech.alignment import map_boundaries, share_out
from pipeline.speech.clauses import ClauseSplitter
from pipeline.speech.mandarin_phonemes import MandarinPhonemes, Sound
from pipeline.speech.voice import SpokenChunk, sounding, timed_words, without_pauses
from pipeline.speech.words import has_words, split_words

SAMPLE_RATE = 24000
MOST_TOKENS = 500  # the model takes 510 with the two pads
DEFAULT_STYLE = "jf_tebukuro"

# Kokoro surrounds its speech with 0.4 s and 0.6 s of silence; this much is kept.
_SILENCE_BEFORE = 0.05
_SILENCE_AFTER = 0.2


@dataclass(frozen=True)
class _Model:
    """A loaded Kokoro.

    Attributes:
        session: Inputs ``tokens`` (1, n) int64, ``style`` (1, 256) and ``speed`` (1,) float32.
        tells_lengths: Whether the second output is the length of every token.
        styles: Per speaker (510, 1, 256) float32, the row chosen by the number of tokens.
        vocabulary: Phoneme to token.
    """

    session: onnxruntime.InferenceSession
    tells_lengths: bool
    styles: dict[str, np.ndarray]
    vocabulary: dict[str, int]


class KokoroVoice:
    """Kokoro speaking Mandarin; a ``Voice``."""

    def __init__(
        self, model: _Model, phonemes: MandarinPhonemes, *, name: str, style: str = DEFAULT_STYLE, speed: float = 1.0
    ) -> None:
        self.name = name
        self.language = "zh"
        self.sample_rate = SAMPLE_RATE
        self.speed = speed
        self._model = model
        self._phonemes = phonemes
        self._style = style

    @classmethod
    def load(
        cls, folder: Path, *, style: str = DEFAULT_STYLE, name: str | None = None, speed: float = 1.0, threads: int = 2
    ) -> KokoroVoice:
        """Load the voice; takes about a second.

        Args:
            folder: Holds one ``*.onnx``, one ``voices*.npz`` and ``vocab.json``.
            style: The speaker; ``jf_tebukuro`` is female, ``jm_kumo`` male.
            name: What to call the voice; the folder's name by default.
            speed: 1.0 = as trained, 1.2 = a fifth faster.
            threads: CPU threads of one synthesis.

        Returns:
            The voice.

        Raises:
            UserError: If a file is missing or is not what it should be, or there is no such style.
        """
        session, tells_lengths = _load_session(_only_file(folder, "*.onnx"), threads)
        model = _Model(
            session,
            tells_lengths,
            _read_styles(_only_file(folder, "voices*")),
            _read_vocabulary(_only_file(folder, "vocab.json")),
        )
        if style not in model.styles:
            raise UserError(f"{folder}: no style {style!r}; it has {', '.join(sorted(model.styles))}")
        return cls(model, MandarinPhonemes(), name=name or folder.name, style=style, speed=speed)

    def with_style(self, style: str) -> KokoroVoice:
        """Return another speaker of the same model.

        Args:
            style: Such as ``jm_kumo``.

        Raises:
            UserError: If there is no such style.
        """
        if style not in self._model.styles:
            raise UserError(f"{self.name}: no style {style!r}; it has {', '.join(sorted(self._model.styles))}")
        return KokoroVoice(self._model, self._phonemes, name=self.name, style=style, speed=self.speed)

    def at_speed(self, speed: float) -> KokoroVoice:
        """Return the same voice at another speed; the model is shared."""
        return KokoroVoice(self._model, self._phonemes, name=self.name, style=self._style, speed=speed)

    def warm_up(self) -> None:
        """Load jieba's dictionary and speak a word to nobody."""
        for _ in self.synthesize("你好。"):
            pass

    def synthesize(self, text: str) -> Iterator[SpokenChunk]:
        """Speak, a chunk per sentence or per clause of a long one; see ``Voice.synthesize``."""
        splitter = ClauseSplitter(first_clause_chars=10**6)
        for clause in [*splitter.feed(text), splitter.flush()]:
            for part in self._short_enough(clause):
                yield self._speak(part)

    def _short_enough(self, text: str) -> Iterator[str]:
        """Halve a text at a word until its tokens fit into the model."""
        if not has_words(text):
            return
        words = split_words(text)
        if len(words) > 1 and sum(len(sound.phonemes) for sound in self._phonemes.sounds(text)) > MOST_TOKENS:
            middle = words[len(words) // 2].start
            yield from self._short_enough(text[:middle])
            yield from self._short_enough(text[middle:])
        else:
            yield text

    def _speak(self, text: str) -> SpokenChunk:
        sounds = self._phonemes.sounds(text)
        tokens = [[self._model.vocabulary[p] for p in s.phonemes if p in self._model.vocabulary] for s in sounds]
        flat = [token for of_sound in tokens for token in of_sound][:MOST_TOKENS]
        audio, lengths = self._run(flat)
        words = split_words(text)
        ends = _token_ends([word.end for word in words], text, sounds, [len(of_sound) for of_sound in tokens])
        ends = [min(end, len(flat)) for end in ends]
        begin, stop = sounding(audio)
        if lengths is not None:
            samples = np.cumsum(lengths) * (len(audio) / lengths.sum())
            # A pad leads, so the first ``end`` tokens are over at position ``end``.
            word_ends = without_pauses([int(samples[end]) for end in ends], audio)
        else:
            word_ends = share_out([float(w) for w in np.diff([0, *ends])], begin, stop)
        first = max(0, begin - round(_SILENCE_BEFORE * SAMPLE_RATE))
        last = min(len(audio), stop + round(_SILENCE_AFTER * SAMPLE_RATE))
        audio = audio[first:last]
        timed = timed_words([word.text for word in words], [end - first for end in word_ends], len(audio))
        return SpokenChunk(audio, timed, exact=lengths is not None)

    def _run(self, tokens: list[int]) -> tuple[np.ndarray, np.ndarray | None]:
        """Speak tokens: int16 audio, and the length of each token with its pads if the model tells."""
        style = self._model.styles[self._style]
        outputs = self._model.session.run(
            None,
            {
                "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
                "style": style[min(max(len(tokens), 1), len(style)) - 1].reshape(1, -1),
                "speed": np.array([self.speed], dtype=np.float32),
            },
        )
        audio = (np.clip(np.asarray(outputs[0]).reshape(-1), -1.0, 1.0) * 32767).astype(np.int16)
        lengths = np.asarray(outputs[1]).reshape(-1) if self._model.tells_lengths else None
        return audio, lengths if lengths is not None and len(lengths) == len(tokens) + 2 else None


def _token_ends(word_ends: list[int], text: str, sounds: list[Sound], counts: list[int]) -> list[int]:
    """How many tokens have been spoken at the end of each word."""
    # Digits are written out for speaking, so the characters are not quite the same.
    read = map_boundaries(text, [sound.character for sound in sounds], word_ends)
    totals = [0, *accumulate(counts)]
    return [totals[end] - _pause(sounds[:end], counts) for end in read]


def _pause(sounds: list[Sound], counts: list[int]) -> int:
    """Tokens of the punctuation and space at the end of these sounds: silence, not the word's sound."""
    pause = 0
    for index in range(len(sounds) - 1, -1, -1):
        if sounds[index].character.isalnum():
            break
        pause += counts[index]
    return pause


def _only_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise UserError(f"{folder}: no {pattern} in it; expected the files of a Kokoro voice")
    return found[0]


def _load_session(path: Path, threads: int) -> tuple[onnxruntime.InferenceSession, bool]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # A thread that waits must not take the core that the recogniser needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        model = onnx.load(str(path))
        lengths = _lengths_tensor(model.graph)
        if lengths is not None:
            model.graph.output.append(onnx.ValueInfoProto(name=lengths))
        graph = model.SerializeToString()
        del model
        session = onnxruntime.InferenceSession(graph, sess_options=options, providers=["CPUExecutionProvider"])
    except OSError as error:
        raise UserError(f"{path}: cannot read the voice: {error.strerror or error}") from None
    except (DecodeError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf):
        raise UserError(f"{path}: not a Kokoro model") from None
    return session, lengths is not None


def _lengths_tensor(graph: onnx.GraphProto) -> str | None:
    """The tensor with every token's length: the only rounded one, kept at 1 or more."""
    rounded = {output for node in graph.node if node.op_type == "Round" for output in node.output}
    found = [node.output[0] for node in graph.node if node.op_type == "Clip" and node.input[0] in rounded]
    return found[0] if len(found) == 1 else None


def _read_styles(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path) as styles:
            return {name: styles[name] for name in styles}
    except OSError as error:
        raise UserError(f"{path}: cannot read the voice's styles: {error.strerror or error}") from None
    except (ValueError, zipfile.BadZipFile):
        raise UserError(f"{path}: not the styles of a Kokoro voice") from None


def _read_vocabulary(path: Path) -> dict[str, int]:
    try:
        vocabulary = json.loads(path.read_text(encoding="utf-8"))
        return {str(phoneme): int(token) for phoneme, token in vocabulary.get("vocab", vocabulary).items()}
    except OSError as error:
        raise UserError(f"{path}: cannot read the voice's vocabulary: {error.strerror or error}") from None
    except (ValueError, TypeError, AttributeError):
        raise UserError(f"{path}: not the vocabulary of a Kokoro voice") from None
