"""Who calls the tool that answers the hooks: the host, or its model, which could put words into the user's mouth."""

import secrets
from collections.abc import Mapping

from nanobot_memory_plugins.core import logger
from nanobot_memory_plugins.mcp.claude_code.events import HookEvent

# Standing in no list of tools, it cannot be called by the model of a host that offers what is listed.
HOOK_TOOL = "hook"
SECRET_VARIABLE = "NANOBOT_MEMORY_HOOK_SECRET"  # noqa: S105  # the name of a variable
# What the host says of a call that its model has made; of a hook's it says nothing.
_MODELS_CALL = "claudecode/toolUseId"
_BYTES = 24


def new_secret() -> str:
    """Return a secret that a plugin's hooks and its server share."""
    return secrets.token_urlsafe(_BYTES)


def is_from_hook(event: HookEvent, meta: Mapping[str, object], secret: str) -> bool:
    """Return whether a hook tells of an event: with the plugin's secret, and in no call of the model's.

    ``meta`` is what the host says of the call, ``secret`` that of the plugin, without which nothing is believed.
    """
    if not secret or not secrets.compare_digest(event.secret.encode(), secret.encode()) or _MODELS_CALL in meta:
        logger.warning("an event that no hook has told of is not taken in")
        return False
    return True
