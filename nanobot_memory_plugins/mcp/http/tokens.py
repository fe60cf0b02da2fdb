"""The tokens by which people are known: who has one is that person, and nothing else says who somebody is."""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from nanobot_memory_plugins.core import ConfigurationError
from nanobot_memory_plugins.core.config import read_json
from nanobot_memory_plugins.core.scopes import redact_key
from nanobot_memory_plugins.redaction.script.messages import Sentence

# The owner's token, where no file names any.
TOKEN_VARIABLE = "NANOBOT_MEMORY_MCP_TOKEN"  # noqa: S105  # the name of a variable
SHORTEST = 24
_BYTES = 32
_FORM = 'Write {"owner": "<token>"}, a token for each name.'
_MAKE = "Make one, with `openssl rand -hex 32` say."


class Tokens:
    """Names by their tokens. It keeps digests alone, and compares with all of them in the same time."""

    def __init__(self, by_name: Mapping[str, str]) -> None:
        self._names = {_digest(token): name for name, token in by_name.items()}

    def name_of(self, token: str) -> str | None:
        """Return whose token this is, or None."""
        given, found = _digest(token), None
        for digest, name in self._names.items():
            if secrets.compare_digest(given, digest):
                found = name
        return found


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(_BYTES)


def read_tokens(path: Path) -> Mapping[str, str]:
    """Return the tokens of a file, a JSON object of names and tokens, that only its owner can read.

    Raises `ConfigurationError`, which tells no token.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise ConfigurationError(
            Sentence("{path} cannot be read: {why}.", path=path, why=error.strerror), hint=_FORM
        ) from error
    if os.name != "nt" and stat.S_IMODE(mode) & 0o077:
        raise ConfigurationError(Sentence("Others can read the tokens in {path}.", path=path), hint=f"chmod 600 {path}")
    raw, wrong = read_json(path)
    if wrong or not isinstance(raw, Mapping) or not raw:
        why = wrong or Sentence("an object of names and tokens is expected")
        raise ConfigurationError(Sentence("{path}: {why}.", path=path, why=why), hint=_FORM)
    found = {}
    for name, token in raw.items():
        if not str(name).strip() or redact_key(str(name)) != name:
            raise ConfigurationError(
                Sentence("{path}: a name is empty, or looks like a token itself.", path=path), hint=_FORM
            )
        found[str(name)] = checked(
            token, Sentence("{path}: the token of {name}", path=path, name=json.dumps(name, ensure_ascii=False))
        )
    if len(set(found.values())) < len(found):
        raise ConfigurationError(Sentence("{path}: two people have the same token.", path=path), hint=_MAKE)
    return found


def checked(token: object, what: str) -> str:
    """Return a token that can be one. Raises `ConfigurationError`."""
    if not isinstance(token, str) or not token.isascii() or any(not one.isprintable() or one == " " for one in token):
        raise ConfigurationError(
            Sentence("{what} is not a text of printable ASCII characters without blanks.", what=what), hint=_MAKE
        )
    if len(token) < SHORTEST:
        raise ConfigurationError(
            Sentence("{what} has fewer than {count} characters.", what=what, count=SHORTEST), hint=_MAKE
        )
    return token


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
