"""Whose a turn is: its sender's, in the group chat that it is from."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from nanobot_memory_plugins.bridge.group_chats import group_chat_of
from nanobot_memory_plugins.bridge.sessions import is_nobody, scope_of
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.scopes.people import Senders
from nanobot_memory_plugins.core.values.scopes import NOBODYS_CHANNEL

# Whose the turn is in which we run; the host asks for its prompt without saying it.
_current: ContextVar[Scope | None] = ContextVar("current_turn_scope", default=None)


class TurnScopes:
    """Says whose turns are. ``senders`` is who may write to this nanobot."""

    def __init__(self, senders: Callable[[], Senders]) -> None:
        self.senders = senders

    def of(
        self, session_key: str, *, channel: object, chat_id: object, sender: object, metadata: Mapping[str, Any] | None
    ) -> Scope:
        """Return the scope of a turn."""
        on, chat, who = (str(one or "") for one in (channel, chat_id, sender))
        # On nanobot's own channel it is the session that says whose it is.
        on = "" if on == NOBODYS_CHANNEL else on
        who = "" if is_nobody(who) else who
        senders = self.senders()
        group, certain = group_chat_of(on, chat, who, metadata, session_key=session_key)
        # A turn that nobody wrote cannot tell a group from its owner's own chat: then, too, the session says it.
        if senders.unified or not (certain or (who and not senders.one_user)):
            group = ""
        return scope_of(session_key, channel=on, sender=who, group_chat=group)


def enter(scope: Scope | None) -> Any:
    """Say whose the turn is that begins here; the answer ends it."""
    return _current.set(scope)


def leave(token: Any) -> None:
    """End what `enter` began."""
    _current.reset(token)


def current_scope(session_key: str) -> Scope | None:
    """Return whose the turn is in which we run, if it is one of this session."""
    scope = _current.get()
    return scope if scope is not None and scope.session == session_key else None
