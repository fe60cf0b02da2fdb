"""A program of somebody who uses the Agent SDK: it asks each prompt in one session, with the plugin of a folder."""

import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient


async def main(plugin: str, model: str, *prompts: str) -> None:
    """Ask the prompts, and print what is answered."""
    options = ClaudeAgentOptions(
        plugins=[{"type": "local", "path": plugin}], model=model, permission_mode="bypassPermissions"
    )
    async with ClaudeSDKClient(options=options) as client:
        for prompt in prompts:
            await client.query(prompt)
            async for message in client.receive_response():
                if getattr(message, "result", None) is not None:
                    print(message.result)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
