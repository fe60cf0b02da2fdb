"""The seams at which the bridge attaches to nanobot, and the report of a missing one."""

from types import SimpleNamespace

import pytest

from nanobot_memory_plugins.bridge.connection import Attachment, bridge_of
from nanobot_memory_plugins.bridge.plugin import host_finding
from nanobot_memory_plugins.core.values.diagnosis import Health


async def test_a_seam_that_is_gone_is_reported_and_the_others_hold(install, recorder, server, monkeypatch):
    """Simulates a later nanobot whose loop keeps its hooks elsewhere."""
    from nanobot_memory_plugins.bridge.connection import Bridge

    calls = recorder(recall="A fact.")
    monkeypatch.setattr(Bridge, "_attach_tool_hook", lambda bridge: bridge._loop.no_such_hooks)
    loop = install().loop()
    (gone,) = [seam for seam in bridge_of(loop).seams.values() if not seam.attached]
    assert (gone.name, str(gone.detail)) == ("tool hook", "AgentLoop has no no_such_hooks")
    await loop.process_direct("hello")
    await loop.aclose()
    assert "A fact." in server.requests[-1].last_user
    assert calls.calls("message")


def test_attaching_never_raises():
    for nonsense in (None, object(), SimpleNamespace(bus=None), SimpleNamespace(runtime_control=None)):
        assert Attachment.enabled(nonsense) is False


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

    nanobot = install({"nanobot": {"startLimit": 3}})
    save_config(load_config(nanobot.config_file), nanobot.config_file)
    assert bridge_of(nanobot.loop()).options.start_limit == 3


def test_the_released_nanobot_has_what_waits_where_it_is_looked_for():
    from nanobot.agent.context_governance import ContextGovernor

    assert "delta_messages" in ContextGovernor._compact_request_history.__code__.co_varnames


async def test_a_compaction_of_a_later_nanobot_goes_on_with_what_it_hands_over(install, monkeypatch):
    from nanobot.agent.memory import Consolidator

    async def archive(self, session, **given):
        return sorted(given)

    async def summarise(self, accepted_messages, previous_summary, **given):
        return sorted(given)

    monkeypatch.setattr(Consolidator, "archive_session", archive)
    monkeypatch.setattr(Consolidator, "summarize_transcript", summarise)
    loop = install().loop()
    later = {"archive_end": 1, "budget": 5}
    assert await loop.consolidator.archive_session(object(), **later) == ["archive_end", "budget"]
    assert await loop.consolidator.summarize_transcript([{"role": "user", "content": "x"}], None, room=9) == ["room"]
    await loop.aclose()
