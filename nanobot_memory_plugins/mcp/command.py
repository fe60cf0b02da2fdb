"""``nanobot-memory mcp``: serves the memory of a workspace to MCP clients."""

import asyncio
import os
import secrets
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    WorkspaceOption,
    configuration_of,
    resolve_workspace,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.cli.serving import bound_socket
from nanobot_memory_plugins.core.scopes.projects import named_project, project_of
from nanobot_memory_plugins.mcp.clients import OWNER, http_client, process_client
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Claude Code sets it for the servers that it starts, since they may run in another folder.
_PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"
_HOST, _PORT = "127.0.0.1", 8766
_TOKEN_BYTES = 32


def mcp(
    user: Annotated[
        str,
        typer.Option(
            "--user",
            metavar="NAME",
            help="The person whose memory is used, for example telegram:111; the owner by default.",
        ),
    ] = OWNER,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="For --http: where it listens.")] = _HOST,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="For --http; 0: any that is free.")] = _PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="For --http: a further name of this server."),
    ] = None,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="NAME",
            help="The project that is worked in: a name, or a folder such as `.`; empty for none. Else that of the"
            " folder in which the client started this.",
        ),
    ] = None,
    hooks: Annotated[
        bool,
        typer.Option("--hooks", help="Answer the hooks of the plugin for Claude Code, which says so.", hidden=True),
    ] = False,
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
) -> None:
    """Serve the memory to an MCP client, over standard input and output or HTTP.

    A client starts this by itself; `nanobot-memory connect` tells it how.
    """
    folder = resolve_workspace(workspace)
    token = _token(host, os.environ) if http else ""
    options = configuration_of(config)
    # Hooks name the project of every event, and a client over HTTP works in another folder.
    current_project = (
        named_project(project) if project is not None else "" if hooks or http else _start_project(os.environ)
    )
    # The SDK and the memory are slow to import, so they are imported only when they are needed.
    from nanobot_memory_plugins.mcp.claude_code.hooks import SECRET_VARIABLE, Hooks
    from nanobot_memory_plugins.mcp.http import address_of, serve_http
    from nanobot_memory_plugins.mcp.server import MemoryServer, served_memory
    from nanobot_memory_plugins.mcp.stdio import serve_stdio

    memory = served_memory(folder, options, project=current_project)
    if http:
        listener = bound_socket(host, port)

        def ready() -> None:
            say(tr("The memory is served at {address_of}", address_of=address_of(listener)))
            say(tr("Ctrl-C ends it."))

        http_scope = http_client(user)

        def make_http_server(**options: Any) -> MemoryServer:
            return MemoryServer(memory, lambda: http_scope, **options)

        asyncio.run(serve_http(make_http_server, listener, token, hosts=allow_host or [], ready=ready))
        return
    if sys.stdin.isatty():
        say(
            tr("An MCP client starts this, and talks to it here. `nanobot-memory connect` sets one up; Ctrl-C ends."),
            err=True,
        )
    client = process_client(user, os.environ)
    hook_handler = Hooks(memory, client, os.environ.get(SECRET_VARIABLE, "")) if hooks else None

    def make_stdio_server(**options: Any) -> MemoryServer:
        return MemoryServer(
            memory, lambda: client if hook_handler is None else hook_handler.client, hooks=hook_handler, **options
        )

    serve_stdio(make_stdio_server)


def _start_project(environment: Mapping[str, str]) -> str:
    return project_of(environment.get(_PROJECT_FOLDER) or ".")


def _token(host: str, environment: Mapping[str, str]) -> str:
    """Return the token in the environment, or print and return a new one. Raises `ConfigurationError` with a hint."""
    from nanobot_memory_plugins.mcp.http import TOKEN_VARIABLE, checked_token, is_loopback

    if given := environment.get(TOKEN_VARIABLE):
        return checked_token(given)
    if not is_loopback(host):
        raise ConfigurationError(
            Sentence("{host} can be reached from other machines, and there is no token.", host=host),
            hint=Sentence("Set {token_variable}.", token_variable=TOKEN_VARIABLE),
        )
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    say(tr("Authorization: Bearer {token}", token=token))
    say(
        tr(
            "This token holds until the server ends; {token_variable} gives one that stays.",
            token_variable=TOKEN_VARIABLE,
        )
    )
    return token
