"""Works out the scope of a turn: its sender, and the group chat that it comes from."""

from collections.abc import Mapping
from typing import Any

from nanobot_memory_plugins.bridge.senders import LOCAL_CHANNELS, sender_name
from nanobot_memory_plugins.bridge.sessions import is_nanobot_sender, scope_of
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.scopes.people import Senders
from nanobot_memory_plugins.core.values.scopes import SYSTEM_CHANNEL

# Channels that have only direct messages.
_DIRECT_ONLY = LOCAL_CHANNELS | {"websocket", "email", "weixin", "msteams", "system"}
# The values that mark a direct message, the metadata keys that hold them, and the channels that nest these keys.
_DIRECT_KINDS = frozenset({"im", "dm", "d", "p2p", "single", "private", "personal", "c2c", "1"})
_KIND_KEYS = ("chat_type", "channel_type", "conversation_type")
_NESTING_CHANNELS = ("slack", "mattermost")


def group_chat_of(
    channel: str, chat_id: str, sender: str, metadata: Mapping[str, Any] | None, *, session_key: str = ""
) -> tuple[str, bool]:
    """Return the group chat of a message, empty for a direct message, and whether that is certain.

    A conversation that the channel does not describe is direct when it has the sender's name, else a group chat: in
    doubt, private memories stay hidden.
    """
    if not channel or not chat_id or channel in _DIRECT_ONLY:
        return "", True
    name = f"{channel}:{_parent_chat(channel, chat_id, metadata or {}, session_key)}"
    is_group = _is_group_by_metadata(metadata or {})
    if is_group is not None:
        return (name, True) if is_group else ("", True)
    sender_names = {sender, sender_name(channel, sender), f"private:{sender}"}
    if (
        chat_id in sender_names
        or (channel == "telegram" and chat_id.isdigit())
        or (channel == "slack" and chat_id[:1] == "D")
    ):
        return "", True
    certain = (
        (channel == "telegram" and chat_id.startswith("-"))
        or (channel == "slack" and chat_id[:1] in ("C", "G"))
        or chat_id.startswith("group:")
    )
    return name, certain


def _is_group_by_metadata(metadata: Mapping[str, Any]) -> bool | None:
    """Return whether the metadata describes a group chat, or None when it does not say."""
    for place in (metadata, *(metadata.get(name) for name in _NESTING_CHANNELS)):
        if not isinstance(place, Mapping):
            continue
        if isinstance(place.get("is_group"), bool):
            return bool(place["is_group"])
        if isinstance(place.get("is_dm"), bool):
            return not place["is_dm"]
        for key in _KIND_KEYS:
            if isinstance(place.get(key), str) and place[key]:
                return place[key].lower() not in _DIRECT_KINDS
        if "guild_id" in place:
            return place["guild_id"] is not None
    return None


def _parent_chat(channel: str, chat_id: str, metadata: Mapping[str, Any], session_key: str) -> str:
    """Return the chat that a thread or topic belongs to; nanobot gives each of these its own session."""
    parent = metadata.get("parent_channel_id") or metadata.get("context_chat_id")
    if isinstance(parent, str) and parent and session_key.startswith(f"{channel}:{parent}:"):
        return parent
    return chat_id


def turn_scope(
    senders: Senders,
    session_key: str,
    *,
    channel: object,
    chat_id: object,
    sender: object,
    metadata: Mapping[str, Any] | None,
) -> Scope:
    """Return the scope of a turn. ``senders`` are the people who may write to this nanobot."""
    channel_name, chat, user = (str(value or "") for value in (channel, chat_id, sender))
    # On nanobot's internal channel the owner follows from the session.
    channel_name = "" if channel_name == SYSTEM_CHANNEL else channel_name
    user = "" if is_nanobot_sender(user) else user
    group, certain = group_chat_of(channel_name, chat, user, metadata, session_key=session_key)
    # A generated message does not say whether it is from a group, so that the session decides.
    if senders.unified or not (certain or (user and not senders.one_user)):
        group = ""
    return scope_of(session_key, channel=channel_name, sender=user, group_chat=group)
