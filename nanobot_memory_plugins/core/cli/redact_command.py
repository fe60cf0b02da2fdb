"""``nanobot-memory redact``: a filter that redacts secrets from standard input.

Unlike ``nanobot-memory-redact`` it also applies the rules of other installed distributions.
"""

from typing import Annotated

import typer

from nanobot_memory_plugins.core.cli.plain import PROGRAM
from nanobot_memory_plugins.core.redaction.installed_rules import default_redactor
from nanobot_memory_plugins.redaction.cli import filter_standard_input


def redact(
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines of {"id", "text"} and write the same with the text redacted.')
    ] = False,
    json_output: Annotated[
        bool, typer.Option("--json", help="End with a line of JSON that counts what was found, by kind.")
    ] = False,
) -> None:
    """Redact standard input to standard output."""
    code = filter_standard_input(default_redactor(), jsonl=jsonl, json_output=json_output, program=PROGRAM)
    raise typer.Exit(code)
