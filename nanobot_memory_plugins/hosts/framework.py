"""Importing a framework that may not be installed."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Say which extra brings what cannot be imported inside. Raises `ImportError`."""
    try:
        yield
    except ImportError as error:
        way = f"Install the framework with: pip install 'nanobot-memory-hosts[{extra}]'"
        raise ImportError(f"{error}. {way}", name=error.name) from error
