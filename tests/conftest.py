"""What tests of several parts share."""

import os
import signal
from collections.abc import Iterator
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


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT interrupt this process and those that it starts.

    What a shell without job control starts in the background ignores it, and so do its children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
