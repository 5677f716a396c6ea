"""The reader of words that loads while the conversation has begun."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from memory.inner_state import InnerState
from memory.nouns import Understanding
from pipeline.warming import WarmingUnderstander


class SlowReader:
    def __init__(self, error: Exception | None = None) -> None:
        self.may_finish = threading.Event()
        self.warm = False
        self._error = error

    def warm_up(self) -> None:
        self.may_finish.wait(10)
        if self._error is not None:
            raise self._error
        self.warm = True

    def understand(self, text, *, now, state, language=None) -> Understanding:
        assert self.warm
        return Understanding(text=text, language="en")


def read(understander: WarmingUnderstander) -> Understanding:
    return understander.understand("hello", now=datetime(2026, 3, 10), state=InnerState())


def test_the_first_words_wait_until_the_reader_is_there():
    reader = SlowReader()
    with ThreadPoolExecutor() as pool:
        understander = WarmingUnderstander(reader, pool)
        understander.warm_up()
        assert not reader.warm
        words = pool.submit(read, understander)
        assert not words.done()
        reader.may_finish.set()
        assert words.result(10).text == "hello"


def test_a_reader_that_cannot_load_says_so_where_it_is_needed():
    reader = SlowReader(RuntimeError("no model"))
    reader.may_finish.set()
    with ThreadPoolExecutor() as pool:
        understander = WarmingUnderstander(reader, pool)
        with pytest.raises(RuntimeError, match="no model"):
            read(understander)
