"""Where a configuration file may be, and what it holds as JSON, before anything is made of it: light to import."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nanobot_memory_plugins.redaction.script.messages import Sentence

# Names the configuration file, when none is given.
CONFIG_VARIABLE: Final = "NANOBOT_MEMORY_CONFIG"


def nanobot_config_file() -> Path:
    """Return nanobot's own configuration file, ``~/.nanobot/config.json``. Without a home nothing is there."""
    return Path(os.path.expanduser("~/.nanobot/config.json"))


def configuration_files(named: str | Path | None, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files that may hold the configuration: the one that is ``named``, or in NANOBOT_MEMORY_CONFIG.

    Without either they are ``config.json`` in the current folder, and nanobot's own.
    """
    if chosen := named or environment.get(CONFIG_VARIABLE):
        return [Path(os.path.expanduser(chosen))]
    return [Path("config.json"), nanobot_config_file()]


def value_at(content: object, *keys: str) -> object:
    """Return what stands below the keys of an object of JSON, each within the one before; None where nothing does."""
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


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
