"""Reads from nanobot's configuration and pairing store who may write to it.

nanobot accepts messages from the senders in a channel's ``allowFrom``, and from those whom its owner has approved with
a pairing code. Slack, Mattermost and Signal have their own policies for direct messages and groups.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.configuration import CONFIG_KEY
from nanobot_memory_plugins.core.config.json_file import nanobot_config_file, read_json
from nanobot_memory_plugins.core.scopes.people import Senders

# Local channels without sender names: nanobot's command line, SDK and HTTP interface.
LOCAL_CHANNELS = frozenset({"cli", "api", "sdk"})
# Channels whose senders have an id with further names, as "111|ana" or "+4917|0a1b". The first part is the sender.
_NAMED_ID_CHANNELS = frozenset({"telegram", "signal"})
# The browser's channel. By default it is on, and listens on this machine only.
_WEB_CHANNEL = "websocket"
_FIRST_ACCOUNT = "default"
_ANYBODY = "*"
# The file of approved senders, in the folder of nanobot's configuration.
_PAIRING_FILE = "pairing.json"
# Channels that apply their own policies when no ``allowFrom`` is set.
_POLICY_CHANNELS = frozenset({"slack", "mattermost", "signal"})
# The end of a WhatsApp group's name. Allowing a group allows all of its members.
_WHATSAPP_GROUP_SUFFIX = "@g.us"

ApprovedSenders = Callable[[str], "list[str]"]


def sender_name(channel: str, sender: str) -> str:
    """Return the stable part of a sender's name, without the name that people choose for themselves."""
    return sender.partition("|")[0] if channel in _NAMED_ID_CHANNELS else sender


def senders_of(channels: object, *, unified: bool, approved: ApprovedSenders) -> Senders:
    """Return who may write, according to the ``channels`` object of nanobot's configuration."""
    owner, shared = set(LOCAL_CHANNELS), list[str]()
    for name, section in _enabled_channels(channels):
        if name == _WEB_CHANNEL and _is_local(section):
            owner.add(name)
            continue
        allowed_senders = _allowed_senders(section) or ([_ANYBODY] if name == _WEB_CHANNEL else [])
        allowed = {sender_name(name, sender) for sender in (*allowed_senders, *approved(name))}
        if (
            _is_open(name, section)
            or len(allowed) > 1
            or any(sender == _ANYBODY or sender.endswith(_WHATSAPP_GROUP_SUFFIX) for sender in allowed)
        ):
            shared.append(name)
        else:
            # Telegram also accepts a sender's chosen name. Then the owner is whoever writes in that channel.
            is_name = name == "telegram" and not all(sender.isdigit() for sender in allowed)
            owner |= {name} if is_name else {f"{name}:{sender}" for sender in allowed}
    one_user = unified or not shared
    if not one_user:
        owner = {name for name in owner if ":" not in name and (name in LOCAL_CHANNELS or name == _WEB_CHANNEL)}
    return Senders(frozenset(owner), one_user, unified, by_channel=True, several=tuple(sorted(shared)))


def senders_of_loop(loop: Any) -> Callable[[], Senders]:
    """Return a function that returns who may write to an AgentLoop now, with every approval and revocation.

    When the loop has no channel configuration, several people may write.
    """
    if loop.channels_config is None:
        unknown = Senders(LOCAL_CHANNELS, one_user=False, by_channel=True, several=("channels that cannot be seen",))
        return lambda: unknown

    from nanobot.config.paths import get_data_dir

    @lru_cache(maxsize=1)
    def senders_at(store: Path, _stamp: object) -> Senders:
        approved = partial(_approved_senders, store)
        return senders_of(loop.channels_config, unified=bool(loop._unified_session), approved=approved)

    def senders() -> Senders:
        store = Path(get_data_dir()) / _PAIRING_FILE
        try:
            status = os.stat(store)
        except OSError:
            return senders_at(store, None)
        return senders_at(store, (status.st_mtime_ns, status.st_size))

    return senders


def configured_senders(workspace: Path, source: str) -> Senders | None:
    """Return who may write to the workspace of the user's own nanobot, or None for another host's workspace.

    ``source`` is the file that the memory's configuration was read from: nanobot's own, or one next to it.
    """
    default_file = nanobot_config_file()
    for file in (Path(source), default_file) if source else (default_file,):
        raw, problem = read_json(file)
        if problem or not isinstance(raw, Mapping) or not ("agents" in raw or "channels" in raw):
            continue
        defaults = _subsection(_subsection(raw, "agents"), "defaults")
        named = defaults.get("workspace")
        own_workspace = Path(str(named)).expanduser() if named else default_file.with_name("workspace")
        if own_workspace.resolve() != workspace.resolve() and file == default_file:
            return None
        unified = defaults.get("unifiedSession", defaults.get("unified_session", False)) is True
        return senders_of(
            _subsection(raw, "channels"),
            unified=unified,
            approved=partial(_approved_senders, file.parent / _PAIRING_FILE),
        )
    return None


def _approved_senders(store: Path, channel: str) -> list[str]:
    """Return the senders whom nanobot's owner has approved; anybody, when the file cannot be read."""
    if not store.exists():
        return []
    raw, problem = read_json(store)
    if problem or not isinstance(raw, Mapping):
        return [_ANYBODY]
    return _strings(_subsection(raw, "approved").get(channel))


def _enabled_channels(channels: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and options of each enabled channel, and of each account of a channel with several."""
    extra = channels if isinstance(channels, Mapping) else getattr(channels, "model_extra", None) or {}
    for name, section in extra.items():
        if name in (CONFIG_KEY, "memory_plugins"):
            continue
        plain = section.model_dump() if hasattr(section, "model_dump") else section
        if not isinstance(plain, Mapping):
            continue
        accounts = plain.get("instances")
        if not isinstance(accounts, list):
            if plain.get("enabled", name == _WEB_CHANNEL) is True:
                yield str(name), plain
            continue
        for index, account in enumerate(accounts):
            if isinstance(account, Mapping) and account.get("enabled", plain.get("enabled")) is True:
                yield _account_name(str(name), account, index), {**plain, **account}
    if _WEB_CHANNEL not in extra:
        yield _WEB_CHANNEL, {}


def _account_name(channel: str, account: Mapping[str, Any], index: int) -> str:
    default = _FIRST_ACCOUNT if index == 0 else f"assistant-{index + 1}"
    name = str(account.get("id") or account.get("instanceId") or account.get("instance_id") or default).strip()
    return channel if name == _FIRST_ACCOUNT else f"{channel}.{name}"


def _allowed_senders(section: Mapping[str, Any]) -> list[str]:
    return [*_strings(_allow_from(section)), *_strings(_allow_from(_subsection(section, "dm")))]


def _is_open(name: str, section: Mapping[str, Any]) -> bool:
    """Return whether a channel may accept people whom its configuration does not name. In doubt it may."""
    if name not in _POLICY_CHANNELS or _strings(_allow_from(section)):
        return False
    direct, group = _subsection(section, "dm"), _subsection(section, "group")
    policies = (direct.get("policy"), group.get("policy"), section.get("groupPolicy", section.get("group_policy")))
    groups = _strings(section.get("groupAllowFrom", section.get("group_allow_from"))) + _strings(_allow_from(group))
    return name != "signal" or "open" in policies or bool(groups)


def _subsection(section: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    subsection = section.get(name)
    return subsection if isinstance(subsection, Mapping) else {}


def _allow_from(section: Mapping[str, Any]) -> object:
    return section.get("allowFrom", section.get("allow_from"))


def _is_local(section: Mapping[str, Any]) -> bool:
    if section.get("trustedProxyAuth") or section.get("trusted_proxy_auth"):
        return False
    if section.get("unixSocketPath") or section.get("unix_socket_path"):
        return True
    host = str(section.get("host", "127.0.0.1"))
    return host in ("localhost", "::1") or host.startswith("127.")


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple, set)) else []
