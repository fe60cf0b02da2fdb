"""``nanobot-memory-redact``: the redactor for pipes and for checks before a commit, without an agent around it.

It reads and writes UTF-8 whatever the locale. Bytes that are no UTF-8 come out as they went in.
"""

import argparse
import codecs
import json
import os
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.rules.rule import CONTACT_PLACEHOLDERS
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.redaction.script.printable import escaped_in_json, one_line, printable

PROGRAM = "nanobot-memory-redact"
_DONE, _FAILED, _WRONG_USE = 0, 1, 2
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
    status = _DONE
    for name in files:
        try:
            for line, kind in _secrets_in_file(Path(name), redactor, contacts=contacts):
                sys.stdout.write(f"{one_line(name)}:{line}: {kind}\n")
                status = status or _FAILED
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


def filter_standard_input(redactor: Redactor, *, jsonl: bool, json_output: bool, program: str) -> int:
    """Redact standard input to standard output, and return the exit status.

    With ``jsonl`` lines of ``{"id", "text"}`` are read and written. With ``json_output`` a line of JSON at the end
    counts what was found by kind, and holds the text where ``jsonl`` is not asked for. ``program`` is the name that
    stands before an error.
    """
    target = sys.stdout.buffer
    try:
        if jsonl:
            found, failed, text = _filter_lines(redactor, sys.stdin.buffer, target, program)
        else:
            found, failed, text = _filter_text(redactor, sys.stdin.buffer, None if json_output else target)
        if json_output:
            summary: dict[str, Any] = {"ok": not failed, "found": dict(sorted(found.items())), "failed": failed}
            if text is not None:
                summary["text"] = text
            _write_line(target, summary)
        target.flush()
    except BrokenPipeError:
        # The reader has gone. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    return _FAILED if failed else _DONE


def _filter_text(redactor: Redactor, source: BinaryIO, target: BinaryIO | None) -> tuple[Counter[str], int, str | None]:
    original = source.read().decode("utf-8", "surrogateescape")
    text = redactor.redact(original)
    if target is not None:
        text = printable(text) if target.isatty() else text
        target.write(text.encode("utf-8", "surrogateescape"))
        return Counter(), 0, None
    return Counter(finding.kind for finding in redactor.findings(original)), 0, text


def _filter_lines(
    redactor: Redactor, source: BinaryIO, target: BinaryIO, program: str
) -> tuple[Counter[str], int, None]:
    found: Counter[str] = Counter()
    failed = 0
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except ValueError as error:
            failed += 1
            problem = tr("line {number}: {why}", number=number, why=error.args[0])
            sys.stderr.write(f"{program}: {problem}\n")
            sys.stderr.flush()
            continue
        found.update(finding.kind for finding in redactor.findings(row["text"]))
        _write_line(target, {"id": row["id"], "text": redactor.redact(row["text"])})
        target.flush()
    return found, failed, None


def _row(line: bytes) -> dict[str, Any]:
    """Read one line; raise ``ValueError`` that says what is wrong with it, never what stands in it."""
    try:
        row = json.loads(line.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise ValueError(Sentence("this is not JSON")) from None
    if not isinstance(row, dict):
        raise ValueError(Sentence("this is not a JSON object"))
    for name in ("id", "text"):
        if name not in row:
            raise ValueError(Sentence("the field {name} is missing", name=name))
    if not isinstance(row["text"], str):
        raise ValueError(Sentence("the field text is not a string"))
    return row


def _write_line(target: BinaryIO, row: dict[str, Any]) -> None:
    line = escaped_in_json(json.dumps(row, ensure_ascii=False))
    try:
        encoded = line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can hold and UTF-8 cannot
        encoded = json.dumps(row).encode("ascii")
    target.write(encoded + b"\n")
