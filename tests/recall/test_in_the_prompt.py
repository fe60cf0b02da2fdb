"""The content of the system prompt is not injected again."""

from pathlib import Path

import pytest

from nanobot_memory_plugins.core import MemoryHost
from tests.support.patient import patient_config

LONG_TERM = "# About me\n\nAna Sousa, allergic to shellfish, lives in Porto.\n"
CONFIG = patient_config()
ASKED = "Do you remember where I live, Ana Sousa?"


@pytest.fixture
async def memory(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(LONG_TERM)
    async with MemoryHost(tmp_path, config=CONFIG) as host:
        await host.flush_index()
        yield host


async def test_a_long_term_file_in_the_prompt_is_not_recalled(memory: MemoryHost):
    memory.prompt_entries(LONG_TERM, session_key="a")
    memory.trim_bootstrap({"MEMORY.md": LONG_TERM})
    assert "Porto" not in ((await memory.message_received(session_key="a", text=ASKED)).block or "")


async def test_the_part_that_is_cut_from_the_prompt_is_recalled(memory: MemoryHost, tmp_path: Path):
    filler = "".join(f"Line {number} about the harbour and its cranes.\n" for number in range(4_000))
    whole = f"# Harbour\n\n{filler}\n{LONG_TERM}\n# Cranes\n\n{filler}"
    (tmp_path / "memory" / "MEMORY.md").write_text(whole)
    await memory.flush_index()
    memory.prompt_entries(whole, session_key="a")
    shown = memory.trim_bootstrap({"MEMORY.md": whole})["MEMORY.md"]
    assert "Porto" not in shown
    assert "Porto" in ((await memory.message_received(session_key="a", text=ASKED)).block or "")
