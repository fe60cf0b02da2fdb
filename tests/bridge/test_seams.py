"""Where the bridge takes hold of nanobot, and what is said when it cannot."""

from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.bridge import seams
from nanobot_memory_plugins.bridge.attach import attach, bridge_of
from nanobot_memory_plugins.bridge.plugin import host_finding
from nanobot_memory_plugins.bridge.tools import MemorySearchTool, RememberTool
from nanobot_memory_plugins.core.values.diagnosis import Health

IMPOSSIBLE = {"draft review", "tools of subagents"}


async def test_a_seam_that_is_gone_is_reported_and_the_others_hold(install, recorder, server, monkeypatch):
    from nanobot_memory_plugins.bridge import compaction

    def require(owner, *names):
        """Stand for a later nanobot, whose consolidator has no such method; today's needs it itself."""
        if "summarize_transcript" in names:
            raise seams.SeamMissingError("Consolidator has no summarize_transcript")
        return seams.require(owner, *names)

    calls = recorder(recall="A fact.")
    monkeypatch.setattr(compaction, "require", require)
    loop = install().loop()
    bridge = bridge_of(loop)
    assert [seam.name for seam in bridge.seams.all() if not seam.attached and seam.name not in IMPOSSIBLE] == [
        "compaction under token pressure"
    ]
    await loop.process_direct("hello")
    await loop.aclose()
    assert "A fact." in server.requests[-1].last_user
    assert calls.calls("message")


async def test_without_the_loop_messages_and_recall_remain(install, recorder, server, monkeypatch):
    """As in a host whose runtime control leads nowhere."""
    import nanobot_memory_plugins.bridge.attach as attach_module
    import nanobot_memory_plugins.bridge.connection as connection_module
    from nanobot_memory_plugins.bridge.seams import SeamMissingError

    def lost(_ctx):
        raise SeamMissingError("the tool context leads to no AgentLoop")

    monkeypatch.setattr(attach_module, "find_loop", lost)
    monkeypatch.setattr(connection_module, "find_loop", lost)
    recorder(recall="A fact.")
    monkeypatch.setenv("NANOBOT_MEMORY_PLUGINS", "nanobot,recorder,consolidation")
    nanobot = install()
    loop = nanobot.loop()
    await loop.process_direct("hello")
    await loop.aclose()
    bridge = attach_module.attach(SimpleNamespace(bus=loop.bus))
    attached = {seam.name for seam in bridge.seams.all() if seam.attached}
    assert attached == {"recall", "turn saved"}
    bridge.thread.close(5)
    assert "A fact." in server.requests[-1].last_user
    assert [r["role"] for r in nanobot.transcript()] == ["user", "assistant"]


def test_attaching_never_raises():
    for nonsense in (None, object(), SimpleNamespace(bus=None), SimpleNamespace(bus=3, workspace=None, sessions=None)):
        assert attach(nonsense) is None
        assert RememberTool.enabled(nonsense) is False
        assert MemorySearchTool.enabled(nonsense) is False
        assert RememberTool.create(nonsense).name == "remember"


@pytest.mark.parametrize(
    ("version", "health"),
    [
        ("0.3.5", Health.GOOD),
        ("0.4.0rc1", Health.GOOD),
        ("1.0", Health.GOOD),
        ("0.3.0", Health.BAD),
        ("0.2.2.post1", Health.BAD),
        ("0.1.5", Health.BAD),
        ("nonsense", Health.BAD),
    ],
)
def test_the_hosts_version_is_judged(version, health):
    assert host_finding(version).health is health


def test_nanobot_keeps_our_part_when_it_saves_its_file(install):
    from nanobot.config.loader import load_config, save_config

    nanobot = install({"nanobot": {"sweepSessions": 3}})
    save_config(load_config(nanobot.config_file), nanobot.config_file)
    assert bridge_of(nanobot.loop()).configuration.bridge.sweep_sessions == 3


def test_the_released_nanobot_has_what_waits_where_it_is_looked_for():
    from nanobot.agent.context_governance import ContextGovernor

    assert "delta_messages" in ContextGovernor._compact_request_history.__code__.co_varnames
