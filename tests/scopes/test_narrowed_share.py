"""What was learned while everything was shared is nobody else's once less is shared."""

import asyncio

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost

ALICE = {"agent": "a", "user": "alice", "channel": "tg", "session": "sa"}
BOB = {"agent": "a", "user": "bob", "channel": "tg", "session": "sb"}


def config(share: str) -> MemoryConfig:
    return MemoryConfig.model_validate(
        {"core": {"share": share}, "plugins": {"storage": {"embedding_provider": "none"}}}
    )


async def prompt(memory: MemoryHost, scope: dict[str, str] | None, session: str) -> str:
    answer = memory.prompt_entries(memory.base_context(), session_key=session, scope=scope)
    return answer.text + answer.long_term


@pytest.mark.parametrize("share", ["user", "channel", "session"])
async def test_it_stands_in_no_other_users_prompt(tmp_path, share):
    async with MemoryHost(tmp_path, config=config("agent")) as memory:
        await memory.message_received(
            session_key="sa", text="Remember that my favourite dessert is plumtart.", scope=ALICE
        )
        for _ in range(200):
            if "plumtart" in await prompt(memory, BOB, "sb"):
                break
            await asyncio.sleep(0.05)
        assert "plumtart" in await prompt(memory, BOB, "sb")  # so far it is everybody's
    async with MemoryHost(tmp_path, config=config(share)) as memory:
        for scope, session in ((BOB, "sb"), (None, "sx")):
            assert "plumtart" not in await prompt(memory, scope, session)
    if share == "session":
        async with MemoryHost(tmp_path, config=config(share)) as memory:
            assert "plumtart" in await prompt(memory, ALICE, "sa")
