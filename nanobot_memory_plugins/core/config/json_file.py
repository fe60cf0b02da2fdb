"""A configuration file as JSON, before anything is made of it: light to import."""

import json
from pathlib import Path

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Longer runs of digits are no number that an option could hold, and Python refuses to convert the longest.
_LONGEST_NUMBER = 32


def nanobot_home() -> Path | None:
    """Return ``~/.nanobot``, or None where there is no home."""
    try:
        return Path.home() / ".nanobot"
    except RuntimeError:
        return None


def read_json(path: Path) -> tuple[object, str]:
    """Return a JSON file's content and an empty string, or None and what is wrong with the file."""
    try:
        if not path.is_file():
            return None, Sentence("there is no such file") if not path.exists() else Sentence("this is not a file")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, Sentence("the file is not UTF-8 (at byte {start}); save it as UTF-8", start=error.start)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        return None, Sentence("the file cannot be read ({why})", why=why)
    try:
        return json.loads(text, parse_int=_whole_number), ""
    except json.JSONDecodeError as error:
        return None, Sentence(
            "the file is not JSON: {what} at line {line}, column {column}",
            what=error.msg,
            line=error.lineno,
            column=error.colno,
        )
    except RecursionError:
        return None, Sentence("the file is nested too deeply")


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float("inf")
