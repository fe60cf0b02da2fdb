"""A configuration file as JSON, before anything is made of it: light to import."""

import json
from pathlib import Path

from nanobot_memory_plugins.redaction.script.messages import Sentence


def nanobot_home() -> Path | None:
    """Return ``~/.nanobot``, or None where there is no home."""
    try:
        return Path.home() / ".nanobot"
    except RuntimeError:
        return None


def read_json(path: Path) -> tuple[object, str]:
    """Return a JSON file's content and an empty string, or None and what is wrong with the file."""
    if path.exists() and not path.is_file():  # a named pipe would be waited for
        return None, Sentence("this is not a file")
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig")), ""
    except FileNotFoundError:
        return None, Sentence("there is no such file")
    except OSError as error:
        return None, Sentence("the file cannot be read ({why})", why=error.strerror)
    except RecursionError:
        return None, Sentence("the file is nested too deeply")
    except ValueError as error:  # of no JSON, no UTF-8, a number of thousands of digits, a path with a NUL
        return None, Sentence("the file is not JSON ({why})", why=error)
