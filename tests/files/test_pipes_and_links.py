"""A pipe, a device or a link in place of a memory file does not block, and is not followed out of the workspace."""

import asyncio
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nanobot_memory_plugins.core.cli.main import app
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.host.memory_host import MemoryHost
from tests.support.files_of import contents_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")

CONFIG = MemoryConfig.model_validate({"plugins": {"storage": {"embeddingProvider": "none"}}})


def outside_of(workspace: Path) -> dict[str, bytes]:
    """Return the files next to the workspace, by name."""
    return contents_of(workspace.parent / "outside")


@pytest.mark.parametrize("name", ["memory/.locks", ".storage"])
def test_nothing_is_written_through_a_linked_memory_folder(tmp_path: Path, name: str) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    (outside / "kept").mkdir(parents=True)
    (outside / "1-0123456789abcdef.spill").write_bytes(b"not ours")
    (workspace / "memory").mkdir(parents=True)
    (workspace / name).symlink_to(outside)

    async def use() -> list[str]:
        async with MemoryHost(workspace, config=CONFIG, llm=summarised) as memory:
            await memory.message_received(session_key="plain", text="Remember that my dog is called Rex.")
            sent = await memory.message_sent(session_key="plain", text="I shall.")
            (remember,) = (tool for tool in memory.tools() if tool.name == "remember")
            said = await remember.run({"text": "The user's cat is called Tabby"}, session_key="plain")
            await memory.session_idle(session_key="plain", history=memory.history("plain"), ended=True)
            await memory.flush_index()
            return [sent.reason, said]

    async def summarised(_messages: object, *, max_tokens: int, purpose: str) -> str:
        return "A summary."

    answers = " ".join(asyncio.run(use()))
    refused = f"{name} cannot be written: it is a symbolic link, and nothing is written through it. Replace it by"
    assert (refused in answers) == (name == "memory/.locks")
    assert outside_of(workspace) == {"1-0123456789abcdef.spill": b"not ours"}
    assert sorted(path.name for path in outside.iterdir()) == ["1-0123456789abcdef.spill", "kept"]


def test_doctor_reports_a_linked_index_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / ".storage").symlink_to(tmp_path / "outside")
    told = " ".join(CliRunner().invoke(app, ["doctor", "--workspace", str(workspace)]).output.split())
    assert "it is a symbolic link" in told
    assert "Replace the link by a folder" in told
    assert outside_of(workspace) == {}


def test_a_link_out_of_the_workspace_is_never_read_into_a_prompt(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    text = "# Agent Memory\n\n## Active Memories\n\n### [aaaaaaaa] fact | 0.60 | 2026-01-01 | 0\nThe plum is ripe.\n"
    (tmp_path / "outside.md").write_text(text)
    long_term = workspace / "memory" / "MEMORY.md"
    long_term.symlink_to(tmp_path / "outside.md")

    async def prompt() -> str:
        async with MemoryHost(workspace, config=CONFIG) as memory:
            base = memory.base_context()
            return base + memory.prompt_entries(base, session_key="plain").text

    assert asyncio.run(prompt()) == ""
    # A link to a file nearby is an arrangement that a person may make.
    long_term.unlink()
    (workspace / "shared.md").write_text(text)
    long_term.symlink_to(workspace / "shared.md")
    assert "The plum is ripe." in asyncio.run(prompt())
