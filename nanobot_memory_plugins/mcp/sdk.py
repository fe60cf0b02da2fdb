"""The one place that knows the ``mcp`` package, in both of its major versions.

Everything else speaks the protocol's own JSON: a method takes the parameters as they came, and returns the fields of
its result. Version 1 keeps its handlers by the types of requests and wraps their results; version 2 keeps them by the
names of methods, and hands over the context.
"""

import importlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.lowlevel import Server
from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.mcp.call import INTERNAL_ERROR, Call, Method, Progress, RequestError, Result, no_progress
from nanobot_memory_plugins.mcp.clients import Client

NAME = "nanobot-memory"
# For each method the names of the SDK's types: the request of version 1, the result, the parameters of version 2.
_TYPES = {
    "tools/list": ("ListToolsRequest", "ListToolsResult", "PaginatedRequestParams"),
    "tools/call": ("CallToolRequest", "CallToolResult", "CallToolRequestParams"),
    "resources/list": ("ListResourcesRequest", "ListResourcesResult", "PaginatedRequestParams"),
    "resources/templates/list": (
        "ListResourceTemplatesRequest",
        "ListResourceTemplatesResult",
        "PaginatedRequestParams",
    ),
    "resources/read": ("ReadResourceRequest", "ReadResourceResult", "ReadResourceRequestParams"),
    "prompts/list": ("ListPromptsRequest", "ListPromptsResult", "PaginatedRequestParams"),
    "prompts/get": ("GetPromptRequest", "GetPromptResult", "GetPromptRequestParams"),
}

# Says whose a request is: of the HTTP request that it came with, or of None.
ClientOf = Callable[[Any], Client]


def make_server(methods: Mapping[str, Method], client_of: ClientOf, *, version: str, instructions: str) -> Any:
    """Return a low-level server of the installed SDK that answers ``methods``."""
    server: Any = Server(NAME, version=version, instructions=instructions)
    install = _install_in_2 if hasattr(server, "add_request_handler") else _install_in_1
    for name, method in methods.items():
        install(server, name, method, client_of)
    return server


def _install_in_1(server: Any, name: str, method: Method, client_of: ClientOf) -> None:
    types: Any = importlib.import_module("mcp.types")
    errors: Any = importlib.import_module("mcp.shared.exceptions")
    request_type, result_type, _ = _TYPES[name]
    result_model = getattr(types, result_type)

    def failed(code: int, message: str) -> Exception:
        error: Exception = errors.McpError(types.ErrorData(code=code, message=message))
        return error

    async def handle(request: Any) -> Any:
        context = server.request_context
        params = request.params.model_dump(by_alias=True, mode="json") if request.params is not None else {}
        call = Call(client_of(context.request), params, _progress_in_1(context))
        return types.ServerResult(result_model.model_validate(await _answer(method, call, failed)))

    server.request_handlers[getattr(types, request_type)] = handle


def _progress_in_1(context: Any) -> Progress:
    token = getattr(context.meta, "progressToken", None)
    if token is None:
        return no_progress

    async def tell(done: float, activity: str) -> None:
        await _quietly(
            context.session.send_progress_notification(
                token, done, message=activity, related_request_id=str(context.request_id)
            )
        )

    return tell


def _install_in_2(server: Any, name: str, method: Method, client_of: ClientOf) -> None:
    types: Any = importlib.import_module("mcp_types")
    errors: Any = importlib.import_module("mcp.shared.exceptions")
    _, result_type, params_type = _TYPES[name]
    # As a type and not as fields: what a later protocol asks of every result, such as how long it may be kept, is set.
    result_model = getattr(types, result_type)

    def failed(code: int, message: str) -> Exception:
        error: Exception = errors.MCPError(code=code, message=message)
        return error

    async def handle(context: Any, params: Any) -> Any:
        async def tell(done: float, activity: str) -> None:
            await _quietly(context.session.report_progress(done, None, activity))

        given = params.model_dump(by_alias=True, mode="json") if params is not None else {}
        return result_model.model_validate(await _answer(method, Call(client_of(context.request), given, tell), failed))

    server.add_request_handler(name, getattr(types, params_type), handle)


async def _answer(method: Method, call: Call, failed: Callable[[int, str], Exception]) -> Result:
    """Call a method; what it raises becomes the SDK's error, without the words of an error that nobody expected."""
    try:
        return await method(call)
    except RequestError as error:
        raise failed(error.code, error.message) from None
    except Exception as error:
        logger.warning("a request failed: {}", type(error).__name__)
        raise failed(INTERNAL_ERROR, f"The memory failed: {type(error).__name__}.") from None


async def _quietly(telling: Awaitable[object]) -> None:
    """Tell a client something that it may have stopped listening to."""
    try:
        await telling
    except Exception as error:
        logger.debug("a client was not told how far a call is: {}", type(error).__name__)
