"""The guard against deprecated names of Pipecat can fail."""

from __future__ import annotations

import warnings

import pytest
from pipecat.utils.deprecation import warn_deprecated

from tests.deprecations import no_deprecated_pipecat


def test_a_deprecated_name_fails() -> None:
    with pytest.raises(AssertionError, match="`OldFrame` is deprecated"), no_deprecated_pipecat():
        warn_deprecated("`OldFrame` is deprecated since 1.0.0 and will be removed in 2.0.0. Use `NewFrame` instead.")


def test_a_deprecated_class_fails() -> None:
    from pipecat.pipeline.pipeline import Pipeline
    from pipecat.pipeline.task import PipelineTask

    with pytest.raises((AssertionError, DeprecationWarning), match="PipelineTask"), no_deprecated_pipecat():
        PipelineTask(Pipeline([]))


def test_other_warnings_pass_through() -> None:
    with pytest.warns(UserWarning, match="something else"), no_deprecated_pipecat():
        warnings.warn("something else", UserWarning, stacklevel=1)
