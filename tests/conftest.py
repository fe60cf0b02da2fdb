"""What tests of several parts share."""

import os
from pathlib import Path

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers ``-n auto`` means: one more than cores, for many tests wait for limits and processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def builtin_model() -> Path:
    """The folder of the built-in embedding model, built once into the cache of whoever runs the tests.

    ``NANOBOT_MEMORY_CACHE`` names another cache.
    """
    from nanobot_memory_plugins.storage.embedding.installation import install

    return install()
