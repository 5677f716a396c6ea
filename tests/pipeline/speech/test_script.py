from __future__ import annotations

from pipeline.speech.script import ChineseScript


def test_traditional_becomes_simplified_and_latin_stays() -> None:
    assert ChineseScript().convert(" 換一首歌, please 廣州市") == " 换一首歌, please 广州市"


def test_the_other_script_by_choice() -> None:
    assert ChineseScript("traditional").convert("换一首歌") == "換一首歌"


def test_text_without_chinese_is_untouched() -> None:
    assert ChineseScript().convert(" Book 3 rooms.") == " Book 3 rooms."
