"""A host other than nanobot: a chat loop with memory, tools, compaction and idle sessions. Run it with a workspace."""

import argparse
import asyncio
import datetime
import sys

from nanobot_memory_plugins.core import MemoryService

SESSION = "echo:console"
WINDOW, LONGEST = 8_000, 40  # tokens of the model's window, and messages before history is cut


async def answer(request: list[dict[str, str]], tools: list[str]) -> str:
    """Replace a language model: call a tool when told to, else answer with the text of the request."""
    said = request[-1]["content"]
    if request[-1]["role"] == "user" and said.startswith("call "):
        return said
    prompt = "\n\n".join(one["content"] for one in request if one["role"] != "assistant")
    return f"You gave me {len(prompt)} characters and the tools {', '.join(tools)}:\n{prompt}"


async def main(workspace: str) -> None:
    """Answer each line of input, with entries in the system prompt and recalled memories next to the message."""
    async with MemoryService(workspace) as memory:
        tools = {tool.name: tool for tool in memory.tools()}
        history: list[dict[str, str]] = []
        for line in sys.stdin:
            turn = memory.turn(SESSION)
            known = await memory.open_turn(turn, line.strip(), history)
            history.append({"role": "user", "content": line.strip()})
            system = [{"role": "system", "content": known}] if known else []
            reply = await answer([*system, *turn.with_block(history)], [*tools, "clock"])
            if reply.startswith("call "):
                _, name, *words = reply.split(maxsplit=2)
                arguments = {"query": "".join(words)}
                async with turn.tool(name, arguments) as call:
                    if name in tools:
                        call.result = await tools[name].run(arguments, session_key=SESSION)
                    else:
                        call.result = f"It is {datetime.datetime.now():%H:%M}."
                history.append({"role": "tool", "content": str(call.result)})
                reply = await answer([*system, *turn.with_block(history)], [*tools, "clock"])
            history.append({"role": "assistant", "content": reply})
            await turn.replied(reply)
            if len(history) > LONGEST:
                summary = await memory.before_compaction(SESSION, history, context_window=WINDOW)
                if summary is not None:
                    history = [{"role": "system", "content": summary.text}, *history[summary.keep_from :]]
            turn.finished(history, context_window=WINDOW)  # this restarts the session's idle timer
            print(reply)
        memory.ended(SESSION, history)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("workspace")
    asyncio.run(main(arguments.parse_args().workspace))
