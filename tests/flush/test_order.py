"""Flush goes first, whatever the order of the entry points."""

import pytest

from nanobot_memory_plugins.core import MemoryHost, Query
from nanobot_memory_plugins.core.testing import install_plugin
from tests.flush.conftest import TALK, Model, cut, entries_json

SUMMARISER = """
    from pathlib import Path
    from nanobot_memory_plugins.core import Summary, hookimpl

    @hookimpl
    async def before_compaction(messages, context):
        asked = Path(context.workspace, "order.txt")
        asked.write_text(asked.read_text() + context.plugin_name + " ")
        return Summary(text="shorter", keep_from=len(messages))
"""


async def test_the_silent_turn_comes_before_every_other_plugin(workspace, tmp_path, monkeypatch):
    workspace.mkdir()
    order = workspace / "order.txt"
    order.write_text("")
    site = tmp_path / "site"
    site.mkdir()
    for name in ("aaa", "zzz"):
        install_plugin(site, monkeypatch, name, SUMMARISER)
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "aaa,zzz,flush")

    async def complete(messages, *, max_tokens, purpose):
        order.write_text(order.read_text() + "flush ")
        return "NO_REPLY"

    async with MemoryHost(workspace, llm=complete) as host:
        await cut(host, TALK)
    first, *rest = order.read_text().split()
    assert first == "flush"
    assert sorted(rest) == ["aaa", "zzz"]


@pytest.mark.accept("FL-04")
async def test_what_was_said_is_found_after_the_cut(workspace, monkeypatch):
    """With the store: asked by what it goes with."""
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "flush,storage,recall")
    model = Model(entries_json("The Bluebird project uses PostgreSQL 16 on port 5433."))
    async with MemoryHost(workspace, llm=model) as host:
        await cut(host, TALK)
        await host.flush_index()
        found = await host.search(Query("which port does the Bluebird database use?", use_vectors=False))
    assert "5433" in found.hits[0].text
