from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.understanding.times.mandarin import read_times_zh

TUESDAY = datetime(2026, 3, 10, 9, 0)


def facts(text: str, **options: object) -> dict[str, str]:
    out: dict[str, str] = {}
    for mention in read_times_zh(text, TUESDAY, **options):  # type: ignore[arg-type]
        out.update(mention.facts)
    return out


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("今天", "2026-03-10"),
        ("明天", "2026-03-11"),
        ("后天", "2026-03-12"),
        ("大后天", "2026-03-13"),
        ("昨天", "2026-03-09"),
        ("前天", "2026-03-08"),
        ("周日", "2026-03-15"),
        ("礼拜天", "2026-03-15"),
        ("这周五", "2026-03-13"),
        ("下周五", "2026-03-20"),
        ("上周五", "2026-03-06"),
        ("下个星期三", "2026-03-18"),
        ("下下周二", "2026-03-24"),
        ("3月15号", "2026-03-15"),
        ("三月十五日", "2026-03-15"),
        ("2026年4月1日", "2026-04-01"),
        ("二十号", "2026-03-20"),
        ("三天后", "2026-03-13"),
        ("过两天", "2026-03-12"),
        ("两个星期前", "2026-02-24"),
        ("月底", "2026-03-31"),
    ],
)
def test_days(text: str, day: str) -> None:
    assert facts(text) == {"date": day}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("上午10点到12点", {"time_range": "10:00-12:00"}),
        ("下午两点到四点", {"time_range": "14:00-16:00"}),
        ("两点到四点", {"time_range": "14:00-16:00"}),
        ("上午九点到下午五点", {"time_range": "09:00-17:00"}),
        ("下午两到四点", {"time_range": "14:00-16:00"}),
        ("14:00到16:00", {"time_range": "14:00-16:00"}),
        ("10点半到12点", {"time_range": "10:30-12:00"}),
        ("下午三点半", {"time": "15:30"}),
        ("早上八点一刻", {"time": "08:15"}),
        ("中午十二点", {"time": "12:00"}),
        ("晚上十点", {"time": "22:00"}),
        ("凌晨一点", {"time": "01:00"}),
        ("十点三十五分", {"time": "10:35"}),
        ("周一九点", {"date": "2026-03-16", "time": "09:00"}),
        ("明晚七点三个人", {"date": "2026-03-11", "time": "19:00"}),
        ("明早", {"date": "2026-03-11", "part_of_day": "morning"}),
        ("两个小时后", {"date": "2026-03-10", "time": "11:00"}),
        ("半小时后", {"date": "2026-03-10", "time": "09:30"}),
        ("一个半小时", {"duration": "90 min"}),
        ("明天上午10点到12点", {"date": "2026-03-11", "time_range": "10:00-12:00"}),
        ("这个周末", {"date_range": "2026-03-14/2026-03-15"}),
        ("周一到周三", {"date_range": "2026-03-16/2026-03-18"}),
        ("每周一上午十点", {"repeats": "每周一", "time": "10:00"}),
    ],
)
def test_times_of_day(text: str, expected: dict[str, str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text", ["早上好", "一点都不好", "有一点贵", "快点", "我等了半天", "三个人", "八十四块", "A302", "一会儿"]
)
def test_what_is_not_a_time(text: str) -> None:
    assert facts(text) == {}


def test_the_next_day_counts_from_the_day_that_was_spoken_of() -> None:
    assert facts("那第二天呢", anchor=date(2026, 3, 20)) == {"date": "2026-03-21"}
    assert facts("那后天呢", anchor=date(2026, 3, 20)) == {"date": "2026-03-12"}


@given(st.dates(date(2026, 3, 10), date(2027, 3, 9)))
def test_every_written_date_is_read(day: date) -> None:
    assert facts(f"{day.month}月{day.day}号") == {"date": day.isoformat()}


@given(st.integers(0, 23), st.integers(0, 59))
def test_every_clock_time_is_read(hour: int, minute: int) -> None:
    (mention,) = read_times_zh(f"{hour}点{minute}分", TUESDAY)
    said = mention.facts["time"]
    assert said[3:] == f"{minute:02d}"
    assert int(said[:2]) % 12 == hour % 12
