import json
import re
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from piper.voice import AudioChunk, PhonemeAlignment

from memory.errors import UserError
from pipeline.speech.piper import PiperVoice
from pipeline.speech.piper_graph import reproducible_graph
from pipeline.speech.pitch import UserVoice
from pipeline.speech.words import split_words

# A voice without a model: every phoneme lasts 100 samples, pauses and stress as well.


class ScriptedEngine:
    """Knows how a few texts sound; a list of sentences each."""

    SOUNDS = {
        "in the car": ["ɪnðə kɑɹ"],
        "at 10:30, ok": ["æt tɛn θɜɾi, oʊkeɪ"],
        "See Dr Smith. Now": ["si dɑktɚ smɪθ.", "naʊ"],
        "one two": ["wʌn tu"],
        "in": ["ɪn"], "the": ["ðə"], "car": ["kɑɹ"], "at": ["æt"], "10:30,": ["tɛn θɜːɾi,"], "ok": ["oʊkeɪ"],
        "See": ["siː"], "Dr": ["dɑktɚ"], "Smith.": ["smɪθ."], "Now": ["naʊ"], "one": ["wʌn"], "two": ["tu"],
    }  # fmt: skip

    def __init__(self, tells: bool = True) -> None:
        self.config = SimpleNamespace(sample_rate=22050, length_scale=1.0)
        self.tells = tells

    def phonemize(self, text):
        return [list(sentence) for sentence in self.SOUNDS[text]]

    def synthesize(self, text, syn_config, include_alignments):
        for sentence in self.phonemize(text):
            aligned = [PhonemeAlignment(p, [0], 100) for p in ["^", *sentence, "$"]]
            yield AudioChunk(
                sample_rate=22050,
                sample_width=2,
                sample_channels=1,
                audio_float_array=np.full(100 * len(aligned), 0.5, dtype=np.float32),
                phonemes=sentence,
                phoneme_ids=[],
                phoneme_alignments=aligned if self.tells else None,
            )


def scripted(text, **kwargs):
    voice = PiperVoice(ScriptedEngine(**kwargs), name="scripted", language="en")
    return [[(word.text, word.start, word.end) for word in chunk.words] for chunk in voice.synthesize(text)]


def test_words_that_run_together_are_told_apart():
    # ^ ɪ n ð ə _ k ɑ ɹ $
    assert scripted("in the car") == [[("in", 0, 300), ("the", 300, 500), ("car", 500, 1000)]]


def test_a_number_that_unfolds_is_one_word():
    # ^ æ t _ t ɛ n _ θ ɜ ɾ i , _ o ʊ k e ɪ $: the pause behind the comma belongs to the next word
    assert scripted("at 10:30, ok") == [[("at", 0, 300), ("10:30,", 300, 1200), ("ok", 1200, 2000)]]


def test_words_are_divided_over_the_sentences():
    assert scripted("See Dr. Smith. Now") == [
        [("See", 0, 300), ("Dr.", 300, 900), ("Smith.", 900, 1600)],
        [("Now", 0, 500)],
    ]


def test_a_voice_that_does_not_tell_is_estimated():
    voice = PiperVoice(ScriptedEngine(tells=False), name="scripted", language="en")
    (chunk,) = voice.synthesize("one two")
    assert not chunk.exact
    assert [(w.text, w.start, w.end) for w in chunk.words] == [("one", 0, 480), ("two", 480, 800)]


def test_nothing_to_say_asks_nothing_of_the_model():
    assert scripted(" … ") == []


# The graph


@pytest.fixture
def noisy_graph(tmp_path):
    """y = noise like x; n = ceil(x)."""
    graph = helper.make_graph(
        [
            helper.make_node("RandomNormalLike", ["x"], ["y"]),
            helper.make_node("Ceil", ["x"], ["n"]),
        ],
        "noise",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["a", "b"])],
    )
    path = tmp_path / "voice.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


def test_noise_repeats_whatever_was_spoken_before(noisy_graph):
    session = onnxruntime.InferenceSession(reproducible_graph(noisy_graph), providers=["CPUExecutionProvider"])
    x = np.full((3, 1000), 1.5, dtype=np.float32)
    first, lengths = session.run(None, {"x": x})
    session.run(None, {"x": x[:, :10]})
    assert np.array_equal(first, session.run(None, {"x": x})[0])
    assert abs(first.mean()) < 0.1 and abs(first.std() - 1) < 0.1
    assert np.all(lengths == 2)


def test_noise_longer_than_the_table_wraps_around(noisy_graph):
    session = onnxruntime.InferenceSession(reproducible_graph(noisy_graph), providers=["CPUExecutionProvider"])
    noise = session.run(None, {"x": np.zeros((1, (1 << 18) + 5), dtype=np.float32)})[0]
    assert np.array_equal(noise[0, -5:], noise[0, :5])


# Files that are no voice


def test_missing_files_are_named(tmp_path):
    with pytest.raises(UserError, match=r"voice\.onnx\.json: cannot read .*No such file"):
        PiperVoice.load(tmp_path / "voice.onnx")


@pytest.mark.parametrize("config", ["", "[]", "{}", '{"audio": 3}'])
def test_a_wrong_configuration_is_named(tmp_path, config):
    (tmp_path / "voice.onnx.json").write_text(config)
    with pytest.raises(UserError, match=r"voice\.onnx\.json: not a Piper voice's configuration"):
        PiperVoice.load(tmp_path / "voice.onnx")


@pytest.mark.parametrize("content", [b"", b"no model", b"\x00" * 100])
def test_a_wrong_model_is_named(tmp_path, content):
    config = {
        "audio": {"sample_rate": 22050},
        "espeak": {"voice": "en-us"},
        "num_symbols": 1,
        "num_speakers": 1,
        "phoneme_id_map": {},
        "inference": {},
    }
    (tmp_path / "voice.onnx.json").write_text(json.dumps(config))
    (tmp_path / "voice.onnx").write_bytes(content)
    with pytest.raises(UserError, match=r"voice\.onnx: not a Piper voice"):
        PiperVoice.load(tmp_path / "voice.onnx")


# The real voice


@pytest.fixture(scope="module")
def joe(weights):
    return PiperVoice.load(weights("piper-en-joe") / "en_US-joe-medium.onnx")


SENTENCE = "I remember that you moved to Lisbon with your sister in the spring of 2019, e.g. to Dr. Smith."


@pytest.mark.weights
def test_words_are_the_text_and_cover_the_audio(joe):
    assert (joe.language, joe.sample_rate) == ("en", 22050)
    chunks = list(joe.synthesize(f"{SENTENCE} Isn't it – well – “great”?"))
    assert len(chunks) >= 2
    assert all(chunk.exact for chunk in chunks)
    words = [word for chunk in chunks for word in chunk.words]
    assert [w.text for w in words] == [w.text for w in split_words(f"{SENTENCE} Isn't it – well – “great”?")]
    for chunk in chunks:
        assert [chunk.words[0].start, chunk.words[-1].end] == [0, len(chunk.audio)]
        assert all(a.end == b.start and a.end > a.start for a, b in zip(chunk.words, chunk.words[1:], strict=False))
        assert np.abs(chunk.audio).max() > 3000


@pytest.mark.weights
def test_the_same_text_sounds_the_same(joe):
    def speak():
        return np.concatenate([chunk.audio for chunk in joe.synthesize(SENTENCE)])

    first = speak()
    list(joe.synthesize("Something else."))
    assert np.array_equal(first, speak())


@pytest.mark.weights
def test_the_pause_behind_a_comma_lies_behind_the_word(joe):
    (chunk,) = joe.synthesize("One, two, three.")
    for word in chunk.words[:2]:
        around = chunk.audio[word.end + 1100 : word.end + 2200].astype(float)  # 50 to 100 ms behind its end
        assert np.sqrt(np.mean(around**2)) < 300
        assert np.sqrt(np.mean(chunk.audio[word.end - 3300 : word.end].astype(float) ** 2)) > 1000


@pytest.mark.weights
def test_speed_and_pitch(joe):
    def length(voice):
        return sum(len(chunk.audio) for chunk in voice.synthesize(SENTENCE))

    plain = length(joe)
    assert length(joe.at_speed(1.5)) == pytest.approx(plain / 1.5, rel=0.15)
    assert length(UserVoice(joe, 1.12)) == pytest.approx(plain, rel=0.1)


@pytest.mark.weights
@pytest.mark.parametrize("count", [4, 7, 10, 14])
def test_what_is_heard_up_to_the_end_of_a_word_are_the_words_up_to_it(joe, read_back, count):
    chunk = next(iter(joe.synthesize(SENTENCE)))
    heard = read_back(chunk.audio[: chunk.words[count - 1].end], joe.sample_rate, "en")
    expected = [word.text.lower() for word in chunk.words[:count]]
    assert re.findall(r"[a-z]+", heard.lower()) == expected
