"""Build hook of the umbrella distribution: it requires every plugin of this repository."""

import os
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# What the umbrella asks for beyond the bare distribution: the embedding engine and sqlite-vec.
EXTRAS = {"nanobot-memory-storage": "[embedding,vec]"}


class EveryPlugin(MetadataHookInterface):
    """Require the plugins by folder in a checkout, and by version when NANOBOT_RELEASE is set.

    The folder form lets ``pip install .`` work before anything is published. A package index
    refuses it, so a release that was built without the variable fails loudly.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in ``dependencies``."""
        release = "NANOBOT_RELEASE" in os.environ
        metadata["dependencies"] = []
        for file in sorted(Path(self.root, "nanobot_memory_plugins").glob("*/pyproject.toml")):
            project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
            name = project["name"] + EXTRAS.get(project["name"], "")
            where = f"=={project['version']}" if release else f" @ {file.parent.as_uri()}"
            metadata["dependencies"].append(name + where)
