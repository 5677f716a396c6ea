import json

import jiwer
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from memory.errors import UserError
from pipeline.speech.kokoro import KokoroVoice
from pipeline.speech.mandarin_phonemes import MandarinPhonemes
from pipeline.speech.words import split_words

# Phonemes


@pytest.fixture(scope="module")
def phonemes():
    return MandarinPhonemes()


def pronounced(phonemes, text):
    return [(sound.character, sound.phonemes.strip()) for sound in phonemes.sounds(text)]


def test_every_character_has_its_phonemes(phonemes):
    assert pronounced(phonemes, "你好。") == [("你", "ni↓"), ("好", "xau↓"), ("。", ".")]


def test_the_word_decides_how_a_character_is_read(phonemes):
    bank, go = pronounced(phonemes, "银行"), pronounced(phonemes, "行走")
    assert bank[1][0] == go[0][0] == "行"
    assert bank[1][1] != go[0][1]


def test_numbers_are_written_out(phonemes):
    characters = "".join(sound.character for sound in phonemes.sounds("10点，房间A12，3.5元，50%"))
    assert characters == "十点，房间A十二，三点五元，百分之五十"
    assert "".join(sound.character for sound in phonemes.sounds("13800138000")) == "一三八零零一三八零零零"


def test_latin_words_are_pronounced(phonemes):
    sounds = phonemes.sounds("我叫Joe。")
    assert [s.character for s in sounds] == list("我叫Joe。")
    assert "ʤ" in sounds[2].phonemes and sounds[3].phonemes == ""


@pytest.mark.parametrize("text", ["", "。", "𠮷㐀", "1" * 40, "〇", "😀", "12.34.56", "-", "a", "½"])
def test_odd_text_is_no_error(phonemes, text):
    phonemes.sounds(text)


# A model made here: token t lasts two frames of 600 samples and sounds as t / 200


def make_voice(folder, *, tells=True, styles=("jf_tebukuro", "jm_kumo")):
    rounding = "Round" if tells else "Floor"
    nodes = [
        helper.make_node("Cast", ["tokens"], ["level"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["level", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "two"], ["raw"]),
        helper.make_node(rounding, ["raw"], ["rounded"]),
        helper.make_node("Clip", ["rounded", "one"], ["lengths"]),
        helper.make_node("Mul", ["level", "scale"], ["scaled"]),
        helper.make_node("Reshape", ["scaled", "column"], ["columns"]),
        helper.make_node("Expand", ["columns", "wide"], ["block"]),
        helper.make_node("Reshape", ["block", "flat"], ["plain"]),
        helper.make_node("ReduceSum", ["style"], ["voice"], keepdims=0),
        helper.make_node("ReduceSum", ["speed"], ["pace"], keepdims=0),
        helper.make_node("Mul", ["voice", "pace"], ["gain"]),
        helper.make_node("Mul", ["plain", "gain"], ["audio"]),
    ]
    constants = {
        "zero": np.float32(0), "one": np.float32(1), "two": np.float32(2), "scale": np.float32(1 / 200),
        "column": np.array([-1, 1]), "wide": np.array([1, 1200]), "flat": np.array([-1]),
    }  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "kokoro",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "n"]),
            helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 256]),
            helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
        ],
        [helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["m"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    onnx.save(model, folder / "kokoro.onnx")
    np.savez(folder / "voices.npz", **{name: np.full((510, 1, 256), 1 / 256, dtype=np.float32) for name in styles})
    symbols = "abcdefhijklmnopqrstuwxyz↓↗↘→ɕʂʈʨꭧʰŋəɤɛɨʊɥɑɔ .,!?"
    (folder / "vocab.json").write_text(json.dumps({"vocab": {s: n + 1 for n, s in enumerate(symbols)}}))
    return KokoroVoice.load(folder)


def expected_ends(voice, text):
    """Samples at which each word's own phonemes end: tokens * 1200, behind a pad."""
    vocabulary, tokens, ends = voice._model.vocabulary, 1, []
    for sound in voice._phonemes.sounds(text):
        known = [p for p in sound.phonemes if p in vocabulary]
        tokens += len(known)
        if sound.character.isalnum():
            ends.append(tokens * 1200)
    return ends


def test_characters_end_where_their_phonemes_end(tmp_path):
    voice = make_voice(tmp_path)
    (chunk,) = voice.synthesize("你好，我在。")
    assert chunk.exact
    assert [w.text for w in chunk.words] == ["你", "好，", "我", "在。"]
    # The silence of the first pad (1200 samples) is the 0.05 s that are kept, so nothing moves.
    assert [w.end for w in chunk.words[:3]] == expected_ends(voice, "你好，我在。")[:3]
    assert chunk.words[-1].end == len(chunk.audio)


def test_a_number_is_one_word(tmp_path):
    voice = make_voice(tmp_path)
    (chunk,) = voice.synthesize("到12点")
    to, ten, two, _ = expected_ends(voice, "到12点")
    assert ten < two
    assert [(w.text, w.end) for w in chunk.words[:2]] == [("到", to), ("12", two)]


def test_a_model_that_does_not_tell_is_estimated(tmp_path):
    (chunk,) = make_voice(tmp_path, tells=False).synthesize("你好吗")
    assert not chunk.exact
    assert [w.text for w in chunk.words] == ["你", "好", "吗"]
    assert 0 < chunk.words[0].end < chunk.words[1].end < len(chunk.audio)


def test_sentences_and_texts_without_end_fit_into_the_model(tmp_path):
    voice = make_voice(tmp_path)
    assert len(list(voice.synthesize("你好。我在。再见"))) == 3
    endless = "好" * 500 + "1234567890" * 30
    chunks = list(voice.synthesize(endless))
    assert max(len(chunk.audio) for chunk in chunks) <= 502 * 1200
    assert [w.text for chunk in chunks for w in chunk.words][:500] == ["好"] * 500


def test_nothing_to_say(tmp_path):
    assert list(make_voice(tmp_path).synthesize(" … 。")) == []


def test_styles_and_speed(tmp_path):
    voice = make_voice(tmp_path)
    assert voice.with_style("jm_kumo").language == "zh"
    loud = next(voice.at_speed(2.0).synthesize("你好")).audio.max()
    assert loud == pytest.approx(2 * next(voice.synthesize("你好")).audio.max(), rel=0.01)
    with pytest.raises(UserError, match="no style 'nobody'; it has jf_tebukuro, jm_kumo"):
        voice.with_style("nobody")
    with pytest.raises(UserError, match="no style 'nobody'"):
        KokoroVoice.load(tmp_path, style="nobody")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("kokoro.onnx", "not a Kokoro model"),
        ("voices.npz", "not the styles"),
        ("vocab.json", "not the vocabulary"),
    ],
)
def test_wrong_and_missing_files_are_named(tmp_path, name, complaint):
    make_voice(tmp_path)
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(UserError, match=f"{name}: {complaint}"):
        KokoroVoice.load(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(UserError, match="expected the files of a Kokoro voice"):
        KokoroVoice.load(tmp_path)


# The real voice


@pytest.fixture(scope="module")
def kokoro(weights):
    return KokoroVoice.load(weights("kokoro-zh"))


SENTENCES = [
    "好的，我帮你看看。",
    "会议室已经订好了，是明天下午三点。",
    "请告诉我你叫什么名字。",
    "明天上午10点到12点有空。",
]


def only_characters(text):
    return "".join(character for character in text if character.isalnum())


@pytest.mark.weights
def test_it_is_understood(kokoro, read_back):
    spoken, heard = [], []
    for sentence in SENTENCES:
        chunks = list(kokoro.synthesize(sentence))
        assert all(chunk.exact for chunk in chunks)
        assert [w.text for chunk in chunks for w in chunk.words] == [w.text for w in split_words(sentence)]
        spoken.append(only_characters(sentence))
        heard.append(only_characters(read_back(np.concatenate([c.audio for c in chunks]), 24000, "zh")))
    assert jiwer.cer(spoken, heard) < 0.34, heard


@pytest.mark.weights
def test_what_is_heard_up_to_a_character_is_the_text_up_to_it(kokoro, read_back):
    (chunk,) = kokoro.synthesize("请告诉我你叫什么名字。")
    heard = only_characters(read_back(chunk.audio[: chunk.words[6].end], 24000, "zh"))
    assert 6 <= len(heard) <= 8
    assert "我你叫" in heard


@pytest.mark.weights
def test_silence_around_the_speech_is_short(kokoro):
    (chunk,) = kokoro.synthesize("你好。")
    loud = np.flatnonzero(np.abs(chunk.audio.astype(int)) > 330)
    assert loud[0] <= 0.06 * 24000
    assert len(chunk.audio) - loud[-1] <= 0.21 * 24000
