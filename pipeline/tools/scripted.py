"""The tools of a scenario: each answers what the scenario says."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from memory.tools.spec import ToolError, ToolSpec
from pipeline.scenario import Scenario, ScriptedTool


class ScenarioTool:
    """One scripted tool."""

    def __init__(self, name: str, script: ScriptedTool) -> None:
        """Make the tool.

        Args:
            name: What it is called.
            script: What it answers, and when.
        """
        self._script = script
        self.spec = ToolSpec(name, script.description, script.parameters, script.risky)

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Answer by the script.

        Raises:
            ToolError: The script says so.
        """
        await asyncio.sleep(self._script.delay_s)
        if self._script.error is not None:
            raise ToolError(self._script.error)
        return self._script.returns


def scenario_tools(scenario: Scenario | None) -> list[ScenarioTool]:
    """The tools of a scenario; none without one."""
    return [] if scenario is None else [ScenarioTool(name, script) for name, script in scenario.tools.items()]
