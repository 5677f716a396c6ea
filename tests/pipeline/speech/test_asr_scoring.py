from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from opencc import OpenCC

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "asr_scoring.py"


@pytest.fixture(scope="module")
def scoring() -> ModuleType:
    specification = importlib.util.spec_from_file_location("asr_scoring", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("heard", "published"),
    [
        ("Set a timer for 10 minutes.", "set a timer for ten minutes"),
        ("10001 90210", "one zero zero zero one nine oh two one oh"),
        ("The store closes at 8 p.m. tonight.", "the store closes at 8pm tonight"),
        ("I can't, I'm late.", "I cannot, I am late"),
        ("1,001 nights", "one thousand one nights"),
    ],
)
def test_english_is_compared_as_it_is_said(scoring: ModuleType, heard: str, published: str) -> None:
    assert scoring.english_words(heard) == scoring.english_words(published)


def test_oh_is_a_zero_only_among_digits(scoring: ModuleType) -> None:
    assert scoring.english_words("Oh, I see") == ["oh", "i", "see"]


def test_mandarin_is_compared_in_simplified_characters(scoring: ModuleType) -> None:
    script = OpenCC("t2s")
    assert scoring.mandarin_characters("換一首歌, 3點", script) == list("换一首歌三点")


def test_errors_are_pooled_over_recordings(scoring: ModuleType) -> None:
    assert scoring.error_rate([["a", "b"], ["c", "d"]], [["a", "x"], ["c", "d"]]) == pytest.approx(0.25)
    assert scoring.error_rate([["a", "b"]], [[]]) == pytest.approx(1.0)
    assert scoring.error_rate([], []) is None
