"""Turns texts into vectors: the built-in model, models of one's own, and remote servers."""

from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.embedding.service import (
    EmbeddingService,
    EmbeddingState,
    EmbeddingStatus,
    open_embedder,
)

__all__ = ["EmbeddingOptions", "EmbeddingService", "EmbeddingState", "EmbeddingStatus", "open_embedder"]
