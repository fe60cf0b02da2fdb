"""Whose memory a call is about: sessions, people, group chats, and what may be seen on their behalf."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nanobot_memory_plugins.core.scopes.people import UNSAID, People
    from nanobot_memory_plugins.core.scopes.safe_keys import redact_key
    from nanobot_memory_plugins.core.scopes.scopes import NO_SESSION, Scopes, without_session

_MODULES = {
    "people": ("People", "UNSAID"),
    "safe_keys": ("redact_key",),
    "scopes": ("NO_SESSION", "Scopes", "without_session"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["NO_SESSION", "UNSAID", "People", "Scopes", "redact_key", "without_session"]


def __getattr__(name: str) -> Any:
    """Import the module of a name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
