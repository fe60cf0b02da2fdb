"""Who shares a memory, through the host: blocks, the search tool and reading by id keep to the configuration."""

import pytest

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note, Scope
from nanobot_memory_plugins.core.protocols import MemoryTool

PATIENT = {"message_limit": 30, "start_limit": 60}
ANA = Scope(agent="assistant", user="ana", channel="cli", session="cli:ana")
BOB = Scope(agent="assistant", user="bob", channel="web", session="web:bob")
OTHER_AGENT = Scope(agent="clerk", user="ana", channel="cli", session="clerk:ana")
ASKED = "Do you remember the code of the bicycle lock?"
# No digits and letters of hexadecimal numbers alone: ids are made of those.
SECRET = {ANA: "walnut", BOB: "lynx", OTHER_AGENT: "zither"}


async def remember(memory: MemoryHost) -> None:
    for scope, code in SECRET.items():
        text = f"the code of the bicycle lock is {code}"
        await memory.message_received(session_key=scope.session, text=text, scope=scope)
        note = Note(tldr=f"bicycle lock code {code}", tags=("lock",), details="")
        await memory.keep(note, session_key=scope.session, scope=scope)


def tool(memory: MemoryHost, name: str) -> MemoryTool:
    return next(one for one in memory.tools() if one.name == name)


@pytest.mark.accept("NC-10")
async def test_one_agent_shares_its_memory_and_keeps_it_from_another_agent(tmp_path):
    config = MemoryConfig.model_validate(
        {
            "core": {**PATIENT, "share": "agent"},
            "plugins": {"recall": {"recall_timeout": 20}, "storage": {"embedding_provider": "none"}},
        }
    )
    async with MemoryHost(tmp_path, config=config) as memory:
        await remember(memory)
        await memory.flush_index()
        blocks = {
            scope: (await memory.message_received(session_key=scope.session, text=ASKED, scope=scope)).block or ""
            for scope in SECRET
        }
    seen = {scope: {code for code in SECRET.values() if code in block} for scope, block in blocks.items()}
    assert seen[ANA] == seen[BOB] == {SECRET[ANA], SECRET[BOB]}
    assert seen[OTHER_AGENT] == {SECRET[OTHER_AGENT]}
