"""What a recogniser makes of an echo sounds like what the agent said, however it is spelled."""

import pytest

from pipeline.speech.echo_sound import EchoSound
from processors.echo import as_spelled, is_echo, without_echo
from processors.tokens import tokens

ENGLISH = "Room A302 is free from ten to twelve. The total comes to 84 euros and 50 cents."
MANDARIN = "会议室明天上午十点到十二点有空，另一个是九点半，在牙医那里。"


@pytest.mark.parametrize(
    ("language", "heard", "spoken"),
    [
        ("en", "Room A-302 is free from 10 to 12", ENGLISH),
        ("en", "Room A 300 2 is free from 10-12.", ENGLISH),
        ("en", "total comes to eighty 4 euros and fifty", ENGLISH),
        ("zh", "会意是明天上午10点到12点有控", MANDARIN),
        ("zh", "令一个是酒店办", MANDARIN),
        ("zh", "再亚裔那里", MANDARIN),
    ],
)
def test_an_echo_is_known_by_its_sound(language, heard, spoken):
    assert is_echo(heard, spoken, sound=EchoSound(language))


def test_spelling_alone_would_take_an_echo_for_a_user():
    assert not is_echo("另一个是酒店办", MANDARIN, sound=as_spelled)
    assert is_echo("另一个是酒店办", MANDARIN, sound=EchoSound("zh"))


@pytest.mark.parametrize(
    ("heard", "spoken"),
    [
        ("Stop.", "The total comes to 84 euros"),
        ("Cancel the dentist", "I will remind you to call the dentist on Monday"),
        ("No, from eleven.", ENGLISH),
        ("停", "您的姐姐春天搬到了里斯本"),
        ("好的，谢谢", "您的姐姐春天搬到了里斯本"),
        ("不是明天，是后天", MANDARIN),
        ("等一下", MANDARIN),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_that_are_only_a_little_like_the_agents_are_the_users(language, heard, spoken):
    assert without_echo(heard, spoken, sound=EchoSound(language)) == tokens(heard)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sound_knows_no_spelling(language):
    sound = EchoSound(language)
    assert sound("") == sound("…") == ""
    assert sound("Don't") == sound("dont")


def test_numbers_and_characters_sound_alike():
    assert EchoSound("en")("ten") == EchoSound("en")("10")
    assert EchoSound("zh")("十点") == EchoSound("zh")("10点") == "sidian"
    assert EchoSound("zh")("会议室") == EchoSound("zh")("回忆是")
