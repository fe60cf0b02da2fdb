"""The local model as ``nanobot-memory demo --local-model`` asks for it, by an entry point."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nanobot_memory_plugins.tools.local_model.file import local_model_file
from nanobot_memory_plugins.tools.local_model.server import LocalModelServer


@contextmanager
def open_local_model(*, context_tokens: int, progress: Callable[[float, str], None]) -> Iterator[LocalModelServer]:
    """Join the model's file where that was not done yet, and serve the model until the context ends."""
    with LocalModelServer(local_model_file(progress=progress), context_tokens=context_tokens) as server:
        yield server
