"""Pipecat's deprecation warnings as failures.

Pipecat raises many of them under an ``always`` filter, which no ``-W error`` turns into an exception; so
warnings are recorded, those that follow Pipecat's template fail the test, and the others are passed on.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OURS = Path(__file__).resolve().parent.parent
TEMPLATE = re.compile(r"`[^`]+` is deprecated since \d+\.\d+\.\d+ and will be removed in ")


def is_pipecat_deprecation(warning: warnings.WarningMessage) -> bool:
    """Whether Pipecat says that something of it, which our code uses, will go away."""
    if not issubclass(warning.category, DeprecationWarning):
        return False
    if OURS not in Path(warning.filename).parents or ".venv" in Path(warning.filename).parts:
        return False
    return bool(TEMPLATE.match(str(warning.message))) or "pipecat" in str(warning.message).lower()


@contextmanager
def no_deprecated_pipecat() -> Iterator[None]:
    """Raise ``AssertionError`` in the end if a deprecated name of Pipecat was used inside."""
    with warnings.catch_warnings(record=True) as seen:
        yield
    for warning in seen:
        if not is_pipecat_deprecation(warning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    used = [f"{w.filename}:{w.lineno}: {w.message}" for w in seen if is_pipecat_deprecation(w)]
    assert not used, "deprecated names of Pipecat are used:\n" + "\n".join(used)
