"""The one prompt, which a person picks in a client: bring what is remembered into a conversation."""

from collections.abc import Mapping
from typing import Any

from nanobot_memory_plugins.mcp.bounds import bounded
from nanobot_memory_plugins.mcp.call import INVALID_PARAMS, RequestError, Result
from nanobot_memory_plugins.mcp.clients import Client
from nanobot_memory_plugins.mcp.memory import ServedMemory

RECALL = "recall"
_LONGEST_TOPIC = 2_000
_ASKED = "Take what is remembered below into account for the rest of this conversation. Call memory_search for more."
_ABOUT = (
    "Take what is remembered of {topic} into account for the rest of this conversation. Call memory_search for more."
)

PROMPTS: list[dict[str, Any]] = [
    {
        "name": RECALL,
        "title": "Recall",
        "description": "Bring what is remembered of a topic, or without one of the user, into the conversation.",
        "arguments": [{"name": "topic", "description": "A topic, a name or a question.", "required": False}],
    }
]
"""The prompts as the protocol lists them."""


async def get_prompt(memory: ServedMemory, client: Client, name: object, arguments: Mapping[str, Any]) -> Result:
    """Return the message that the person sends by picking the prompt. Raises `RequestError` for another name."""
    if name != RECALL:
        raise RequestError(INVALID_PARAMS, f"There is no prompt of this name; there is {RECALL}.")
    topic = " ".join(str(arguments.get("topic") or "").split())[:_LONGEST_TOPIC]
    search = memory.tool("memory_search")
    found = await search.run({"query": topic}, session_key=client.session) if search is not None else ""
    text = f"{_ABOUT.format(topic=topic) if topic else _ASKED}\n\n{bounded(found, 'memory_search finds more.')}"
    return {
        "description": f"What is remembered of {topic}" if topic else "What is remembered",
        "messages": [{"role": "user", "content": {"type": "text", "text": text.strip()}}],
    }
