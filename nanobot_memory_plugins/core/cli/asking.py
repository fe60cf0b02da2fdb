"""Questions of a command that are answered with yes or no, in the reader's language."""

import unicodedata

import typer

from nanobot_memory_plugins.core.cli.plain import say_note
from nanobot_memory_plugins.redaction.script.messages import tr


def agrees(question: str, *, default: bool = False) -> bool:
    """Ask until the answer is yes or no, in English or in the reader's language; return ``default`` for none.

    Raises `typer.Abort` where nobody answers: an interrupt, or the end of the input.
    """
    choice = "Y/n" if default else "y/N"
    while True:
        typed = typer.prompt(f"{question} [{choice}]", default="", show_default=False)
        answer = unicodedata.normalize("NFKC", typed).strip().casefold()
        if not answer:
            return default
        if answer in ("y", "yes", tr("yes")):
            return True
        if answer in ("n", "no", tr("no")):
            return False
        say_note(tr("Please answer y or n."))
