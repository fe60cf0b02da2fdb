"""What tests of several parts share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def builtin_model() -> Path:
    """The folder of the built-in embedding model, built once into the cache of whoever runs the tests.

    ``NANOBOT_MEMORY_CACHE`` names another cache.
    """
    from nanobot_memory_plugins.storage.embedding.installation import install

    return install()
