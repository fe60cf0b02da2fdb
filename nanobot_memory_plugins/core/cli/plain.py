"""How a command ends, and single lines that it says: light to import."""

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
    """Return the status of a command that ended with an error.

    It is that of wrong use where the command line or the configuration is what has to be corrected.
    """
    is_wrong_use = isinstance(error, ConfigurationError | WrongUseError)
    return WRONG_USE if is_wrong_use else FAILED


def say(text: object, *, err: bool = False, **style: Any) -> None:
    """Write one line as it is; where it goes to a terminal that may show colours, with a ``style`` of Click."""
    line = one_line(str(text))
    typer.echo(typer.style(line, **style) if style and not os.environ.get("NO_COLOR") else line, err=err)


def say_notice(text: object) -> None:
    """Write one line to standard error that is no part of the answer, behind the program's name."""
    say(f"{PROGRAM}: {text}", err=True)


def readable_size(count: int) -> str:
    """Return a number of bytes in a readable unit, or an empty string for 0."""
    if not count:
        return ""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
