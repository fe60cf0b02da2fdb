"""What comes with an extra of the umbrella distribution, and what to install where it is not there."""

from typing import Final

from nanobot_memory_plugins.core.errors import NotInstalledError
from nanobot_memory_plugins.redaction.script.messages import Sentence

EXTRA_COMMANDS: Final = {
    "bench": "tools",
    "connect": "mcp",
    "demo": "tools",
    "eval": "tools",
    "mcp": "mcp",
    "panel": "panel",
    "postgres": "postgres",
}
"""The commands that no plugin brings, and the extra of each."""


def not_installed(what: str, extra: str) -> NotInstalledError:
    """Return the error for ``what``, which is in the distribution of that extra."""
    return NotInstalledError(
        Sentence("{what} is in nanobot-memory-{extra}, which is not installed.", what=what, extra=extra),
        hint=Sentence("Install it: pip install 'nanobot-memory-plugins[{extra}]'", extra=extra),
    )
