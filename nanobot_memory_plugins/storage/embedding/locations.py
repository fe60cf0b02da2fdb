"""Where models are kept on this machine."""

import os
from pathlib import Path

from platformdirs import user_cache_dir

from nanobot_memory_plugins.redaction.script.messages import Sentence

CACHE_VARIABLE = "NANOBOT_MEMORY_CACHE"
EXTRA_HINT = Sentence('Install it with: pip install "nanobot-memory-storage[embedding]"')


def cache_directory() -> Path:
    """Return the folder for what can be built or fetched again; it need not exist yet."""
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override).expanduser() if override else Path(user_cache_dir("nanobot-memory"))


def models_directory() -> Path:
    """Return the folder of the models that are built here."""
    return cache_directory() / "models"


def hub_directory() -> Path:
    """Return the folder into which models are fetched from the hub; fastembed's own variable wins."""
    override = os.environ.get("FASTEMBED_CACHE_PATH")
    return Path(override).expanduser() if override else cache_directory() / "hub"
