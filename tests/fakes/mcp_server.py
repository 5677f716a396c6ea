"""A tiny real MCP server on standard input and output."""

from __future__ import annotations

import json

from mcp.server.mcpserver import MCPServer

server = MCPServer("sheep")


@server.tool()
def count_sheep(field: str) -> str:
    """Count the sheep in a field."""
    if field == "nowhere":
        raise ValueError("there is no such field")
    return json.dumps({"field": field, "sheep": 7})


@server.tool()
def send_sheep(field: str) -> str:
    """Send all sheep to a field."""
    return f"The sheep are on {field}."


if __name__ == "__main__":
    server.run()
