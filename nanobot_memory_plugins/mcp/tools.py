"""The tools of the memory for a client: listing them, and running one within its bounds."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nanobot_memory_plugins.core import Scope, logger
from nanobot_memory_plugins.mcp.bounds import bounded
from nanobot_memory_plugins.mcp.call import INVALID_PARAMS, RequestError, Result
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.documents import fetch_document, search_documents, told
from nanobot_memory_plugins.mcp.faces import DOCUMENT_TOOLS, YOUR_NOTE, face_of
from nanobot_memory_plugins.mcp.memory import ServedMemory

REMEMBER = "remember"
# What a model hands over to show that the user said it. A server without hooks hears no user: it is not asked for then.
_PROOFS = ("said",)
_NARROWER = "Ask for less: other words, a time with since and until, or one memory by its id."

_Documents = Callable[[ServedMemory, Scope, Mapping[str, Any]], Awaitable[Result]]
_DOCUMENTS: Mapping[str, _Documents] = {"search": search_documents, "fetch": fetch_document}


def reads_only(memory: ServedMemory, name: str) -> bool:
    """Return whether a tool changes nothing, so that it can be given up at any moment."""
    return face_of(name, memory.tool(name)).reads_only


def list_tools(memory: ServedMemory) -> list[dict[str, Any]]:
    """Return the tools as the protocol lists them: those of the plugins, and those of the documents."""
    own = {tool.name: face_of(tool.name, tool).listed(tool.name, tool) for tool in memory.tools()}
    wanted = DOCUMENT_TOOLS if memory.config.core.tools else {}
    documents = {name: face.listed(name) for name, face in wanted.items() if name not in own}
    remember = own.get(REMEMBER, {})
    if memory.hears_user and remember:
        remember["description"] = remember["description"].replace(YOUR_NOTE, "")
    else:
        for proof in _PROOFS:
            remember.get("inputSchema", {}).get("properties", {}).pop(proof, None)
    return [*own.values(), *documents.values()]


async def run_tool(
    memory: ServedMemory, client: Client, scope: Scope, name: str, arguments: Mapping[str, Any]
) -> Result:
    """Run a tool for a client. Raises `RequestError` where there is none of this name."""
    tool = memory.tool(name)
    if tool is None:
        documents = _DOCUMENTS.get(name) if memory.config.core.tools else None
        if documents is None:
            raise RequestError(INVALID_PARAMS, "There is no tool of this name; tools/list names them.")
        return await documents(memory, scope, arguments)
    try:
        answer = await tool.run(arguments, session_key=client.session)
    except Exception as error:  # a third party's tool may fail in any way, and its words may hold anything
        logger.warning("the tool {} failed: {}", name, type(error).__name__)
        return told(f"Error: {name} failed: {type(error).__name__}")
    return told(bounded(answer, _NARROWER))
