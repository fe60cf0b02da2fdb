"""Uses everything that a server offers once, with a client of the installed ``mcp`` package.

``python mcp_round_trip.py stdio COMMAND...`` or ``... http URL TOKEN``. It prints one line of JSON. The script imports
nothing of the repository, which is not installed in its environment.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

FACT = "The user's staging database listens on port 5433"
MODERN = hasattr(mcp, "Client")


def as_dict(result: Any) -> dict[str, Any]:
    """Return a result in the form of the protocol, for both versions of the SDK."""
    return dict(result.model_dump(by_alias=True, mode="json", exclude_none=True))


async def connect(stack: AsyncExitStack, arguments: list[str], *, modern: bool) -> tuple[Any, str]:
    """Return a client and its protocol version. A ``modern`` client needs no handshake."""
    kind, first, *rest = arguments
    if kind == "stdio":
        transport: Any = StdioServerParameters(command=first, args=rest)
        streams = stdio_client(transport)
    else:
        http = _http_client(rest[0])
        await stack.enter_async_context(http)
        transport = streams = streamable_http_client(first, http_client=http)
    if modern:
        client: Any = await stack.enter_async_context(mcp.Client(transport))  # type: ignore[attr-defined,unused-ignore]
        return client, str(client.protocol_version)
    read, write, *_ = await stack.enter_async_context(streams)
    session = await stack.enter_async_context(ClientSession(read, write))
    hello = as_dict(await session.initialize())
    return session, str(hello["protocolVersion"])


def _http_client(token: str) -> Any:
    module = __import__("httpx2" if MODERN else "httpx")
    return module.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False)


async def round_trip(client: Any) -> None:
    """Call every tool. Raises `AssertionError` for an unexpected answer."""
    tools = {tool["name"] for tool in as_dict(await client.list_tools())["tools"]}
    check({"memory_search", "memory_get", "remember", "forget"} <= tools, tools)

    async def call(name: str, **given: Any) -> dict[str, Any]:
        return as_dict(await client.call_tool(name, given))

    check("Kept in" in text(await call("remember", text=FACT)), "remember")
    check(FACT in text(await call("memory_search", query="port of the database")), "memory_search")
    check(FACT in text(await call("memory_search")), "the profile")
    check(bool((await call("memory_get"))["isError"]), "an error of a tool")
    check("Removed from" in text(await call("forget", query="port of the staging database")), "forget")


def text(result: dict[str, Any]) -> str:
    """Return the text of a tool's result."""
    return str(result["content"][0]["text"])


def check(is_right: bool, subject: object) -> None:
    """Raise `AssertionError` with the subject unless it is right."""
    if not is_right:
        raise AssertionError(f"{subject}")


async def main(arguments: list[str]) -> None:
    """Make the round trip with a handshake, and for a modern SDK also without one."""
    protocols = []
    for modern in (False, True) if MODERN else (False,):
        async with AsyncExitStack() as stack:
            client, protocol = await connect(stack, arguments, modern=modern)
            await round_trip(client)
            protocols.append(protocol)
    print(json.dumps({"ok": True, "protocols": protocols}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
