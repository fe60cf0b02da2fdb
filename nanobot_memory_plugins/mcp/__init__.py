"""The memory of a workspace for every MCP client, over the same plugins and files as any other host."""

COMMANDS = {
    "connect": "Show what a client's file needs to use this memory, and where that file is.",
    "mcp": "Serve the memory to an MCP client, over standard input and output or HTTP.",
}
"""What the help says of each, which imports none of them."""
