"""The section of the settings that says what the agent can do."""

from __future__ import annotations

import re

from pydantic import Field, field_validator, model_validator

from pipeline.settings_base import NotBlank, Section


class MCPServer(Section):
    """One MCP server: a program that is started, or an address."""

    name: NotBlank
    command: str | None = None
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    only: list[str] = Field(default_factory=list)
    risky: list[str] = Field(default_factory=list)
    safe: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_of(self) -> MCPServer:
        if (self.command is None) == (self.url is None):
            raise ValueError("needs either 'command' (a program) or 'url' (an address)")
        return self


class ToolSettings(Section):
    """What the agent can do."""

    meeting_rooms: bool = Field(False, description="The example: search and book meeting rooms kept beside the memory")
    use: list[str] = Field(default_factory=list, description="Your own: package.module:object, see Tools")
    mcp: list[MCPServer] = Field(
        default_factory=list, description="MCP servers: {name, command, args, env} or {name, url, headers}, see Tools"
    )
    timeout_s: float = Field(8.0, gt=0, description="Longest wait for a tool's result, seconds")
    moment_s: float = Field(0.8, gt=0, description="A tool that takes longer is bridged by 'one moment'")

    @field_validator("use")
    @classmethod
    def _are_entries(cls, entries: list[str]) -> list[str]:
        for entry in entries:
            if not re.fullmatch(r"[\w.]+:[\w]+", entry):
                raise ValueError("expected entries such as package.module:object")
        return entries
