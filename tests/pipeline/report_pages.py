"""What the tests of the report share: a recorded conversation in a folder, and reading the page it gives."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

SESSION = Path(__file__).parent.parent / "data" / "report_session" / "session.jsonl"
HOSTILE = '</script><script>window.stolen=1</script><img src=x onerror="window.stolen=1">\'"&amp;{{7*7}}\u2028'
_VOID = {"meta", "link", "br", "hr", "img", "input", "path"}


def records() -> list[dict[str, Any]]:
    """The synthetic session: six turns, two sessions, one barge-in, one failure, one turn in Mandarin."""
    return [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()]


def write_session(folder: Path, turns: list[dict[str, Any]]) -> Path:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), encoding="utf-8")
    return path


def write_wav(path: Path, samples: np.ndarray, rate: int = 8000, channels: int = 2) -> Path:
    """Write float samples, shape (frames, channels), -1 to 1, as 16-bit."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return path


def record_conversation(folder: Path, rate: int = 8000) -> Path:
    """Write ``conversation.wav``: noise wherever the session's timeline says that somebody speaks."""
    events = [event for turn in records() for event in turn["timeline"]]
    samples = np.zeros((int((events[-1]["t"] + 1) * rate), 2), np.float32)
    noise = np.random.default_rng(7).uniform(-0.4, 0.4, len(samples)).astype(np.float32)
    lanes = {"user_speech_start": 0, "agent_speech_start": 1}
    stops = {"speech_tail": 0, "agent_speech_stop": 1, "barge_in": 1}
    begun = {0: 0.0, 1: 0.0}
    for event in events:
        if event["kind"] in lanes:
            begun[lanes[event["kind"]]] = event["t"]
        elif event["kind"] in stops:
            lane = stops[event["kind"]]
            span = slice(int(begun[lane] * rate), int(event["t"] * rate))
            samples[span, lane] = noise[span]
    return write_wav(folder / "conversation.wav", samples, rate)


def _replace_texts(value: Any, kinds: set[str]) -> Any:
    if isinstance(value, str):
        return value if value in kinds else HOSTILE
    if isinstance(value, list):
        return [_replace_texts(item, kinds) for item in value]
    if isinstance(value, dict):
        return {key: _replace_texts(item, kinds) for key, item in value.items()}
    return value


def hostile_records() -> list[dict[str, Any]]:
    """The session with every text, and every key that a person's words can reach, made hostile."""
    kinds = {event["kind"] for turn in records() for event in turn["timeline"]}
    turns = [_replace_texts(turn, kinds) for turn in records()]
    for turn, original in zip(turns, records(), strict=True):
        turn["started_at"] = original["started_at"]
        turn["inner_state_after"]["facts"] = {HOSTILE: HOSTILE}
        turn["tool_calls"] = [{"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "result": HOSTILE, "status": HOSTILE}]
        turn["latency_ms"][HOSTILE] = 3
    return turns


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@dataclass
class Node:
    """An element of the page."""

    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, matches: Callable[[Node], bool]) -> list[Node]:
        """Elements below this one that match, in the order of the page."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                found += [child] if matches(child) else []
                found += child.all(matches)
        return found

    def tagged(self, tag: str) -> list[Node]:
        return self.all(lambda node: node.tag == tag)

    def classed(self, name: str) -> list[Node]:
        return self.all(lambda node: name in node.classes)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in _VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def read_page(path: Path) -> Node:
    """Parse the page; fails if an element is not closed or closed in the wrong order."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    assert len(reader._open) == 1, "an element is never closed"
    return reader.root
