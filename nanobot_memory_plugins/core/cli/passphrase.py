"""The passphrase of an encrypted archive: from a file, or asked for. It never is one of the words of a command."""

import getpass
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.plain import say_note
from nanobot_memory_plugins.core.errors import InputError, WrongUseError
from nanobot_memory_plugins.core.transfer.encryption import check_installed
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# Bytes of a file that are looked at: its first line is the passphrase.
_MOST = 4096

PassphraseFileOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", metavar="FILE", help="The first line of this file is the passphrase of the archive."
    ),
]


def passphrase_from(file: Path | None, *, again: bool = False) -> str:
    """Return the passphrase that stands in a file, else the one that is typed at the terminal; ``again``: twice.

    Raises `InputError`, and `NotInstalledError` where it would be of no use.
    """
    check_installed()
    return _in_file(file.expanduser()) if file is not None else _typed(again=again)


def _in_file(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            line = opened.read(_MOST).partition(b"\n")[0].removesuffix(b"\r").decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            Sentence("{path} cannot be read: {why}.", path=file, why=error.strerror),
            hint="Name a file whose first line is the passphrase.",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            Sentence("{path} is not UTF-8.", path=file), hint="Name a file whose first line is the passphrase."
        ) from error
    if not line:
        raise InputError(
            Sentence("The first line of {path} is empty.", path=file),
            hint="Name a file whose first line is the passphrase.",
        )
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        command = f"chmod 600 {shlex.quote(str(file))}"
        say_note(tr("others can read {path}; `{command}` keeps them out", path=file, command=command))
    return line


def _typed(*, again: bool) -> str:
    if not sys.stdin.isatty():
        raise WrongUseError(
            "There is no terminal at which the passphrase could be asked for.",
            hint="Put it into a file that only you can read, and name that with --passphrase-file.",
        )
    typed = getpass.getpass(tr("Passphrase of the archive: "))
    if not typed:
        raise InputError("No passphrase was typed.", hint="Nothing was changed.")
    if again and getpass.getpass(tr("The same again: ")) != typed:
        raise InputError("The two passphrases differ.", hint="Nothing was changed.")
    return typed
