"""``nanobot-memory-redact``: redacts standard input, as a filter in a pipe.

It reads and writes UTF-8 regardless of the locale. Invalid bytes are passed through unchanged.
"""

import argparse
import codecs
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO

from nanobot_memory_plugins.redaction.engine.redactor import Redactor
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr
from nanobot_memory_plugins.redaction.script.printable import escape_json, printable

PROGRAM = "nanobot-memory-redact"
_DONE, _FAILED = 0, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 done, 1 it failed, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Redact standard input to standard output.",
        epilog="Exit status: 0 done, 1 it failed, 2 wrong use.",
    )
    add = parser.add_argument
    add("--jsonl", action="store_true", help='read lines of {"id", "text"} and write the same with the text redacted')
    add("--json", action="store_true", help="end with a line of JSON that counts what was found, by kind")
    options = parser.parse_args(arguments)
    return filter_standard_input(Redactor(), jsonl=options.jsonl, json_output=options.json, program=PROGRAM)


def filter_standard_input(redactor: Redactor, *, jsonl: bool, json_output: bool, program: str) -> int:
    """Redact standard input to standard output, and return the exit status.

    With ``jsonl`` lines of ``{"id", "text"}`` are read and written. With ``json_output`` the output ends with a line of
    JSON that counts the findings by kind, and contains the text unless ``jsonl`` is set. ``program`` is the prefix of
    error messages.
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
        # The reader has closed the pipe. Python would raise again when it flushes at exit.
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
    """Parse one line. Raises ``ValueError``, whose message never contains the text of the line."""
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
    line = escape_json(json.dumps(row, ensure_ascii=False))
    try:
        encoded = line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can hold and UTF-8 cannot
        encoded = json.dumps(row).encode("ascii")
    target.write(encoded + b"\n")
