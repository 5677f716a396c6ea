"""What the agent can do: functions of anybody's as tools, scripted ones, and those that the settings name."""

from pipeline.tools.function import FunctionTool, tool

__all__ = ["FunctionTool", "tool"]
