"""Whose memory a call is about: sessions, people, group chats, and what may be seen on their behalf."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.scopes.people import UNSAID, People
    from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
    from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION, Scopes, without_session

__getattr__ = lazy_names(
    __name__,
    {
        "people": ("People", "UNSAID"),
        "safe_keys": ("redact_key",),
        "scopes": ("NO_SESSION", "Scopes", "without_session"),
    },
)

__all__ = ["NO_SESSION", "UNSAID", "People", "Scopes", "redact_key", "without_session"]
