"""Blocks that a host leaves in its history: what they show is not shown again."""

from nanobot_memory_plugins.core import MemoryConfig, MemoryHost, Note

ASKED = "Which port does the staging database listen on?"


async def test_a_note_that_stands_in_an_earlier_block_by_its_tldr_is_not_shown_again(tmp_path):
    plugins = {"storage": {"embedding_provider": "none"}, "recall": {"recall_timeout": 20}}
    config = MemoryConfig.model_validate({"core": {"message_limit": 30}, "plugins": plugins})
    async with MemoryHost(tmp_path, config=config) as memory:
        details = "\n".join(f"Host {n} of the staging database was looked at." for n in range(40))
        await memory.keep(Note(tldr="The staging database listens on port 5433.", details=details))
        await memory.flush_index()
        first = await memory.message_received(session_key="a", text=ASKED)
        assert first.block is not None
        assert "5433" in first.block
        standing = [{"role": "system", "content": first.block}]
        second = await memory.message_received(session_key="b", text=ASKED, history=standing)
    assert second.block is None or "5433" not in second.block
