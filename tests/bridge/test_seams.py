"""Where the bridge takes hold of nanobot, and what is said when it cannot."""

import subprocess
import sys
import textwrap
from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.bridge import seams
from nanobot_memory_plugins.bridge.attach import attach, bridge_of
from nanobot_memory_plugins.bridge.configuration import read_configuration
from nanobot_memory_plugins.bridge.host_version import host_finding
from nanobot_memory_plugins.bridge.plugin import NanobotPlugin
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


def test_a_loop_is_attached_once(install):
    loop = install().loop()
    bridge = bridge_of(loop)
    assert len(loop._hook_factories) == 1
    providers = loop.tools.get_runtime_context_providers()
    assert [provider.__self__ for provider in providers if getattr(provider, "__self__", None) is bridge.turns] == [
        bridge.turns
    ]


def test_a_loop_that_is_dropped_takes_its_bridge_with_it(install):
    import gc

    nanobot = install()
    loop = nanobot.loop()
    number = id(loop)
    del loop
    gc.collect()
    from nanobot_memory_plugins.bridge.attach import _bridges

    assert number not in _bridges


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


def test_a_file_named_by_the_environment_is_read_where_nanobots_has_nothing(tmp_path, monkeypatch):
    file = tmp_path / "memory.json"
    file.write_text('{"memoryPlugins": {"nanobot": {"startLimit": 1.5}}}', encoding="utf-8")
    monkeypatch.setenv("NANOBOT_MEMORY_CONFIG", str(file))
    assert read_configuration(None).bridge.start_limit == 1.5


@pytest.mark.slow
def test_the_bridge_adds_little_to_nanobots_start():
    """Nothing heavy may be imported with the tools: it belongs to the memory's thread."""
    source = textwrap.dedent(
        """
        import sys, time
        begun = time.process_time()
        import nanobot.agent.loop, nanobot.agent.tools.loader
        nanobot.agent.tools.loader.ToolLoader().discover()
        between = time.process_time()
        import nanobot_memory_plugins.bridge.tools
        ended = time.process_time()
        heavy = {
            "fastembed", "apsw", "numpy", "onnxruntime", "nanobot_memory_plugins.storage",
            "nanobot_memory_plugins.redaction.detectors.rows",
        } & set(sys.modules)
        print((ended - between) / (between - begun), sorted(heavy))
        """
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=True)
    times_nanobots, heavy = done.stdout.split(" ", 1)
    assert heavy.strip() == "[]"
    assert float(times_nanobots) < 1.1  # of processor time; .22 was measured


def test_the_plugin_takes_the_options_of_the_bridge():
    assert "start_limit" in NanobotPlugin.Options.model_fields
