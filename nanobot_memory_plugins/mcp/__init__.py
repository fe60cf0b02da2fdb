"""The memory of a workspace for every MCP client, over the same plugins and files as any other host."""
