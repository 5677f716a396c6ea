"""What a cut reply's update is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.said_by_user import as_far_as_said

ENGLISH = "A table for four, please, under the name of Lee, at 7:30."
MANDARIN = "我想订一张四个人的桌子，靠窗，名字叫李雷。"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (ENGLISH, {"people": "four", "name": "Lee", "time": "7:30"}),
        (MANDARIN, {"people": "四个人", "seat": "靠窗", "name": "李雷"}),
    ],
)
def test_what_the_user_said_counts(text, facts):
    update = {"facts": facts, "preference": {"who": facts["name"]}}
    assert as_far_as_said(update, text) == update


@pytest.mark.parametrize(
    "update",
    [
        {"task": "book a table for four"},
        {"status": "completed", "result": "table booked"},
        {"steps": ["four"], "pending": ["Lee"], "history_summary": "four", "topic": "table"},
        {"facts": {"code": "T2093", "table": "by the window"}},
        {"facts": {"booked": "yes", "confirmed": True, "people": None, "price": ["four"]}},
        {"facts": {"number": "fou", "hour": "0"}},
        {"facts": "four"},
        {"facts": {"done": ""}},
        {},
    ],
)
def test_what_the_agent_means_to_do_does_not(update):
    assert as_far_as_said(update, f"Yes. {ENGLISH}") == {}


@pytest.mark.parametrize("facts", [{"confirmed": "好的"}, {"room": "二楼"}, {"booked": "是"}])
def test_what_the_agent_means_to_do_does_not_in_mandarin(facts):
    assert as_far_as_said({"facts": facts}, f"好的，是。{MANDARIN}") == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["facts", "preference", "task", "steps"]), JSON), st.text(max_size=30))
def test_whatever_a_model_writes_only_facts_and_preferences_are_left(update, text):
    kept = as_far_as_said(update, text)
    assert set(kept) <= {"facts", "preference"}
    for field, entries in kept.items():
        assert entries.items() <= update[field].items()
