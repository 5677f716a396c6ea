"""What all tests share: weights, sample data, and Pipecat's deprecation warnings turned into failures."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from memory.errors import UserError
from pipeline.settings import load_settings
from pipeline.weights import Weights
from tests.deprecations import no_deprecated_pipecat
from tests.fakes.redis_server import RedisServer

ROOT = Path(__file__).resolve().parent.parent

# A slow machine fails no property test, and CI tries the same cases every time.
hypothesis_settings.register_profile(
    "innervoice",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
hypothesis_settings.load_profile("innervoice")


@pytest.fixture(scope="session")
def weights() -> Callable[[str], Path]:
    """``weights(name)``: the folder of a model in the cache; skips the test where it has not been pulled."""
    cache = Weights(load_settings().weights)

    def folder(name: str) -> Path:
        try:
            return cache.path(name)
        except UserError as error:
            pytest.skip(str(error))

    return folder


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Recordings and sentences that are not part of the project; skips the test where there are none."""
    place = Path(os.environ.get("INNERVOICE_SHARED", ROOT.parent / "shared"))
    if not place.is_dir():
        pytest.skip("no shared sample data; name its folder in INNERVOICE_SHARED")
    return place


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server that all tests share; skips the test where there is no ``redis-server``."""
    with RedisServer() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose fixtures use a deprecated name of Pipecat."""
    with no_deprecated_pipecat():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that uses a deprecated name of Pipecat."""
    with no_deprecated_pipecat():
        return (yield)
