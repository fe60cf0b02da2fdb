"""The recorded writers of a workspace keep their memories apart, even after the configuration changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nanobot_memory_plugins.bridge.senders import senders_of
from nanobot_memory_plugins.core import MemoryHost
from nanobot_memory_plugins.core.cli.findings import people_finding
from nanobot_memory_plugins.core.scopes.people import UNKNOWN_SENDERS, Senders
from tests.scopes.test_auto_share import config, sees, tell

RECORD = Path("memory") / ".privacy.json"
Channels = dict[str, Any]
MANY: Channels = {"telegram": {"enabled": True, "allowFrom": ["111", "222"]}}


def _senders_of(channels: Channels, *, unified: bool = False) -> Callable[[], Senders]:
    senders = senders_of(channels, unified=unified, approved=lambda _channel: [])
    return lambda: senders


def _torn(file: Path) -> None:
    file.write_text('{"heard": ["al', encoding="utf-8")


def _newer(file: Path) -> None:
    file.write_text('{"heard": {"alice": "2031-01-01"}}', encoding="utf-8")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


@pytest.mark.parametrize("damage", [_torn, _newer, _folder, _link])
async def test_nobody_sees_shared_memory_after_the_record_is_damaged(tmp_path: Path, damage):
    file = tmp_path / RECORD
    async with MemoryHost(tmp_path, config=config()) as memory:
        await tell(memory, "one", {"user": "alice"})
    damage(file)
    for user in ("", "bob", ""):  # Bob's message writes the record again
        async with MemoryHost(tmp_path, config=config()) as memory:
            assert not await sees(memory, f"of {user}", {"user": user} if user else None)
    finding = people_finding(tmp_path, config(), UNKNOWN_SENDERS)
    assert "cannot be read" in finding.state


ALONE = {"telegram": {"enabled": True, "allowFrom": ["111"]}}
ANYBODY = {"telegram": {"enabled": True, "allowFrom": ["*"]}}
BY_NAME = {"telegram": {"enabled": True, "allowFrom": ["ana"]}}
MAIL_TOO = {**ALONE, "email": {"enabled": True, "allowFrom": ["*"]}}
NO_SLACK = {**ALONE, "slack": {"enabled": False}}
OPEN_SLACK, OWN_SLACK = ({**ALONE, "slack": {"enabled": True, **allowed}} for allowed in ({}, {"allowFrom": ["U1"]}))
BELA, ANA, CLI = (
    {"user": user, "channel": channel} for channel, user in (("telegram", "222"), ("telegram", "111"), ("cli", "user"))
)
MAIL, SLACK, MY_SLACK = (
    {"user": user, "channel": channel} for channel, user in (("email", "b@x.org"), ("slack", "U2"), ("slack", "U1"))
)


@pytest.mark.parametrize(
    ("before", "teller", "after", "share"),
    [
        (MANY, BELA, ALONE, "auto"),
        (ANYBODY, BELA, ALONE, "agent"),
        (MANY, BELA, BY_NAME, "auto"),
        (MAIL_TOO, MAIL, ALONE, "auto"),
        (OPEN_SLACK, SLACK, NO_SLACK, "auto"),
    ],
)
async def test_other_writers_stay_apart_after_only_the_owner_is_allowed(
    tmp_path: Path, before: Channels, teller: dict[str, str], after: Channels, share: str
):
    async with MemoryHost(tmp_path, config=config(share=share), senders=_senders_of(before)) as memory:
        await tell(memory, "theirs", teller)
    async with MemoryHost(tmp_path, config=config(), senders=_senders_of(after)) as memory:
        for session, scope in (("mine", ANA), ("here", CLI)):
            assert not await sees(memory, session, scope)
    finding = people_finding(tmp_path, config(), _senders_of(after)())
    assert f"{teller['channel']}:{teller['user']}" in finding.state


@pytest.mark.parametrize(("before", "teller", "after"), [(MANY, ANA, ALONE), (OPEN_SLACK, MY_SLACK, OWN_SLACK)])
async def test_the_only_remaining_writer_is_the_owner_everywhere(
    tmp_path: Path, before: Channels, teller: dict[str, str], after: Channels
):
    async with MemoryHost(tmp_path, config=config(), senders=_senders_of(before)) as memory:
        await tell(memory, "mine", teller)
    async with MemoryHost(tmp_path, config=config(), senders=_senders_of(after)) as memory:
        for session, scope in (("again", ANA), ("here", CLI)):
            assert await sees(memory, session, scope)
