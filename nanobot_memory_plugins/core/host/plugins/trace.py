"""Each call of a hook on standard error, for whoever writes a plugin: ``NANOBOT_MEMORY_TRACE=1``.

Texts are shortened, and secrets that redaction knows are hidden.
"""

import os
import sys
from collections.abc import Mapping
from typing import Final

from nanobot_memory_plugins.core.isolation.answers import WrongAnswerError
from nanobot_memory_plugins.core.isolation.attempt import Outcome
from nanobot_memory_plugins.core.isolation.failure import Failure

VARIABLE: Final = "NANOBOT_MEMORY_TRACE"
_SHORT: Final = 60
_LOOKED_AT: Final = 4_000


def is_traced() -> bool:
    """Return whether calls of hooks are to be shown."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def show(name: str, arguments: Mapping[str, object], outcome: Outcome | None, seconds: float) -> None:
    """Show one call: ``plugin.hook(arguments) -> answer (seconds)``."""
    given = ", ".join(f"{key}={_short(value)}" for key, value in arguments.items())
    if isinstance(outcome, Failure):
        answer = f"failed: {outcome.reason} at {outcome.place}"
    elif isinstance(outcome, WrongAnswerError):
        answer = f"ignored: {outcome}"
    else:
        answer = ", ".join(map(_short, outcome)) if outcome else "nothing"
    line = f"{name}({given}) -> {answer} ({seconds:.3f} s)"
    sys.stderr.write(f"memory: {_without_secrets(line)}\n")


def _short(value: object) -> str:
    if isinstance(value, (tuple, list)) and len(value) > 1:
        return f"[{len(value)} of {type(value[-1]).__name__}]"
    # Hidden before it is cut: of the beginning of a secret nothing shows what it is.
    text = _without_secrets(" ".join(repr(value)[:_LOOKED_AT].split()))
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _without_secrets(text: str) -> str:
    from nanobot_memory_plugins.redaction import redact_text  # a host that is not traced does not import it here

    return redact_text(text)
