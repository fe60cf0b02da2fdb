"""The command ``redact``: a filter that takes secrets out of what runs through it.

It reads and writes UTF-8 whatever the locale. Bytes that are no UTF-8 come out as they went in.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections import Counter
from typing import Annotated, Any, BinaryIO

import typer

from nanobot_memory_plugins.core.redaction.installed_rules import default_redactor
from nanobot_memory_plugins.redaction.script.printable import escaped_in_json, printable

DONE, FAILED = 0, 1


def redact(
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines of {"id", "text"} and write the same with the text redacted.')
    ] = False,
    json_output: Annotated[
        bool, typer.Option("--json", help="End with a line of JSON that counts what was found, by kind.")
    ] = False,
) -> None:
    """Redact standard input to standard output."""
    try:
        found, failed, text = _filter_lines() if jsonl else _filter_text(show=not json_output)
        if json_output:
            summary: dict[str, Any] = {"ok": not failed, "found": dict(sorted(found.items())), "failed": failed}
            if text is not None:
                summary["text"] = text
            _write_line(sys.stdout.buffer, summary)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader has gone. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(FAILED) from None
    raise typer.Exit(FAILED if failed else DONE)


def _filter_text(*, show: bool) -> tuple[Counter[str], int, str | None]:
    redactor = default_redactor()
    original = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    text = redactor.redact(original)
    if show:
        text = printable(text) if sys.stdout.isatty() else text
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        return Counter(), 0, None
    return Counter(finding.kind for finding in redactor.findings(original)), 0, text


def _filter_lines() -> tuple[Counter[str], int, None]:
    redactor = default_redactor()
    found: Counter[str] = Counter()
    failed = 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except ValueError as error:
            failed += 1
            sys.stderr.write(f"redact: line {number}: {error}\n")
            sys.stderr.flush()
            continue
        found.update(finding.kind for finding in redactor.findings(row["text"]))
        _write_line(sys.stdout.buffer, {"id": row["id"], "text": redactor.redact(row["text"])})
        sys.stdout.buffer.flush()
    return found, failed, None


def _row(line: bytes) -> dict[str, Any]:
    """Read one line; raise ``ValueError`` that says what is wrong with it, never what stands in it."""
    try:
        row = json.loads(line.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        raise ValueError("this is not JSON") from None
    if not isinstance(row, dict):
        raise ValueError("this is not a JSON object")
    for name in ("id", "text"):
        if name not in row:
            raise ValueError(f'the field "{name}" is missing')
    if not isinstance(row["text"], str):
        raise ValueError('the field "text" is not a string')
    return row


def _write_line(stream: BinaryIO, row: dict[str, Any]) -> None:
    line = escaped_in_json(json.dumps(row, ensure_ascii=False))
    try:
        encoded = line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can hold and UTF-8 cannot
        encoded = json.dumps(row).encode("ascii")
    stream.write(encoded + b"\n")
