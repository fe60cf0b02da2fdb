"""Exit statuses, and single lines of output. It imports little, so that commands start fast."""

import os
from typing import Any

import typer

from nanobot_memory_plugins.core.errors import (
    ConfigurationError,
    NanobotMemoryError,
    WrongUseError,
)
from nanobot_memory_plugins.redaction.script.printable import one_line

PROGRAM = "nanobot-memory"
DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def exit_status(error: NanobotMemoryError) -> int:
    """Return the exit status for an error: that of wrong use if the command line or the configuration is wrong."""
    is_wrong_use = isinstance(error, ConfigurationError | WrongUseError)
    return WRONG_USE if is_wrong_use else FAILED


def say(text: object, *, err: bool = False, **style: Any) -> None:
    """Write one line without markup; on a terminal that shows colours, in a ``style`` of Click."""
    line = one_line(str(text))
    typer.echo(typer.style(line, **style) if style and not os.environ.get("NO_COLOR") else line, err=err)


def say_notice(text: object) -> None:
    """Write one line to standard error, prefixed with the program's name; it is no part of the command's result."""
    say(f"{PROGRAM}: {text}", err=True)


def readable_size(count: int) -> str:
    """Return a number of bytes in a readable unit, or an empty string for 0."""
    if not count:
        return ""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
