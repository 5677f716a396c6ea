"""One reader for all tests of understanding: its models take two seconds to load."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest

from memory.inner_state import InnerState
from memory.nouns import Understanding
from memory.understanding import Understander

TUESDAY = datetime(2026, 3, 10, 9, 0)


@pytest.fixture(scope="session")
def understander() -> Understander:
    return Understander("auto")


@pytest.fixture
def read(understander: Understander) -> Callable[..., Understanding]:
    def understand(text: str, state: InnerState | None = None, now: datetime = TUESDAY) -> Understanding:
        return understander.understand(text, now=now, state=state or InnerState())

    return understand
