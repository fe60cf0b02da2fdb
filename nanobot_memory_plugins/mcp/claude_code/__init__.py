"""Claude Code as a host: a plugin folder whose hooks call the same MCP server as its model's tools."""
