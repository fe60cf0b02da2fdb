"""The memory of a workspace for every MCP client, over the same plugins and files as any other host."""

COMMANDS = {
    "mcp": "Serve the memory to an MCP client, over standard input and output or HTTP.",
}
"""What the help says of each, which imports none of them."""
