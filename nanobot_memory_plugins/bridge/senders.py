"""Who may write to a nanobot: as its configuration and its pairing store say.

nanobot lets in whom a channel's ``allowFrom`` names, and whom its owner has approved by a pairing code. Slack,
Mattermost and Signal have policies of their own for direct messages and groups.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.bridge.configuration import CONFIG_KEY
from nanobot_memory_plugins.core.config.json_file import nanobot_config_file, read_json
from nanobot_memory_plugins.core.scopes.people import Senders

# Channels of this machine, on which nanobot itself names nobody: its command line, SDK and HTTP interface.
LOCAL_CHANNELS = frozenset({"cli", "api", "sdk"})
# Channels whose senders have an id and other names besides, as "111|ana" or "+4917|0a1b": the first is the sender.
_WITH_NAME = frozenset({"telegram", "signal"})
# The browser's channel. It is on without being configured, and listens on this machine alone unless told otherwise.
_WEB = "websocket"
_FIRST_ACCOUNT = "default"
_ANYBODY = "*"
# Where nanobot keeps whom its owner has approved, beside its configuration.
_PAIRINGS = "pairing.json"
# Channels that let in by policies of their own where no ``allowFrom`` is set.
_WITH_POLICIES = frozenset({"slack", "mattermost", "signal"})
# What ends the name of a group in WhatsApp: an allowed one lets in all of its members.
_GROUP_OF_WHATSAPP = "@g.us"

Approved = Callable[[str], "list[str]"]


def sender_name(channel: str, sender: str) -> str:
    """Return the name of a sender that stays the same: without the name that people give themselves."""
    return sender.partition("|")[0] if channel in _WITH_NAME else sender


def senders_of(channels: object, *, unified: bool, approved: Approved) -> Senders:
    """Return who may write by a ``channels`` object of nanobot's configuration."""
    owner, several = set(LOCAL_CHANNELS), list[str]()
    for name, section in _enabled(channels):
        if name == _WEB and _is_of_this_machine(section):
            owner.add(name)
            continue
        listed = _listed(section) or ([_ANYBODY] if name == _WEB else [])
        allowed = {sender_name(name, sender) for sender in (*listed, *approved(name))}
        if (
            _is_open(name, section)
            or len(allowed) > 1
            or any(sender == _ANYBODY or sender.endswith(_GROUP_OF_WHATSAPP) for sender in allowed)
        ):
            several.append(name)
        else:
            # Telegram lets in by a sender's own name, too: it is whoever writes there then.
            is_name = name == "telegram" and not all(sender.isdigit() for sender in allowed)
            owner |= {name} if is_name else {f"{name}:{sender}" for sender in allowed}
    one_user = unified or not several
    if not one_user:
        owner = {name for name in owner if ":" not in name and (name in LOCAL_CHANNELS or name == _WEB)}
    return Senders(frozenset(owner), one_user, unified, by_channel=True, several=tuple(sorted(several)))


def senders_of_loop(loop: Any) -> Callable[[], Senders]:
    """Return who may write to an AgentLoop, as of now: anew whenever somebody is approved or revoked.

    Where its configuration cannot be seen, that might be several.
    """
    if loop.channels_config is None:
        unknown = Senders(LOCAL_CHANNELS, one_user=False, by_channel=True, several=("channels that cannot be seen",))
        return lambda: unknown

    from nanobot.config.paths import get_data_dir

    @lru_cache(maxsize=1)
    def senders_at(store: Path, _stamp: object) -> Senders:
        approved = partial(_approved, store)
        return senders_of(loop.channels_config, unified=bool(loop._unified_session), approved=approved)

    def senders() -> Senders:
        store = Path(get_data_dir()) / _PAIRINGS
        try:
            status = os.stat(store)
        except OSError:
            return senders_at(store, None)
        return senders_at(store, (status.st_mtime_ns, status.st_size))

    return senders


def configured_senders(workspace: Path, source: str) -> Senders | None:
    """Return who may write to the workspace of the user's own nanobot; None for another host's workspace.

    ``source`` is the file that the memory's configuration was read from: nanobot's, or one next to it.
    """
    usual = nanobot_config_file()
    for file in (Path(source), usual) if source else (usual,):
        raw, wrong = read_json(file)
        if wrong or not isinstance(raw, Mapping) or not ("agents" in raw or "channels" in raw):
            continue
        defaults = _part(_part(raw, "agents"), "defaults")
        named = defaults.get("workspace")
        own_workspace = Path(str(named)).expanduser() if named else usual.with_name("workspace")
        if own_workspace.resolve() != workspace.resolve() and file == usual:
            return None
        unified = defaults.get("unifiedSession", defaults.get("unified_session", False)) is True
        return senders_of(_part(raw, "channels"), unified=unified, approved=partial(_approved, file.parent / _PAIRINGS))
    return None


def _approved(store: Path, channel: str) -> list[str]:
    """Return whom nanobot's owner has approved. Where that cannot be known, it might be anybody."""
    if not store.exists():
        return []
    raw, wrong = read_json(store)
    if wrong or not isinstance(raw, Mapping):
        return [_ANYBODY]
    return _texts(_part(raw, "approved").get(channel))


def _enabled(channels: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the enabled channels with their options, one with several accounts as often as it has accounts."""
    extra = channels if isinstance(channels, Mapping) else getattr(channels, "model_extra", None) or {}
    for name, section in extra.items():
        if name in (CONFIG_KEY, "memory_plugins"):
            continue
        plain = section.model_dump() if hasattr(section, "model_dump") else section
        if not isinstance(plain, Mapping):
            continue
        accounts = plain.get("instances")
        if not isinstance(accounts, list):
            if plain.get("enabled", name == _WEB) is True:
                yield str(name), plain
            continue
        for place, account in enumerate(accounts):
            if isinstance(account, Mapping) and account.get("enabled", plain.get("enabled")) is True:
                yield _account_name(str(name), account, place), {**plain, **account}
    if _WEB not in extra:
        yield _WEB, {}


def _account_name(channel: str, account: Mapping[str, Any], place: int) -> str:
    usual = _FIRST_ACCOUNT if place == 0 else f"assistant-{place + 1}"
    name = str(account.get("id") or account.get("instanceId") or account.get("instance_id") or usual).strip()
    return channel if name == _FIRST_ACCOUNT else f"{channel}.{name}"


def _listed(section: Mapping[str, Any]) -> list[str]:
    return [*_texts(_allowed(section)), *_texts(_allowed(_part(section, "dm")))]


def _is_open(name: str, section: Mapping[str, Any]) -> bool:
    """Return whether a channel may let in people whom it does not name; in doubt it does."""
    if name not in _WITH_POLICIES or _texts(_allowed(section)):
        return False
    direct, group = _part(section, "dm"), _part(section, "group")
    policies = (direct.get("policy"), group.get("policy"), section.get("groupPolicy", section.get("group_policy")))
    groups = _texts(section.get("groupAllowFrom", section.get("group_allow_from"))) + _texts(_allowed(group))
    return name != "signal" or "open" in policies or bool(groups)


def _part(section: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = section.get(name)
    return part if isinstance(part, Mapping) else {}


def _allowed(section: Mapping[str, Any]) -> object:
    return section.get("allowFrom", section.get("allow_from"))


def _is_of_this_machine(section: Mapping[str, Any]) -> bool:
    if section.get("trustedProxyAuth") or section.get("trusted_proxy_auth"):
        return False
    if section.get("unixSocketPath") or section.get("unix_socket_path"):
        return True
    host = str(section.get("host", "127.0.0.1"))
    return host in ("localhost", "::1") or host.startswith("127.")


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple, set)) else []
