"""The owner of a turn: its sender, in the group chat that it is from."""

from collections.abc import Mapping
from typing import Any

from nanobot_memory_plugins.bridge.senders import LOCAL_CHANNELS, sender_name
from nanobot_memory_plugins.bridge.sessions import is_nobody, scope_of
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.scopes.people import Senders
from nanobot_memory_plugins.core.values.scopes import SYSTEM_CHANNEL

# Channels on which every conversation is one person's.
_DIRECT_ONLY = LOCAL_CHANNELS | {"websocket", "email", "weixin", "msteams", "system"}
# What channels say of a direct message, and of another one, in the metadata of a message.
_DIRECT = frozenset({"im", "dm", "d", "p2p", "single", "private", "personal", "c2c", "1"})
_KINDS = ("chat_type", "channel_type", "conversation_type")
_NESTED = ("slack", "mattermost")


def group_chat_of(
    channel: str, chat_id: str, sender: str, metadata: Mapping[str, Any] | None, *, session_key: str = ""
) -> tuple[str, bool]:
    """Return the name of the group chat that a message is from, or nothing, and whether the channel says so.

    Where a channel says nothing, the conversation is one person's when it bears that person's name, else a group's:
    rather too little is shown in it than what is private.
    """
    if not channel or not chat_id or channel in _DIRECT_ONLY:
        return "", True
    name = f"{channel}:{_whole_chat(channel, chat_id, metadata or {}, session_key)}"
    by_metadata = _group_by_metadata(metadata or {})
    if by_metadata is not None:
        return (name, True) if by_metadata else ("", True)
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


def _group_by_metadata(metadata: Mapping[str, Any]) -> bool | None:
    """Return what the metadata says: a group chat, none, or nothing."""
    for place in (metadata, *(metadata.get(name) for name in _NESTED)):
        if not isinstance(place, Mapping):
            continue
        if isinstance(place.get("is_group"), bool):
            return bool(place["is_group"])
        if isinstance(place.get("is_dm"), bool):
            return not place["is_dm"]
        for key in _KINDS:
            if isinstance(place.get(key), str) and place[key]:
                return place[key].lower() not in _DIRECT
        if "guild_id" in place:
            return place["guild_id"] is not None
    return None


def _whole_chat(channel: str, chat_id: str, metadata: Mapping[str, Any], session_key: str) -> str:
    """Return the chat without its threads and topics, which nanobot holds as sessions of their own."""
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
    """Return the scope of a turn; ``senders`` are those who may write to this nanobot."""
    on, chat, user = (str(value or "") for value in (channel, chat_id, sender))
    # On nanobot's own channel the session says who the owner is.
    on = "" if on == SYSTEM_CHANNEL else on
    user = "" if is_nobody(user) else user
    group, certain = group_chat_of(on, chat, user, metadata, session_key=session_key)
    # A turn that nobody wrote cannot tell a group from its owner's own chat: then, too, the session says it.
    if senders.unified or not (certain or (user and not senders.one_user)):
        group = ""
    return scope_of(session_key, channel=on, sender=user, group_chat=group)
