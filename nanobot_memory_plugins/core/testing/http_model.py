"""A small client of an OpenAI-compatible server, as a host would wire one."""

import asyncio
import contextlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nanobot_memory_plugins.core.protocols import Complete


@dataclass(slots=True)
class StatusError(Exception):
    """An HTTP error of the model's server, as clients of such APIs raise it."""

    status_code: int


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
        done: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def work() -> None:
            try:
                answer, error = ask(messages, max_tokens, purpose), None
            except BaseException as caught:
                answer, error = "", caught

            def settle() -> None:
                if done.done():
                    return
                if error is not None:
                    done.set_exception(error)
                else:
                    done.set_result(answer)

            with contextlib.suppress(RuntimeError):  # the test is over
                loop.call_soon_threadsafe(settle)

        # A daemon: a server that never answers must not hold up the end of the tests.
        threading.Thread(target=work, daemon=True).start()
        return await done

    return complete
