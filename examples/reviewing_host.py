"""A host that reviews its drafts: an unsure one is answered again with memories. The user sees only the final answer.

    python reviewing_host.py WORKSPACE http://127.0.0.1:8080/v1

The address is that of any OpenAI-compatible server.
"""

import asyncio
import json
import sys
import urllib.request

from nanobot_memory_plugins.core import MemoryHost, load_config

SESSION = "reviewing:console"


def complete(address: str, messages: list[dict[str, str]]) -> str:
    """Call the language model. It blocks."""
    request = urllib.request.Request(  # noqa: S310  # the address is the user's own
        f"{address}/chat/completions",
        data=json.dumps({"model": "any", "messages": messages}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return str(json.load(response)["choices"][0]["message"]["content"])


def message_with_memories(text: str, block: str | None) -> dict[str, str]:
    """Return the user's message for the model, with memories next to it, never in the system prompt."""
    return {"role": "user", "content": f"{text}\n\n{block}" if block else text}


async def main(workspace: str, address: str) -> None:
    """Answer each line of standard input, with the configuration that `nanobot-memory` reads."""
    async with MemoryHost(workspace, config=load_config()) as memory:
        history: list[dict[str, str]] = []
        for line in sys.stdin:
            text = line.strip()
            context = await memory.message_received(session_key=SESSION, text=text, history=history)
            reply = await asyncio.to_thread(complete, address, [*history, message_with_memories(text, context.block)])
            block = await memory.review_draft(session_key=SESSION, text=text, draft=reply, history=history)
            if block is not None:
                reply = await asyncio.to_thread(complete, address, [*history, message_with_memories(text, block)])
            await memory.message_sent(session_key=SESSION, text=reply)
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
            print(reply, flush=True)
        await memory.session_idle(session_key=SESSION, history=history, ended=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
