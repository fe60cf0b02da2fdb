"""Having the embedding model ready before nanobot needs it. The storage plugin knows how, and has a command for it."""

import subprocess
import sys
from enum import StrEnum
from importlib.metadata import entry_points

from nanobot_memory_plugins.core.hookspecs import PROJECT_NAME


class Prepared(StrEnum):
    """The state of the embedding model."""

    THERE = "there"  # it was
    MADE = "made"
    FAILED = "failed"
    NOT_WANTED = "not wanted"


def prepare_model(name: str | None = None) -> Prepared:
    """Build or fetch a model when it is not there yet; a progress bar and what is wrong go to standard error.

    ``name`` None is the default one. It blocks, for a minute at the first time. An interrupt ends it: what is half
    done is thrown away by the next attempt. Without a model, recall goes by words alone.
    """
    if not any(point.name == "storage" for point in entry_points(group=PROJECT_NAME)):
        return Prepared.NOT_WANTED
    command = [sys.executable, "-m", "nanobot_memory_plugins.core.cli", "models"]
    named = [] if name is None else [name]
    found = subprocess.run([*command, "path", *named], capture_output=True, check=False)  # noqa: S603  # our own module
    if found.returncode == 0:
        return Prepared.THERE
    pulled = subprocess.run([*command, "pull", *named], stdout=subprocess.DEVNULL, check=False)  # noqa: S603
    return Prepared.MADE if pulled.returncode == 0 else Prepared.FAILED
