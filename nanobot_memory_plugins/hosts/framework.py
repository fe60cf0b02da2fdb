"""Importing a framework that may not be installed."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Say which extra brings what cannot be imported inside. Raises `ImportError`.

    httpx is loaded here where it is installed: OpenAI's client looks whether it is, and fails while another thread
    is at it, as the memory's own would be.
    """
    try:
        yield
        with suppress(ImportError):
            import httpx  # noqa: F401
    except ImportError as error:
        way = f"Install the framework with: pip install 'nanobot-memory-hosts[{extra}]'"
        raise ImportError(f"{error}. {way}", name=error.name) from error
