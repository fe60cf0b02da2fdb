"""What each plugin is handed: copies of its own, so that none can change a value for the others or for the host.

Frozen values can be changed by force (``object.__setattr__``, the mapping behind a proxy). Whoever does it changes
only what it was handed itself. Objects of the host's own, which a tool may return, are handed on as they are.
"""

from types import MappingProxyType
from typing import Any

from nanobot_memory_plugins.core.values import Message, Scope

_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})


def copy_argument(value: Any) -> Any:
    """Return a copy of an argument of a hook; what nobody can change, and objects that are not ours, as they are."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Scope:
        return Scope(value.agent, value.user, value.channel, value.session, value.group_chat, value.project)
    if kind is tuple:
        return tuple([copy_argument(item) for item in value])
    if kind is Message:
        calls = copy_argument(value.tool_calls) if value.tool_calls else ()
        return Message(value.role, value.text, value.name, value.tool_call_id, calls, copy_argument(value.raw))
    if kind is MappingProxyType or kind is dict:
        # Most of what a message holds is text: not calling for each saves half of the time.
        copy = {key: item if type(item) is str else copy_argument(item) for key, item in value.items()}
        return MappingProxyType(copy) if kind is MappingProxyType else copy
    return value
