from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.understanding.times.english import read_times_en

TUESDAY = datetime(2026, 3, 10, 9, 0)


def facts(text: str, **options: object) -> dict[str, str]:
    out: dict[str, str] = {}
    for mention in read_times_en(text, TUESDAY, **options):  # type: ignore[arg-type]
        out.update(mention.facts)
    return out


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", "2026-03-10"),
        ("tomorrow", "2026-03-11"),
        ("the day after tomorrow", "2026-03-12"),
        ("yesterday", "2026-03-09"),
        ("the day before yesterday", "2026-03-08"),
        ("on Sunday", "2026-03-15"),
        ("on tuesday", "2026-03-17"),
        ("this Friday", "2026-03-13"),
        ("next Friday", "2026-03-20"),
        ("last Friday", "2026-03-06"),
        ("Tuesday next week", "2026-03-17"),
        ("next week on Wednesday", "2026-03-18"),
        ("March 12th", "2026-03-12"),
        ("the 12th of March", "2026-03-12"),
        ("May third", "2026-05-03"),
        ("5 March", "2027-03-05"),
        ("on the fifteenth", "2026-03-15"),
        ("2026-04-01", "2026-04-01"),
        ("24.12.2026", "2026-12-24"),
        ("in three days", "2026-03-13"),
        ("in a week", "2026-03-17"),
        ("two weeks ago", "2026-02-24"),
        ("a week from tomorrow", "2026-03-18"),
        ("Friday the 13th", "2026-03-13"),
    ],
)
def test_days(text: str, day: str) -> None:
    assert facts(text) == {"date": day}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from ten to twelve", {"time_range": "10:00-12:00"}),
        ("from 10 to 12", {"time_range": "10:00-12:00"}),
        ("between nine and eleven", {"time_range": "09:00-11:00"}),
        ("two to four in the afternoon", {"time_range": "14:00-16:00"}),
        ("make it two to four", {"time_range": "14:00-16:00"}),
        ("from eleven to one", {"time_range": "11:00-13:00"}),
        ("nine to five", {"time_range": "09:00-17:00"}),
        ("2-4 p.m.", {"time_range": "14:00-16:00"}),
        ("11 to 1 pm", {"time_range": "11:00-13:00"}),
        ("8 pm to 10", {"time_range": "20:00-22:00"}),
        ("10:30 to 12:15", {"time_range": "10:30-12:15"}),
        ("from 14 to 16", {"time_range": "14:00-16:00"}),
        ("at half past seven", {"time": "07:30"}),
        ("at quarter to five", {"time": "16:45"}),
        ("at ten to twelve", {"time": "11:50"}),
        ("twenty past six", {"time": "18:20"}),
        ("at 3", {"time": "15:00"}),
        ("at 7 pm", {"time": "19:00"}),
        ("at noon", {"time": "12:00"}),
        ("five o'clock", {"time": "17:00"}),
        ("eight thirty", {"time": "08:30"}),
        ("at 5:30 in the evening", {"time": "17:30"}),
        ("in the afternoon", {"part_of_day": "afternoon"}),
        ("for two hours", {"duration": "120 min"}),
        ("at three for two hours", {"time_range": "15:00-17:00"}),
        ("in two hours", {"date": "2026-03-10", "time": "11:00"}),
        ("in half an hour", {"date": "2026-03-10", "time": "09:30"}),
        ("tonight at eight", {"date": "2026-03-10", "time": "20:00"}),
        ("today at eight", {"date": "2026-03-10", "time": "20:00"}),
        ("tomorrow morning", {"date": "2026-03-11", "part_of_day": "morning"}),
        ("tomorrow from ten to twelve", {"date": "2026-03-11", "time_range": "10:00-12:00"}),
        ("this weekend", {"date_range": "2026-03-14/2026-03-15"}),
        ("from Monday to Wednesday", {"date_range": "2026-03-16/2026-03-18"}),
        ("next month", {"date_range": "2026-04-01/2026-04-30"}),
        ("every Monday at ten", {"repeats": "every monday", "time": "10:00"}),
    ],
)
def test_times_of_day(text: str, expected: dict[str, str]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "good morning",
        "two to four people",
        "a table for two",
        "around three people",
        "it costs 12.50 euros",
        "the first one",
        "on the second floor",
        "I may go",
        "a one to one meeting",
        "three nights",
        "on a scale from one to ten",
    ],
)
def test_what_is_not_a_time(text: str) -> None:
    assert facts(text) == {}


def test_the_day_after_counts_from_the_day_that_was_spoken_of() -> None:
    assert facts("and the day after?", anchor=date(2026, 3, 20)) == {"date": "2026-03-21"}


def test_an_hour_at_dinner_is_in_the_evening() -> None:
    assert facts("at seven", evening=True) == {"time": "19:00"}


def test_a_corrected_hour_stays_in_its_half_of_the_day() -> None:
    assert facts("I meant ten", near=21) == {"time": "22:00"}
    assert facts("make it two to four", near=10) == {"time_range": "14:00-16:00"}


def test_a_weekday_in_a_story_is_the_last_one() -> None:
    assert facts("on Friday", past_at=lambda offset: True) == {"date": "2026-03-06"}


@given(st.dates(date(2026, 3, 10), date(2027, 3, 9)))
def test_every_written_date_is_read(day: date) -> None:
    assert facts(f"on {day:%B} {day.day}") == {"date": day.isoformat()}
    assert facts(f"until {day.isoformat()}") == {"date": day.isoformat()}


@given(st.integers(0, 6), st.integers(0, 400))
def test_a_weekday_is_always_within_the_next_seven_days(weekday: int, shift: int) -> None:
    now = TUESDAY + timedelta(days=shift)
    names = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
    (mention,) = read_times_en(f"on {names[weekday]}", now)
    day = date.fromisoformat(mention.facts["date"])
    assert day.weekday() == weekday
    assert 1 <= (day - now.date()).days <= 7
