"""``share: auto``: who is the owner, who may write, and which chats are groups."""

import json
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.senders import sender_name, senders_of
from nanobot_memory_plugins.bridge.turn_scopes import group_chat_of, turn_scope
from nanobot_memory_plugins.core import MemoryConfig, MemoryHost
from nanobot_memory_plugins.core.config.reading import load_config
from nanobot_memory_plugins.core.scopes.people import People
from nanobot_memory_plugins.core.scopes.scopes import installed_senders
from nanobot_memory_plugins.core.values import Scope
from tests.support.each import each

WORD = "quillwort"


def config(**core: Any) -> MemoryConfig:
    plugins = {"storage": {"embedding_provider": "none"}, "consolidation": {"consolidation_schedule": False}}
    return MemoryConfig.model_validate({"core": {"message_limit": 20, **core}, "plugins": plugins})


async def tell(memory: MemoryHost, session: str, scope: dict[str, str] | None = None) -> None:
    text = f"The code of the vault is {WORD}."
    await memory.message_received(session_key=session, text=text, scope=scope)
    tool = memory.tool("remember")
    assert tool is not None
    await tool.run({"text": text, "said": text}, session_key=session)
    await memory.flush_index()


async def sees(memory: MemoryHost, session: str, scope: dict[str, str] | None = None) -> bool:
    """Return whether a session sees the word in the recalled block and in the prompt, which must agree."""
    context = await memory.message_received(session_key=session, text="Do you remember the code?", scope=scope)
    known = memory.prompt_entries(memory.base_context(), session_key=session, scope=scope).text
    assert (WORD in (context.block or "")) == (WORD in known)
    return WORD in known


@each(
    ("channels", "approved", "one"),
    [
        ({}, [], True),
        ({"telegram": {"enabled": True, "allowFrom": ["1"]}, "qq": {"enabled": True, "allow_from": ["9"]}}, [], True),
        ({"telegram": {"enabled": True, "allowFrom": ["1"]}}, ["1|ana"], True),
        ({"telegram": {"enabled": True}}, ["1|ana", "2|bob"], False),
        ({"telegram": {"enabled": True, "allowFrom": ["1", "2"]}}, [], False),
        ({"telegram": {"enabled": False, "allowFrom": ["*"]}}, [], True),
        ({"feishu": {"instances": [{"enabled": True, "allowFrom": ["*"]}]}}, [], False),
        ({"whatsapp": {"enabled": True, "allowFrom": ["12036@g.us"]}}, [], False),
        ({"slack": {"enabled": True}}, [], False),
        ({"slack": {"enabled": True, "allowFrom": ["U1"]}}, [], True),
        ({"slack": {"enabled": True, "dm": {"policy": "allowlist"}, "groupPolicy": "allowlist"}}, [], False),
        ({"signal": {"enabled": True, "dm": {"enabled": True, "allowFrom": ["+1"]}}}, [], True),
        ({"websocket": {"enabled": True, "host": "0.0.0.0", "token": "x"}}, [], False),
        ({"websocket": {"enabled": True, "trustedProxyAuth": {"assertionHeader": "X-User"}}}, [], False),
    ],
)  # fmt: skip
def test_one_user_is_assumed_if_each_channel_allows_only_one_sender(channels, approved, one):
    assert senders_of(channels, unified=False, approved=lambda _channel: approved).one_user == one
    assert senders_of(channels, unified=True, approved=lambda _channel: approved).one_user


def test_local_channels_and_only_senders_belong_to_the_owner():
    channels = {"telegram": {"enabled": True, "allowFrom": ["1"]}, "discord": {"enabled": True, "allowFrom": ["9"]}}
    people = People({}, senders_of(channels, unified=False, approved=lambda _channel: []))
    for channel, user in (("cli", "user"), ("api", ""), ("websocket", "f00"), ("telegram", "1"), ("discord", "9")):
        assert people.person_of(Scope(channel=channel, user=user)).is_owner
    for channel, user in (("telegram", "2"), ("discord", "1"), ("qq", "1")):
        assert not people.person_of(Scope(channel=channel, user=user)).is_owner
    assert people.person_of(Scope(channel="telegram")) is None
    assert sender_name("telegram", "1|ana") == "1"
    assert sender_name("other", "1|ana") == "1|ana"


@each(
    ("channel", "section", "sender", "is_owner"),
    [
        ("signal", {"dm": {"policy": "allowlist", "allowFrom": ["+4917"]}}, "+4917|0a1b", True),
        ("signal", {"dm": {"policy": "open"}, "allowFrom": ["0a1b"]}, "+5555|ffff", False),
        ("mattermost", {"allowFrom": ["u1"]}, "u1", True),
        ("mattermost", {"allowFromMatchMode": "email", "allowFrom": ["ana@example.org"]}, "x9stranger", False),
        ("mattermost", {"groupPolicy": "allowlist", "dm": {"policy": "allowlist", "allowFrom": ["u1"]}}, "u2", False),
        ("feishu.work", {"instances": [{"id": "work", "enabled": True, "allowFrom": ["ou_1"]}]}, "ou_1", True),
        ("feishu", {"instances": [{"id": "default", "enabled": True, "allowFrom": ["ou_1"]}]}, "ou_1", True),
        ("feishu.work", {"instances": [{"instanceId": "work", "enabled": True, "allowFrom": ["ou_1"]}]}, "ou_1", True),
        ("feishu.b", {"instances": [{"id": "a", "enabled": True, "allowFrom": ["1"]},
                                    {"id": "b", "enabled": True, "allowFrom": ["2"]}]}, "1", False),
        ("feishu.assistant-2", {"instances": [{"enabled": False}, {"enabled": True, "allowFrom": ["2"]}]}, "2", True),
        ("telegram", {"allowFrom": ["ana"]}, "111|ana", True),
        ("telegram", {"allowFrom": ["111"]}, "222|111", False),
    ],
)  # fmt: skip
def test_the_owner_is_recognised_by_the_channels_sender_name(channel, section, sender, is_owner):
    channels = {channel.partition(".")[0]: {"enabled": True, **section}}
    senders = senders_of(channels, unified=False, approved=lambda _channel: [])
    scope = turn_scope(senders, "s", channel=channel, chat_id=sender, sender=sender, metadata={})
    person = People({}, senders).person_of(scope)
    assert (person is not None and person.is_owner) == is_owner


def test_a_command_reads_the_approvals_next_to_its_configuration(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    bot = tmp_path / "bot2"
    for folder, approved in ((tmp_path / ".nanobot", []), (bot, ["222"])):
        folder.mkdir()
        (folder / "pairing.json").write_text(json.dumps({"approved": {"telegram": approved}}), encoding="utf-8")
    defaults = {"workspace": str(tmp_path / "workspace")}
    nanobot = {
        "agents": {"defaults": defaults},
        "channels": {"telegram": {"enabled": True, "allowFrom": ["111"]}},
    }
    (bot / "config.json").write_text(json.dumps(nanobot), encoding="utf-8")

    def one_user() -> bool:
        senders = installed_senders(tmp_path / "workspace", load_config(bot / "config.json"))
        return senders.one_user

    assert not one_user()
    (bot / "pairing.json").unlink()
    assert one_user()
    (bot / "pairing.json").mkdir()
    assert not one_user()


@each(
    ("channel", "chat", "sender", "metadata", "key", "group"),
    [
        ("telegram", "1", "1|ana", {}, "", ""),
        ("telegram", "-100", "1|ana", {}, "telegram:-100:topic:4", "telegram:-100"),
        ("slack", "D1", "U1", {"slack": {"channel_type": "im"}}, "", ""),
        ("slack", "C1", "U1", {"slack": {"channel_type": "mpim"}}, "slack:C1:17.2", "slack:C1"),
        ("discord", "55", "9", {"guild_id": None}, "", ""),
        ("discord", "66", "9", {"guild_id": "7", "parent_channel_id": "55"}, "discord:55:thread:66", "discord:55"),
        ("feishu", "ou_1", "ou_1", {"chat_type": "p2p"}, "", ""),
        ("feishu", "oc_1", "ou_1", {"chat_type": "group"}, "feishu:oc_1:om_2", "feishu:oc_1"),
        ("dingtalk", "group:c1", "9", {"conversation_type": "2"}, "dingtalk:group:c1:9", "dingtalk:group:c1"),
        ("dingtalk", "9", "9", {"conversation_type": "1"}, "", ""),
        ("napcat", "private:9", "9", {"is_group": False}, "", ""),
        ("qq", "g1", "9", {"message_id": "5"}, "", "qq:g1"),
        ("cli", "direct", "user", {}, "another", ""),
    ],
)
def test_group_chats_are_recognised_on_each_channel(channel, chat, sender, metadata, key, group):
    assert group_chat_of(channel, chat, sender, metadata, session_key=key)[0] == group
