"""Imports a framework that may not be installed."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Add the name of the ``extra`` to install to an `ImportError` raised inside.

    httpx is also imported here if it is installed. OpenAI's client looks for it, and fails while another thread, such
    as the memory's, is importing it.
    """
    try:
        yield
        with suppress(ImportError):
            import httpx  # noqa: F401
    except ImportError as error:
        hint = f"Install the framework with: pip install 'nanobot-memory-hosts[{extra}]'"
        raise ImportError(f"{error}. {hint}", name=error.name) from error
