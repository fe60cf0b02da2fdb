"""The names of the ``mcp`` package that its two major versions spell differently."""

try:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.fastmcp.exceptions import ResourceError, ToolError

    IS_VERSION_1 = True
except ImportError:  # version 2 has renamed it
    from mcp.server.mcpserver import MCPServer as FastMCP  # type: ignore[import-not-found, no-redef]
    from mcp.server.mcpserver.exceptions import ResourceError, ToolError  # type: ignore[import-not-found, no-redef]

    IS_VERSION_1 = False

__all__ = ["IS_VERSION_1", "FastMCP", "ResourceError", "ToolError", "UnansweredError"]


class UnansweredError(ToolError, ResourceError):
    """A request without an answer. The message is for the client, and contains no value of the memory."""

    def __init__(self, *, message: str) -> None:
        super().__init__(message)
