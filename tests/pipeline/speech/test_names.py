from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.speech.biased_decoder import NameBiasedDecoder
from pipeline.speech.decoding import DecodeRequest, Decoding, Verdict
from pipeline.speech.language import LanguageChoice
from pipeline.speech.names import Likeness, NameIndex, moved, respelt
from pipeline.speech.sounds import Sounds, extra_cost, substitution_cost

SOUNDS = Sounds()


def index(*names: str) -> NameIndex:
    return NameIndex(names, SOUNDS, str.islower)


def spelt(text: str, *names: str) -> str:
    known = index(*names)
    return respelt(text, known.misspelt(text, known.likenesses(text)))


@pytest.mark.parametrize(
    ("heard", "name", "meant"),
    [
        ("My colleague Shivon is coming.", "Siobhan", "My colleague Siobhan is coming."),
        ("I met Sersha, yesterday.", "Saoirse", "I met Saoirse, yesterday."),
        ("Call K. Jarton now.", "Kjartan", "Call Kjartan now."),
        ("我想给欧阳进文打个电话。", "欧阳靖雯", "我想给欧阳靖雯打个电话。"),
        ("昨天碰到了黄富松", "皇甫嵩", "昨天碰到了皇甫嵩"),
        ("昨天我给Shivon打了电话", "Siobhan", "昨天我给Siobhan打了电话"),
    ],
)
def test_what_sounds_like_a_name_and_is_no_word_is_the_name(heard: str, name: str, meant: str) -> None:
    assert spelt(heard, name, "Bhattacharya", "诸葛明远") == meant


@pytest.mark.parametrize(
    ("heard", "names"),
    [
        ("we sold the bolt yesterday", ("Thibault",)),
        ("Siobhan called Shivonne", ("Siobhan",)),
        ("往里走一点", ("王莉",)),
        ("see you", ("Xi",)),
        ("12345 !?", ("Siobhan", "欧阳靖雯")),
        ("", ("Siobhan",)),
        ("Shivon is here", ()),
        ("Shivon is here", ("", "  ", "42")),
    ],
)
def test_ordinary_words_and_names_that_are_there_stay(heard: str, names: tuple[str, ...]) -> None:
    assert spelt(heard, *names) == heard


def test_what_may_be_a_name_is_told_to_the_next_decode() -> None:
    known = index("Thibault", "Bhattacharya", "Siobhan")
    assert [place.name for place in known.likenesses("yesterday I met Dibolt at the station")][:1] == ["Thibault"]


def test_parts_of_a_name_are_listened_for() -> None:
    assert spelt("I met Sersha.", "Saoirse Ronan") == "I met Saoirse."
    assert "van" not in index("Ottoline van Dyke").names


def test_the_place_covers_the_words_that_were_written_for_the_name() -> None:
    text = "I want to call Katar Zinnah this evening."
    (place,) = index("Katarzyna").likenesses(text)
    assert text[place.start : place.end] == "Katar Zinnah"


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=60))
@settings(max_examples=100, deadline=None)
def test_any_names_and_any_text(names: list[str], text: str) -> None:
    known = index(*names)
    likenesses = known.likenesses(text)
    assert all(0 <= place.start < place.end <= len(text) for place in likenesses)
    places = known.misspelt(text, likenesses)
    assert all(one.end <= other.start for one, other in zip(places, places[1:], strict=False))
    changed = respelt(text, places)
    assert len(changed) == moved(len(text), places)
    assert all(place.name in changed for place in places)


SYMBOLS = [*"pbtdkɡfvszmnlrwjaeiouə", "zh", "ch", "sh", "-in", "-ing", "-ang"]


@given(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS))
def test_the_cost_of_a_confusion_is_symmetric(one: str, other: str) -> None:
    assert substitution_cost(one, other) == substitution_cost(other, one)
    assert (substitution_cost(one, other) == 0) == (one == other)
    assert 0 < extra_cost(one) <= 1


class Deaf:
    """Hears the same words whatever it is given."""

    def __init__(self, text: str, times: tuple[tuple[int, float], ...] = ()) -> None:
        self.text = text
        self.times = times

    def decode(self, request: DecodeRequest) -> Decoding:
        return Decoding(self.text, Verdict.ACCEPT, "en", times=self.times)


def request(*names: str) -> DecodeRequest:
    return DecodeRequest(np.zeros(16000, dtype=np.int16), LanguageChoice("en", ("en",), False), names=names)


def test_a_decoder_that_knows_names_spells_them_and_moves_the_word_times() -> None:
    decoder = NameBiasedDecoder(Deaf(" Shivon is here.", ((7, 0.4), (10, 0.6), (16, 0.9))), str.islower, SOUNDS)
    decoder.expect(["Siobhan"])
    decoding = decoder.decode(request())
    assert decoding.text == " Siobhan is here."
    assert decoding.times == ((8, 0.4), (11, 0.6), (17, 0.9))
    assert decoding.similar == ()


def test_names_that_were_told_are_not_asked_for_again() -> None:
    decoder = NameBiasedDecoder(Deaf(" I met Wadzayc."), str.islower, SOUNDS)
    decoder.expect(["Wojciech"])
    assert decoder.decode(request()).similar == ("Wojciech",)
    assert decoder.decode(request("Wojciech")).similar == ()


def test_without_names_the_decoding_is_the_decoders_own() -> None:
    inner = Deaf(" Shivon is here.")
    decoder = NameBiasedDecoder(inner, str.islower)
    assert decoder.decode(request()).text == inner.text
    decoder.expect(["Siobhan"])
    decoder.expect([])
    assert decoder.decode(request()).text == inner.text


def test_a_place_is_replaced_where_it_lies() -> None:
    places = [Likeness("Aoife", 6, 9, 0.1), Likeness("Tadhg", 14, 18, 0.1)]
    assert respelt("I met IFA and Tige.", places) == "I met Aoife and Tadhg."
