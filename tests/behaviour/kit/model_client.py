"""A client of an OpenAI-compatible server, as a host has one."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from nanobot_memory_plugins.core import Complete


class StatusError(Exception):
    """An HTTP error of the model's server, as clients of such APIs raise it."""

    def __init__(self, status_code: int) -> None:
        super().__init__(status_code)
        self.status_code = status_code


def over_http(base_url: str, *, timeout: float = 60.0) -> Complete:
    """Return ``complete`` for a `MemoryHost`: a small client of an OpenAI-compatible server."""

    def ask(messages: Sequence[Mapping[str, Any]], max_tokens: int, purpose: str) -> str:
        body = {"model": "test", "messages": list(messages), "max_tokens": max_tokens, "user": purpose}
        request = urllib.request.Request(
            f"{base_url}/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return str(json.loads(answer.read())["choices"][0]["message"]["content"])
        except urllib.error.HTTPError as error:
            error.close()
            raise StatusError(error.code) from None
        except urllib.error.URLError as error:
            raise ConnectionError(type(error.reason).__name__) from None

    async def complete(messages: Sequence[Mapping[str, Any]], *, max_tokens: int, purpose: str) -> str:
        return await asyncio.to_thread(ask, messages, max_tokens, purpose)

    return complete
