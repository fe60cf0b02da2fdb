"""Finding a configuration file and reading its JSON. It imports little, so that commands start fast."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.redaction.script.messages import Sentence

# The environment variable that names the configuration file if none is given.
CONFIG_VARIABLE: Final = "NANOBOT_MEMORY_CONFIG"


def nanobot_config_file() -> Path:
    """Return the path of nanobot's own configuration file, ``~/.nanobot/config.json``."""
    return Path(os.path.expanduser("~/.nanobot/config.json"))


def configuration_files(named: str | Path | None, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files that may hold the configuration: ``named``, or else the file in NANOBOT_MEMORY_CONFIG.

    Without either they are ``config.json`` in the current folder and nanobot's own file.
    """
    if chosen := named or environment.get(CONFIG_VARIABLE):
        return [Path(os.path.expanduser(chosen))]
    return [Path("config.json"), nanobot_config_file()]


def value_at(content: object, *keys: str) -> object:
    """Return the value at a path of keys in nested JSON objects, or None if there is none."""
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def read_json(path: Path) -> tuple[object, str]:
    """Return a JSON file's content and an empty string, or None and the problem with the file."""
    if path.exists() and not path.is_file():  # reading a named pipe would block
        return None, Sentence("this is not a file")
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig")), ""
    except FileNotFoundError:
        return None, Sentence("there is no such file")
    except OSError as error:
        return None, Sentence("the file cannot be read ({why})", why=error.strerror)
    except RecursionError:
        return None, Sentence("the file is nested too deeply")
    except ValueError as error:  # not JSON, not UTF-8, a number of thousands of digits, or a path with a NUL
        return None, Sentence("the file is not JSON ({why})", why=error)
