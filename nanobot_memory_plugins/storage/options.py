"""The storage plugin's options, as they stand in a configuration file."""

from datetime import timedelta
from typing import Literal

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from nanobot_memory_plugins.storage.embedding.options import EmbeddingOptions
from nanobot_memory_plugins.storage.indexer.session import SessionSettings
from nanobot_memory_plugins.storage.indexer.step import StepSettings
from nanobot_memory_plugins.storage.search.options import SearchOptions
from nanobot_memory_plugins.storage.sources.pieces import Chunking


class StorageOptions(SearchOptions):
    """How the memory files are indexed and searched.

    ``embedding_model`` and ``embedding_provider`` are the usual two of ``embedding``'s options under names of
    their own; they win where both are set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    backend: Literal["builtin_fts"] = Field("builtin_fts", description="The only one: SQLite's own full-text search.")
    db_path: str = Field("", description="The index; .storage/memory.db in the workspace when empty.")
    chunk_max_tokens: int = Field(256, ge=16, le=8_192, description="Longest passage, in estimated tokens.")
    chunk_overlap_tokens: int = Field(32, ge=0, le=4_096, description="What neighbouring passages share.")
    index_queue_max: int = Field(1_000, ge=1, le=100_000, description="Passages held in memory while indexing.")
    observation_max_age_days: int = Field(
        30, ge=0, le=36_500, description="Days after which observations leave the index; 0: never."
    )
    watch: bool = Field(True, description="Hear of changes at once; else files are looked at every few seconds.")
    embedding_model: str = Field("multilingual", min_length=1, description="Model alias, name or folder.")
    embedding_provider: Literal["fastembed", "openai", "none"] = Field("fastembed", description="Where it runs.")
    embedding: EmbeddingOptions = Field(default_factory=EmbeddingOptions)

    @model_validator(mode="after")
    def _overlap_is_less_than_a_chunk(self) -> "StorageOptions":
        if self.chunk_overlap_tokens >= self.chunk_max_tokens:
            raise ValueError("chunkOverlapTokens must be less than chunkMaxTokens")
        return self

    def embedding_options(self) -> EmbeddingOptions:
        """Return the embedding's options with the two flat names put in."""
        flat = {"embedding_model": "model", "embedding_provider": "provider"}
        given = {option: getattr(self, name) for name, option in flat.items() if name in self.model_fields_set}
        return self.embedding.model_copy(update=given)

    def chunking(self) -> Chunking:
        """Return how texts are cut."""
        return Chunking(self.chunk_max_tokens, self.chunk_overlap_tokens)

    def session_settings(self) -> SessionSettings:
        """Return what the indexer needs to know."""
        days = self.observation_max_age_days
        return SessionSettings(
            step=StepSettings(chunking=self.chunking(), batch_documents=self.index_queue_max),
            observation_max_age=timedelta(days=days) if days else None,
        )
