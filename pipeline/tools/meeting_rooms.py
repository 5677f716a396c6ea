"""An example that works: meeting rooms in SQLite, to be searched and booked.

    innervoice chat --set tools.meeting_rooms=true

The rooms are made up the first time; bookings hold no name. To keep rooms of your own, write them into the table
``rooms`` of ``tools/meeting_rooms.sqlite3`` in the memory's folder.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date as Date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from memory.tools.spec import ToolError
from pipeline.tools.context import ToolContext
from pipeline.tools.function import FunctionTool, tool

FILE = "meeting_rooms.sqlite3"
Feature = Literal["window", "projector", "whiteboard", "video"]
FEATURES: tuple[Feature, ...] = ("window", "projector", "whiteboard", "video")

_ROOMS = (
    ("A302", 6, "window"),
    ("B101", 12, "projector"),
    ("C205", 4, ""),
    ("B214", 8, "window whiteboard"),
    ("D410", 20, "projector video whiteboard"),
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (room TEXT PRIMARY KEY, seats INTEGER NOT NULL, features TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS bookings (
  id INTEGER PRIMARY KEY, room TEXT NOT NULL REFERENCES rooms, day TEXT NOT NULL,
  begins TEXT NOT NULL, ends TEXT NOT NULL
);
"""
_FREE = """
SELECT room, seats, features FROM rooms
WHERE seats >= ? AND room NOT IN (SELECT room FROM bookings WHERE day = ? AND begins < ? AND ends > ?)
ORDER BY seats, room
"""

Day = Annotated[str, Field(description="Date, as 2026-01-31")]
Time = Annotated[str, Field(description="Time of day, as 14:30")]


class MeetingRooms:
    """Rooms and their bookings. Every call opens the file anew, so that any thread may make it."""

    def __init__(self, path: Path) -> None:
        """Open the file, and fill an empty one.

        Args:
            path: The SQLite file.
        """
        self._path = path
        with self._open() as database:
            database.executescript(_SCHEMA)
            if not database.execute("SELECT 1 FROM rooms").fetchone():
                database.executemany("INSERT INTO rooms VALUES (?, ?, ?)", _ROOMS)

    def free(
        self, date: str, start: str, end: str, people: int = 1, features: tuple[str, ...] = ()
    ) -> list[dict[str, Any]]:
        """Rooms that are free for the whole time, the smallest first.

        Raises:
            ToolError: A date or time is none.
        """
        day, begins, ends = _span(date, start, end)
        with self._open() as database:
            rows = database.execute(_FREE, (people, day, ends, begins)).fetchall()
        rooms = [(room, seats, held.split()) for room, seats, held in rows]
        return [
            {"room": room, "seats": seats, **dict.fromkeys(held, True)}
            for room, seats, held in rooms
            if set(features) <= set(held)
        ]

    def book(self, room: str, date: str, start: str, end: str) -> dict[str, Any]:
        """Book a room, if it is still free.

        Raises:
            ToolError: There is no such room, or it is taken.
        """
        day, begins, ends = _span(date, start, end)
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            found = database.execute("SELECT room FROM rooms WHERE room = ? COLLATE NOCASE", (room.strip(),)).fetchone()
            if found is None:
                raise ToolError(f"there is no room {room}")
            name = found[0]
            if name not in [row[0] for row in database.execute(_FREE, (0, day, ends, begins))]:
                raise ToolError(f"{name} is taken at that time")
            made = database.execute(
                "INSERT INTO bookings (room, day, begins, ends) VALUES (?, ?, ?, ?)", (name, day, begins, ends)
            )
            return {"room": name, "booking": f"R{made.lastrowid:04d}"}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=5.0)) as database, database:
            yield database


def make_tools(context: ToolContext) -> list[FunctionTool]:
    """The tools of one conversation."""
    rooms = MeetingRooms(context.data_folder() / FILE)

    @tool
    def search_meeting_rooms(
        date: Day, start: Time, end: Time, people: int = 1, features: list[Feature] | None = None
    ) -> list[dict[str, Any]]:
        """Search free meeting rooms by date, time, number of people and features."""
        return rooms.free(date, start, end, people, tuple(features or ()))

    @tool(risky=True)
    def book_meeting_room(room: str, date: Day, start: Time, end: Time) -> dict[str, Any]:
        """Book a meeting room."""
        return rooms.book(room, date, start, end)

    return [search_meeting_rooms, book_meeting_room]


def _span(date: str, start: str, end: str) -> tuple[str, str, str]:
    try:
        day = Date.fromisoformat(date.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{date} is no date") from None
    begins, ends = _clock(start), _clock(end)
    if begins >= ends:
        raise ToolError("the end is not after the start")
    return day, begins, ends


def _clock(text: str) -> str:
    match = re.fullmatch(r"\s*(\d{1,2}):(\d\d)(?::\d\d)?\s*", text)
    if match is None or int(match[1]) > 24 or int(match[2]) > 59:
        raise ToolError(f"{text} is no time of day")
    return f"{int(match[1]):02d}:{match[2]}"
