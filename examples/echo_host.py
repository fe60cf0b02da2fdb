"""A host that is not nanobot: a chat loop with memory, in thirty lines. Run it with a workspace folder as argument."""

import asyncio
import sys

from nanobot_memory_plugins.core import MemoryHost

SESSION = "echo:console"


async def answer(prompt: str) -> str:
    """Stand in for a language model: it answers with what it was given."""
    return f"You gave me {len(prompt)} characters:\n{prompt}"


async def main(workspace: str) -> None:
    """Answer each line of standard input, with memory."""
    async with MemoryHost(workspace) as memory:
        history: list[dict[str, str]] = []
        for line in sys.stdin:
            text = line.strip()
            context = await memory.message_received(session_key=SESSION, text=text, history=history)
            # What is known for long stands in the system prompt; what belongs to this message stands beside it.
            known = memory.prompt_entries(session_key=SESSION).text
            prompt = "\n\n".join(filter(None, [known, text, context.block]))
            reply = await answer(prompt)
            await memory.message_sent(session_key=SESSION, text=reply)
            history += [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
            print(reply)
        await memory.session_idle(session_key=SESSION, history=history, ended=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
