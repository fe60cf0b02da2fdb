"""Single lines of a command, and what is wrong with its arguments: without colours, and light to import."""

from typing import Any

import typer

from nanobot_memory_plugins.redaction.script.printable import one_line, printable

PROGRAM = "nanobot-memory"


def say(text: object, *, err: bool = False) -> None:
    """Write one line as it is, without colours."""
    typer.echo(one_line(str(text)), err=err)


def say_note(text: object) -> None:
    """Write one line to standard error that is no part of the answer, behind the program's name."""
    say(f"{PROGRAM}: {text}", err=True)


def without_controls(error: Any) -> None:
    """Take out of an error in the use of the command line what it quotes of the arguments."""
    for name in ("message", "ui_filename"):
        if isinstance(text := getattr(error, name, None), str):
            setattr(error, name, printable(text))


def told_size(count: int) -> str:
    """Return bytes in the unit that people would use, or nothing."""
    if not count:
        return ""
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
