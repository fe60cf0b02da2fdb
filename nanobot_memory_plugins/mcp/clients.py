"""Works out the session and the person behind a client's calls."""

import secrets
from collections.abc import Mapping
from dataclasses import replace

from nanobot_memory_plugins.core import Scope

# The name of the person at this machine, which tells their memories from other people's, and the channel of a host's
# command line, under which hosts with channels know them.
OWNER = "owner"
_LOCAL_CHANNEL = "cli"
_CHANNEL = "mcp"
# Claude Code sets it for the servers that it starts. Its hooks name the same session.
_CLAUDE_CODE_SESSION = "CLAUDE_CODE_SESSION_ID"
_RANDOM_BYTES = 6


def scope_of(name: str) -> Scope:
    """Return the scope of a person's name: ``owner``, a host's name as ``telegram:111``, or any other name."""
    if name in ("", OWNER):
        return Scope(user=OWNER, channel=_LOCAL_CHANNEL)
    channel, colon, user = name.partition(":")
    return Scope(user=user, channel=channel) if colon and channel and user else Scope(user=name, channel=_CHANNEL)


def process_client(name: str, environment: Mapping[str, str]) -> Scope:
    """Return the session and person of a process's only client, the program that started it for one person."""
    session = environment.get(_CLAUDE_CODE_SESSION, "").strip()
    key = f"claude-code:{session}" if session else f"{_CHANNEL}:{secrets.token_hex(_RANDOM_BYTES)}"
    return replace(scope_of(name), session=key)


def http_client(name: str) -> Scope:
    """Return the session and person of an HTTP server. All programs with its token share one session."""
    return replace(scope_of(name), session=f"{_CHANNEL}:{name}")
