"""The reply of a model that answers ``{"reply": "...", "state_update": {...}}``, spoken while it is being written.

    {"reply": "Sure, tomor│row at ten.", "state_update": {"facts": {…}}}
               └─ spoken ─┘└─ soon ───┘                   └─ counts once the answer is whole and sound

What a model makes of that format differs. The reply is found in whatever comes: behind a preamble, in a code block,
under another key, or in a plain text. The update counts only if the whole answer is one valid JSON object.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from processors.json_stream import COLONS, ObjectReader, object_begins
from processors.reply_salvage import has_words, salvage, say_plainly

REPLY = "reply"
UPDATE = "state_update"

# Text in front of the JSON is held back up to this length (a Han character counts three), then it is the reply.
PREAMBLE_CHARS = 100
# What stands beside the JSON is kept up to this length.
_MAX_PROSE = 4000

_HAN_FROM = "\u2e80"
_HAN_WEIGHT = 3
_NO_BRACE = re.compile(rf"\s*[\"'“]?{REPLY}[\"'”]?\s*", re.IGNORECASE)
_NO_BRACE_CHARS = 20
_LIST = re.compile(r"\s*\[\s*[\"{\[]")
_FENCE = re.compile(r"\A\s*`{3,}\w*\s*")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class ReplyResult:
    """What came of an answer.

    Attributes:
        reply: What the agent says; without any words if the answer holds nothing that could be said.
        state_update: The proposed update as it was given; None if there is none, or if the answer is malformed.
        problem: One line that says what is wrong with the answer; None if it has the format that was asked for.
        rest: The end of the reply, which ``ReplyStream.feed`` has not given yet.
    """

    reply: str
    state_update: object | None
    problem: str | None
    rest: str = ""


class ReplyStream:
    """Reads one answer in pieces of any size. How it is cut changes nothing. Never raises."""

    def __init__(self) -> None:
        self._raw: list[str] = []
        self._reply = ""
        self._prose = ""  # outside of any object, not given out
        self._weight = 0
        self._candidate = ""  # may begin an object
        self._object: ObjectReader | None = None
        self._texts: dict[str, str] = {}
        self._found_object = False
        self._is_plain = False
        self._is_read = False

    @property
    def is_written(self) -> bool:
        """Whether the reply seems to be complete, though the answer goes on."""
        return self._is_read or (self._object is not None and self._object.is_written)

    def feed(self, text: str) -> str:
        """Take a piece of the answer.

        Args:
            text: As the model wrote it.

        Returns:
            What is known more of the reply now.
        """
        self._raw.append(text)
        gained = "".join([self._take(character) for character in text])
        self._reply += gained
        return gained

    def finish(self) -> ReplyResult:
        """End the answer."""
        raw = "".join(self._raw)
        rest = self._end()
        if not has_words(self._reply + rest):
            rest += salvage(raw, self._texts, self._prose) if self._found_object else say_plainly(self._prose)
        reply = self._reply + rest
        update, problem = self._judge(raw, reply)
        return ReplyResult(reply, update, problem, rest)

    def _take(self, character: str) -> str:
        if self._is_read:
            return ""
        if self._object is None:
            return self._outside(character)
        was_found = self._object.is_found
        gained = self._object.feed(character)
        if self._object.is_found and not was_found and self._is_plain:
            gained = f" {gained}"
        if self._object.is_ended:
            self._leave(self._object)
        return gained

    def _leave(self, left: ObjectReader) -> None:
        self._is_read = left.is_found
        for key, text in left.texts.items():
            self._texts.setdefault(key, text)
        self._object = None

    # Outside of objects

    def _outside(self, character: str) -> str:
        if self._candidate or character in "{`":
            self._candidate += character
            return self._decide()
        if character in COLONS and self._lacks_brace():
            begun, self._prose = self._prose + character, ""
            return self._enter(begun)
        return self._add_prose(character)

    def _lacks_brace(self) -> bool:
        """Whether the answer begins with the reply's key."""
        is_short = len(self._prose) <= _NO_BRACE_CHARS
        return is_short and not self._found_object and _NO_BRACE.fullmatch(self._prose) is not None

    def _decide(self) -> str:
        begins = object_begins(self._candidate)
        if begins is None:
            return ""
        candidate, self._candidate = self._candidate, ""
        if begins:
            return self._enter(candidate[candidate.index("{") + 1 :])
        return self._add_prose(candidate[0]) + "".join([self._take(waiting) for waiting in candidate[1:]])

    def _enter(self, begun: str) -> str:
        self._object = ObjectReader(REPLY)
        self._found_object = True
        return "".join([self._take(character) for character in begun])

    def _add_prose(self, character: str) -> str:
        self._prose = (self._prose + character)[:_MAX_PROSE]
        self._weight += _HAN_WEIGHT if character >= _HAN_FROM else 1
        if not self._is_plain:
            if self._weight <= PREAMBLE_CHARS or self._found_object or _LIST.match(self._prose):
                return ""
            self._is_plain = True
        return self._give_prose()

    def _give_prose(self) -> str:
        given, self._prose = self._prose, ""
        return given if self._reply else _FENCE.sub("", given)

    # The end

    def _end(self) -> str:
        """Close what is open.

        Returns:
            What it adds to the reply.
        """
        if self._object is not None:
            rest = self._object.finish()
            self._leave(self._object)
            return rest
        candidate, self._candidate = self._candidate.replace("{", "").strip("`"), ""
        if self._is_plain and not self._is_read:
            return candidate
        self._prose = _FENCE.sub("", self._prose + candidate)
        return ""

    def _judge(self, raw: str, reply: str) -> tuple[object | None, str | None]:
        """The update, or what is wrong with the answer."""
        try:
            answer = json.loads(raw, parse_constant=_refuse)
        except (ValueError, RecursionError):
            if not raw.strip():
                return None, "the answer is empty"
            found = "not valid JSON, or not alone" if self._found_object else "no JSON"
            return None, f"the answer is {found}"
        if not isinstance(answer, dict):
            return None, "the answer is JSON, but no object"
        problem = _problem_of(answer, reply)
        return (None, problem) if problem else (_sound(answer.get(UPDATE)), None)


def _problem_of(answer: dict[str, Any], reply: str) -> str | None:
    given = answer.get(REPLY)
    if not isinstance(given, str):
        return f"{REPLY}: {'expected a string' if REPLY in answer else 'missing'}"
    if not has_words(given):
        return f"{REPLY}: there is nothing to say in it"
    if _HALF_PAIR.sub("\ufffd", given) != reply:
        return f"{REPLY}: given twice"
    if not isinstance(answer.get(UPDATE), dict | None):
        return f"{UPDATE}: expected an object"
    return None


def _sound(value: Any) -> Any:
    """The value without half surrogates, which no file takes."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
