"""Turns texts into vectors: the built-in model, models of one's own, and remote servers.

The options can be had where nothing else can: the rest is imported when it is asked for, since it needs numpy.
"""

from typing import TYPE_CHECKING, Any

from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions

if TYPE_CHECKING:
    from nanobot_memory_plugins.storage.embedding.service import (
        EmbeddingService,
        EmbeddingState,
        EmbeddingStatus,
        open_embedder,
    )

__all__ = ["EmbeddingOptions", "EmbeddingService", "EmbeddingState", "EmbeddingStatus", "open_embedder"]


def __getattr__(name: str) -> Any:
    """Import a name of the service on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nanobot_memory_plugins.storage.embedding import service

    return getattr(service, name)
