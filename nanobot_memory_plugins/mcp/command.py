"""``nanobot-memory mcp``: the memory of a workspace, served to MCP clients."""

import asyncio
import os
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import (
    ConfigOption,
    ConfigProblem,
    MemoryConfig,
    WorkspaceOption,
    read_configuration,
    resolve_workspace,
)
from nanobot_memory_plugins.core.cli import warn
from nanobot_memory_plugins.mcp.clients import OWNER, process_client

_DISTRIBUTION = "nanobot-memory-mcp"


def mcp(
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose memory it is: telegram:111, say. Else the owner's.")
    ] = OWNER,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
) -> None:
    """Serve the memory to an MCP client, over standard input and output.

    A client starts this by itself, once its configuration names the command.
    """
    folder = resolve_workspace(workspace)
    options, problems = read_configuration(config)
    warn(problems)
    _serve_process(folder, options, problems, user)


def _serve_process(folder: Path, options: MemoryConfig, problems: list[ConfigProblem], user: str) -> None:
    # The SDK takes its time to import: only who serves pays for it.
    from nanobot_memory_plugins.mcp.stdio import claimed_pipes, serve_pipes

    with claimed_pipes() as pipes:
        from nanobot_memory_plugins.mcp.faces import INSTRUCTIONS
        from nanobot_memory_plugins.mcp.memory import ServedMemory
        from nanobot_memory_plugins.mcp.sdk import make_server
        from nanobot_memory_plugins.mcp.service import MemoryService

        client = process_client(user, os.environ)

        async def serve() -> None:
            service = MemoryService(ServedMemory(folder, options, problems))
            service.begin()
            server = make_server(
                service.methods, lambda _request: client, version=version(_DISTRIBUTION), instructions=INSTRUCTIONS
            )
            try:
                await serve_pipes(server, pipes)
            finally:
                await service.close()

        asyncio.run(serve())
