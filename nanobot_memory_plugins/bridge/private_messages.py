"""Messages that begin with ``/private``, which nanobot would refuse as an unknown command."""

from typing import Any

_BEGINNINGS = ("/private ", "/private\n")


async def _no_command(_context: object) -> None:
    """Leave the message to the turn."""


def let_private_pass(loop: Any) -> None:
    """Let them reach the model, as any other message. A loop has its commands only after its tools."""
    commands = getattr(loop, "commands", None)
    register, is_known = getattr(commands, "prefix", None), getattr(commands, "_prefix", ())
    if register is None or any(handler is _no_command for _, handler in is_known):
        return
    for beginning in _BEGINNINGS:
        register(beginning, _no_command)
