"""``nanobot-memory-redact``: the redactor for pipes and for checks before a commit, without an agent around it."""

from __future__ import annotations

import argparse
import codecs
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from nanobot_memory_plugins.redaction.cli.filters import DONE, FAILED, filter_standard_input
from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import CONTACT_PLACEHOLDERS
from nanobot_memory_plugins.redaction.script.printable import one_line

PROGRAM = "nanobot-memory-redact"
_WRONG_USE = 2
# On a line with one of these, as two other checkers have them, nothing is reported.
_ALLOWED = ("pragma: allowlist secret", "gitleaks:allow")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Where git looks for a byte of zeros, which tells it that a file is no text.
_BEGINNING = 8_000


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
            for line, kind in _secrets_in_file(Path(name), redactor, contacts=contacts):
                sys.stdout.write(f"{one_line(name)}:{line}: {kind}\n")
                status = status or FAILED
        except OSError as error:
            sys.stderr.write(f"{PROGRAM}: {one_line(name)} cannot be read: {error.strerror or type(error).__name__}\n")
            status = _WRONG_USE
    return status


def _secrets_in_file(file: Path, redactor: Redactor, *, contacts: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and the kind of each secret in a file, in order; none in one that is no text."""
    text = _text(file.read_bytes())
    starts = [0]
    while (end := text.find("\n", starts[-1])) >= 0:
        starts.append(end + 1)
    for finding in redactor.findings(text):
        line = bisect_right(starts, finding.start)
        end = starts[line] if line < len(starts) else len(text)
        is_allowed = any(mark in text[starts[line - 1] : end] for mark in _ALLOWED)
        if not is_allowed and (contacts or finding.placeholder not in CONTACT_PLACEHOLDERS):
            yield line, finding.kind


def _text(content: bytes) -> str:
    if content.startswith(_UTF_16):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:_BEGINNING]:
        return ""
    return content.decode("utf-8", "surrogateescape")
