"""``nanobot-memory-redact``: the redactor for pipes and for checks before a commit, without an agent around it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nanobot_memory_plugins.redaction.cli.check import secrets_in_file
from nanobot_memory_plugins.redaction.cli.filters import DONE, FAILED, filter_standard_input
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.script.printable import one_line

PROGRAM = "nanobot-memory-redact"
_WRONG_USE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 it failed or found something, 2 wrong use."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.check:
        if options.files or options.contacts:
            parser.error("files and --contacts are for --check; without it, standard input is redacted")
        return filter_standard_input(Redactor(), jsonl=options.jsonl, json_output=options.json, program=PROGRAM)
    if options.jsonl or options.json:
        parser.error("--jsonl and --json are for standard input, and --check is for files")
    return _check(options.files, contacts=options.contacts)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Redact standard input to standard output, or name the secrets in files.",
        epilog="Exit status: 0 done, 1 it failed or a secret was found, 2 wrong use or a file that cannot be read.",
    )
    add = parser.add_argument
    add("--jsonl", action="store_true", help='read lines of {"id", "text"} and write the same with the text redacted')
    add("--json", action="store_true", help="end with a line of JSON that counts what was found, by kind")
    add("--check", action="store_true", help="print file, line and kind of each secret in the files, and change none")
    add("--contacts", action="store_true", help="with --check: name e-mail addresses and telephone numbers, too")
    add("--version", action="version", version=f"{PROGRAM} {_version()}")
    add("files", nargs="*", metavar="FILE", help="what --check looks at")
    return parser


def _version() -> str:
    try:
        return version("nanobot-memory-redaction")
    except PackageNotFoundError:
        return "(not installed as a distribution)"


def _check(files: Sequence[str], *, contacts: bool) -> int:
    redactor = Redactor()
    status = DONE
    for name in files:
        try:
            for found in secrets_in_file(Path(name), redactor, contacts=contacts):
                sys.stdout.write(f"{one_line(name)}:{found.line}: {found.kind}\n")
                status = status or FAILED
        except OSError as error:
            sys.stderr.write(f"{PROGRAM}: {one_line(name)} cannot be read: {error.strerror or type(error).__name__}\n")
            status = _WRONG_USE
    return status
