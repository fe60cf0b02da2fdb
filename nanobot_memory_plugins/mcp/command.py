"""``nanobot-memory mcp``: the memory of a workspace, served to MCP clients."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.cli import say, warn
from nanobot_memory_plugins.core.cli.options import ConfigOption, WorkspaceOption, read_configuration, resolve_workspace
from nanobot_memory_plugins.core.scopes import project_named, project_of
from nanobot_memory_plugins.mcp.clients import OWNER, Client, person_client, process_client
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

if TYPE_CHECKING:
    from nanobot_memory_plugins.mcp.claude_code.hook_tool import HookTool
    from nanobot_memory_plugins.mcp.memory import ServedMemory
    from nanobot_memory_plugins.mcp.service import ProtocolService

_DISTRIBUTION = "nanobot-memory-mcp"
# Set by Claude Code for the servers that it starts, which need not be in that folder.
_PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"
_HOST, _PORT = "127.0.0.1", 8766


def mcp(
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose memory it is: telegram:111, say. Else the owner's.")
    ] = OWNER,
    http: Annotated[bool, typer.Option("--http", help="Over HTTP, instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="For --http: where it listens.")] = _HOST,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="For --http; 0: any that is free.")] = _PORT,
    tokens: Annotated[
        Path | None,
        typer.Option("--tokens", metavar="FILE", help="For --http: a JSON object of names and tokens.", dir_okay=False),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="For --http: a further name of this server."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="URL", help="For --http: a site whose pages may ask."),
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
    # Hooks name the project of every event, and whoever comes over HTTP works elsewhere.
    worked_in = project_named(project) if project is not None else "" if hooks or http else _started_in(os.environ)

    def serve(serving: Callable[[Any], Awaitable[None]], client_of: Callable[[Any], Client]) -> None:
        options, problems = read_configuration(config)
        warn(problems)
        # The SDK and the memory take their time to import: only who serves pays for it.
        from nanobot_memory_plugins.mcp.memory import ServedMemory
        from nanobot_memory_plugins.mcp.service import ProtocolService

        memory = ServedMemory(folder, options, problems, project=worked_in)
        tool = _hook_tool(memory, client_of(None)) if hooks and not http else None
        whose = (lambda _request: tool.client) if tool is not None else client_of
        asyncio.run(_serve(ProtocolService(memory, hidden=tool), serving, whose))

    if http:
        _serve_http(serve, _people(tokens, user, host, os.environ), host, port, allow_host or [], allow_origin or [])
    else:
        _serve_process(serve, process_client(user, os.environ))


def _started_in(environment: Mapping[str, str]) -> str:
    """Return the project of the folder in which a client started this."""
    return project_of(environment.get(_PROJECT_FOLDER) or ".")


def _hook_tool(memory: "ServedMemory", client: Client) -> "HookTool":
    from nanobot_memory_plugins.mcp.claude_code.guard import SECRET_VARIABLE
    from nanobot_memory_plugins.mcp.claude_code.hook_tool import HookTool

    return HookTool(memory, client, os.environ.get(SECRET_VARIABLE, ""))


_Serve = Callable[[Callable[[Any], Awaitable[None]], Callable[[Any], Client]], None]


def _serve_process(serve: _Serve, client: Client) -> None:
    from nanobot_memory_plugins.mcp.stdio import claimed_pipes, serve_pipes

    if sys.stdin.isatty():
        say(
            tr("An MCP client starts this, and talks to it here. `nanobot-memory connect` sets one up; Ctrl-C ends."),
            err=True,
        )
    with claimed_pipes() as pipes:
        serve(lambda server: serve_pipes(server, pipes), lambda _request: client)


def _serve_http(
    serve: _Serve, people: Mapping[str, str], host: str, port: int, hosts: list[str], origins: list[str]
) -> None:
    from nanobot_memory_plugins.mcp.ending import until_told_to_end
    from nanobot_memory_plugins.mcp.http.guard import person_of
    from nanobot_memory_plugins.mcp.http.server import address_of, bound_socket, serve_http
    from nanobot_memory_plugins.mcp.http.tokens import Tokens

    listening = bound_socket(host, port)

    def ready() -> None:
        say(
            tr(
                "The memory is served at {address_of} for: {people}",
                address_of=address_of(listening),
                people=", ".join(people),
            )
        )
        say(tr("Ctrl-C ends it."))

    async def serving(server: Any) -> None:
        await until_told_to_end(
            lambda: serve_http(server, listening, Tokens(people), hosts=hosts, origins=origins, ready=ready)
        )

    serve(serving, lambda request: person_client(person_of(request)))


def _people(file: Path | None, user: str, host: str, environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the tokens by name: of the file, of the variable, or a new one, which is shown. Raises with a hint."""
    from nanobot_memory_plugins.mcp.http.server import is_of_this_machine
    from nanobot_memory_plugins.mcp.http.tokens import TOKEN_VARIABLE, checked, new_token, read_tokens

    if file is not None:
        return read_tokens(file)
    if given := environment.get(TOKEN_VARIABLE):
        return {user: checked(given, TOKEN_VARIABLE)}
    if not is_of_this_machine(host):
        raise ConfigurationError(
            Sentence("{host} can be reached from other machines, and there is no token.", host=host),
            hint=Sentence("Name a file with --tokens, or set {token_variable}.", token_variable=TOKEN_VARIABLE),
        )
    token = new_token()
    say(tr("Authorization: Bearer {token}", token=token))
    say(
        tr(
            "This token holds until the server ends; {token_variable} or --tokens gives one that stays.",
            token_variable=TOKEN_VARIABLE,
        )
    )
    return {user: token}


async def _serve(
    service: "ProtocolService", serving: Callable[[Any], Awaitable[None]], client_of: Callable[[Any], Client]
) -> None:
    from nanobot_memory_plugins.mcp.faces import INSTRUCTIONS, INSTRUCTIONS_BESIDE_HOOKS
    from nanobot_memory_plugins.mcp.sdk import make_server

    service.begin()
    try:
        own = version(_DISTRIBUTION)
        told = INSTRUCTIONS_BESIDE_HOOKS if service.memory.hears_user else INSTRUCTIONS
        await serving(make_server(service.methods, client_of, version=own, instructions=told))
    finally:
        await service.close()
