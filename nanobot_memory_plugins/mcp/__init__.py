"""Serves the memory of a workspace to MCP clients, with the same plugins and files as any other host."""
