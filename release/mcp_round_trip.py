"""One client, of whichever ``mcp`` is installed beside it, and one server: everything that the server offers, once.

``python mcp_round_trip.py stdio COMMAND...`` or ``... http URL TOKEN``. It prints one line of JSON. It stands alone:
the environment in which it runs has the SDK, and nothing of the repository.
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


def plain(result: Any) -> dict[str, Any]:
    """Return a result as the protocol writes it, in both versions of the SDK."""
    return dict(result.model_dump(by_alias=True, mode="json", exclude_none=True))


async def connected(stack: AsyncExitStack, arguments: list[str], *, modern: bool) -> tuple[Any, str]:
    """Return a client and the protocol that it speaks: the session of old, or what begins without a handshake."""
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
    hello = plain(await session.initialize())
    return session, str(hello["protocolVersion"])


def _http_client(token: str) -> Any:
    module = __import__("httpx2" if MODERN else "httpx")
    return module.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False)


async def round_trip(client: Any) -> None:
    """Use all that there is. Raises `AssertionError` where an answer is not what it should be."""
    tools = {tool["name"] for tool in plain(await client.list_tools())["tools"]}
    check({"memory_search", "memory_get", "remember", "forget"} <= tools, tools)

    async def call(name: str, **given: Any) -> dict[str, Any]:
        return plain(await client.call_tool(name, given))

    check("Kept in" in text(await call("remember", text=FACT)), "remember")
    check(FACT in text(await call("memory_search", query="port of the database")), "memory_search")
    check(FACT in text(await call("memory_search")), "the profile")
    check(bool((await call("memory_get"))["isError"]), "an error of a tool")
    check("Removed from" in text(await call("forget", query="port of the staging database")), "forget")


def text(result: dict[str, Any]) -> str:
    """Return the text of a tool's result."""
    return str(result["content"][0]["text"])


def check(holds: bool, what: object) -> None:
    """Raise `AssertionError` unless something holds."""
    if not holds:
        raise AssertionError(f"{what}")


async def main(arguments: list[str]) -> None:
    """Make the round trip with a handshake, and where the SDK tries to do without one, so as well."""
    protocols = []
    for modern in (False, True) if MODERN else (False,):
        async with AsyncExitStack() as stack:
            client, protocol = await connected(stack, arguments, modern=modern)
            await round_trip(client)
            protocols.append(protocol)
    print(json.dumps({"ok": True, "protocols": protocols}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
