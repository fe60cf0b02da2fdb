"""Who is at the other end of a server: the session and the person that a call is for."""

import secrets
from collections.abc import Mapping
from dataclasses import replace

from nanobot_memory_plugins.core import Scope

# Whoever sits at this machine has a name, so that they know their own again where others have names, too; and the
# channel of a host's command line, by which a host that names channels knows them.
OWNER = "owner"
_LOCAL_CHANNEL = "cli"
_CHANNEL = "mcp"
# Set by Claude Code for the servers that it starts: its hooks name the same session.
_CLAUDE_CODE_SESSION = "CLAUDE_CODE_SESSION_ID"
_RANDOM_BYTES = 6


def scope_of(name: str) -> Scope:
    """Return the owner that a name stands for: ``owner``, ``telegram:111`` as hosts name people, or any other name."""
    if name in ("", OWNER):
        return Scope(user=OWNER, channel=_LOCAL_CHANNEL)
    channel, colon, user = name.partition(":")
    return Scope(user=user, channel=channel) if colon and channel and user else Scope(user=name, channel=_CHANNEL)


def process_client(name: str, environment: Mapping[str, str]) -> Scope:
    """Return session and person of a process's one client: that program has started it, on behalf of one person."""
    session = environment.get(_CLAUDE_CODE_SESSION, "").strip()
    key = f"claude-code:{session}" if session else f"{_CHANNEL}:{secrets.token_hex(_RANDOM_BYTES)}"
    return replace(scope_of(name), session=key)


def http_client(name: str) -> Scope:
    """Return session and person of a server over HTTP: all programs that have its token are one session."""
    return replace(scope_of(name), session=f"{_CHANNEL}:{name}")
