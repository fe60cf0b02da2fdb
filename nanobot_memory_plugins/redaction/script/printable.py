"""The one function behind every way out: what it returns hides nothing and steers no terminal.

Files keep what they were given. What a person or a model is shown of them goes through `printable`: tables and lines of
the commands, messages of errors, the panel, the log, blocks, prompts and the answers of tools. JSON for programs loses
nothing: there the same characters are escaped.
"""

import re
from typing import Final

from nanobot_memory_plugins.redaction.script.hidden import (
    CONTROLS,
    INVISIBLE,
    INVISIBLE_16_BIT,
    INVISIBLE_BEYOND,
    LINE_BREAKS,
    NEEDED,
)

REPLACEMENT: Final = "\ufffd"
"""Stands where a control character was."""

_SUSPECT = re.compile(f"[{CONTROLS}{LINE_BREAKS}{INVISIBLE_16_BIT}]")
_SUSPECT_BEYOND = re.compile(f"[{INVISIBLE_BEYOND}]")
_FOUND = re.compile(f"(?P<needed>{NEEDED}|\r(?=\n))|(?P<control>[{CONTROLS}])|(?P<line>[{LINE_BREAKS}])|[{INVISIBLE}]+")
_ONE_LINE = str.maketrans("\n\t", "  ")


def printable(text: str, *, control: str = REPLACEMENT) -> str:
    """Return a text as it may be shown: no control, no change of direction, nothing invisible.

    A control character becomes ``control``, each by itself, so that what followed it is seen to be no command. A line
    break other than a line feed becomes a space: no line is added. Invisible characters go, but for those that emoji
    and the scripts that join letters need, where they need them.
    """
    if not _is_suspect(text):
        return text
    return _FOUND.sub(lambda match: _shown(match, control), text)


def one_line(text: str) -> str:
    """Return a text as it may be shown where a line says one thing: without line breaks and tabs, too."""
    return printable(text).replace("\r\n", " ").translate(_ONE_LINE)


def escaped_in_json(encoded: str) -> str:
    """Return JSON in which whatever `printable` would take out is escaped: it reads back as the same value."""
    return _FOUND.sub(_escaped, encoded) if _is_suspect(encoded) else encoded


def _is_suspect(text: str) -> bool:
    if _SUSPECT.search(text) is not None:
        return True
    return not text.isascii() and _SUSPECT_BEYOND.search(text) is not None


def _shown(match: re.Match[str], control: str) -> str:
    if match["needed"]:
        return match[0]
    if match["control"]:
        return control
    return " " if match["line"] else ""


def _escaped(match: re.Match[str]) -> str:
    if match["needed"]:
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
