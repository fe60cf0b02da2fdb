"""A configuration file as JSON, before anything is made of it: light to import."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

# Longer runs of digits are no number that an option could hold, and Python refuses to convert the longest.
_LONGEST_NUMBER = 32
UNREADABLE = "the file cannot be read"


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
            return None, "there is no such file" if not path.exists() else "this is not a file"
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return None, f"the file is not UTF-8 (at byte {error.start}); save it as UTF-8"
    except (OSError, ValueError) as error:
        return None, f"{UNREADABLE} ({getattr(error, 'strerror', None) or type(error).__name__})"
    try:
        return json.loads(text, object_pairs_hook=_Object, parse_int=_whole_number), ""
    except json.JSONDecodeError as error:
        return None, f"the file is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        return None, "the file is nested too deeply"


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys stood there more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs) if len(self) < len(pairs) else Counter[str]()
        self.repeated = [key for key, count in counts.items() if count > 1]


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float("inf")
