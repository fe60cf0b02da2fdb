"""Whose memory a call is about: sessions, people, group chats, and what may be seen on their behalf."""

from typing import TYPE_CHECKING

from nanobot_memory_plugins.redaction.lazy_names import lazy_names

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.scopes.people import UNSAID, People
    from nanobot_memory_plugins.core.scopes.projects import project_named, project_of
    from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
    from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION, ScopeLike, Scopes, without_session
    from nanobot_memory_plugins.core.scopes.workspace_scopes import asked_senders

__getattr__ = lazy_names(
    __name__,
    {
        "people": ("People", "UNSAID"),
        "projects": ("project_named", "project_of"),
        "safe_keys": ("redact_key",),
        "scopes": ("NO_SESSION", "ScopeLike", "Scopes", "without_session"),
        "workspace_scopes": ("asked_senders",),
    },
)

__all__ = [
    "NO_SESSION",
    "UNSAID",
    "People",
    "ScopeLike",
    "Scopes",
    "asked_senders",
    "project_named",
    "project_of",
    "redact_key",
    "without_session",
]
