"""The local model as a host's ``complete``."""

import asyncio
import json
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core.protocols import Complete
from nanobot_memory_plugins.tools.local_model.server import LocalModelServer

_LIMIT_SECONDS = 1_800.0


def client_of(server: LocalModelServer) -> Complete:
    """Return a ``complete`` that asks the server over HTTP, temperature 0."""

    def ask(messages: Sequence[Mapping[str, Any]], max_tokens: int) -> str:
        body = {"model": server.model_name, "messages": list(messages), "max_tokens": max_tokens, "temperature": 0}
        request = urllib.request.Request(  # our own server on 127.0.0.1
            f"{server.base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_LIMIT_SECONDS) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"] or "")

    async def complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        return await asyncio.to_thread(ask, messages, max_tokens)

    return complete
