"""Build hook of the umbrella distribution: it requires the plugins of this repository, some as extras."""

import os
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# Extras that the umbrella requires of a distribution: the embedding engine and sqlite-vec.
EXTRAS = {"nanobot-memory-storage": "[embedding,vec]"}

# Distributions that are extras of the umbrella, by the names of their folders.
OPTIONAL = {
    "nanobot-memory-hosts",
    "nanobot-memory-mcp",
    "nanobot-memory-panel",
    "nanobot-memory-postgres",
    "nanobot-memory-tools",
}


class EveryPlugin(MetadataHookInterface):
    """Requires the plugins by folder in a checkout, and by version when NANOBOT_RELEASE is set.

    The folder form lets ``pip install .`` work before anything is published. A package index
    refuses it, so that a release built without the variable fails loudly.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in ``dependencies`` and ``optional-dependencies``."""
        release = "NANOBOT_RELEASE" in os.environ
        metadata["dependencies"], metadata["optional-dependencies"] = [], {}
        for file in sorted(Path(self.root, "nanobot_memory_plugins").glob("*/pyproject.toml")):
            project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
            name = project["name"] + EXTRAS.get(project["name"], "")
            where = f"=={project['version']}" if release else f" @ {file.parent.as_uri()}"
            if project["name"] in OPTIONAL:
                metadata["optional-dependencies"][file.parent.name] = [name + where]
            else:
                metadata["dependencies"].append(name + where)
