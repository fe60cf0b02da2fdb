"""The options of the storage plugin."""

from collections.abc import Callable
from typing import Literal

from pydantic import Field

from nanobot_memory_plugins.core import PluginOptions
from nanobot_memory_plugins.core.redaction.contact_redaction import redact_secrets
from nanobot_memory_plugins.storage.chunking import Chunking


class EmbeddingOptions(PluginOptions):
    """Which model turns texts into vectors, and where it runs.

    ``model`` is an alias (``multilingual``, ``chinese``, ``english``), a name of fastembed's catalogue,
    or a folder with ``model.onnx`` and ``tokenizer.json``. The provider ``openai`` is any server with an
    OpenAI-compatible ``/embeddings``; its key is read from the environment variable named in ``api_key_env``, never
    from a file.
    """

    provider: Literal["fastembed", "openai", "none"] = Field("fastembed", description="Where the model runs.")
    model: str = Field("multilingual", min_length=1, description="Alias, name or folder of a local model.")
    threads: int | None = Field(
        None,
        ge=1,
        description="CPU threads of the model; when not given, one for the built-in model and all cores for others.",
    )
    batch_size: int = Field(16, ge=1, le=1024, description="Texts in one run of the model, or one request.")
    base_url: str | None = Field(None, description="Address before /embeddings; OpenAI's when not given.")
    api_key_env: str | None = Field(None, description="Environment variable that holds the key.")
    remote_model: str = Field("text-embedding-3-small", min_length=1, description="Name of a remote model.")
    timeout: float = Field(30.0, gt=0, description="Seconds for one remote request.")


class SearchOptions(PluginOptions):
    """Fusion of full text and meaning."""

    fusion: Literal["learned", "weighted", "rrf"] = Field(
        "learned", description="How the order is made: learned, by the three weights, or by ranks."
    )
    vector_weight: float = Field(0.6, ge=0, le=1, description="Weight of the meaning; with fusion weighted alone.")
    fts_weight: float = Field(0.4, ge=0, le=1, description="Weight of the words; with fusion weighted alone.")
    recency_weight: float = Field(
        0.0, ge=0, le=1, description="Weight of how recent a passage is; with fusion weighted alone."
    )
    recency_half_life_days: float = Field(30.0, gt=0, description="Days after which recency has halved.")
    rrf_k: int = Field(60, ge=1, le=10_000, description="The constant of reciprocal rank fusion.")
    vector_refresh_ttl: float = Field(
        30.0, ge=0, le=86_400, description="Kept for the documents' names: vectors are never out of date here."
    )
    candidate_factor: int = Field(
        4, ge=1, le=100, description="Candidates from words and from meaning, as a multiple of the hits."
    )


class StorageOptions(SearchOptions):
    """How the memory files are indexed and, with the options of searching, searched.

    ``embedding_model`` and ``embedding_provider`` are short names for the two most used options of ``embedding``; they
    win where both are set.
    """

    backend: Literal["builtin_fts", "grep_only"] = Field(
        default="builtin_fts", description="SQLite's full text and vectors, or only the files themselves."
    )
    db_path: str = Field(default="", description="The index; .storage/memory.db in the workspace when empty.")
    chunk_max_tokens: int = Field(default=256, ge=16, le=8_192, description="Longest passage, in estimated tokens.")
    chunk_overlap_tokens: int = Field(
        default=32, ge=0, le=4_096, description="Overlap of neighbouring passages, in estimated tokens."
    )
    index_queue_max: int = Field(default=1_000, ge=1, le=100_000, description="Passages held in memory while indexing.")
    observation_max_age_days: int = Field(
        default=30, ge=0, le=36_500, description="Days after which observations leave the index; 0: never."
    )
    embedding_model: str = Field(default="multilingual", min_length=1, description="Model alias, name or folder.")
    embedding_provider: Literal["fastembed", "openai", "none"] = Field(
        default="fastembed", description="Where it runs."
    )
    embedding: EmbeddingOptions = Field(default_factory=lambda: EmbeddingOptions.model_validate({}))

    def embedding_options(self) -> EmbeddingOptions:
        """Return the ``embedding`` options, overridden by the two short names."""
        flat = {"embedding_model": "model", "embedding_provider": "provider"}
        overrides = {option: getattr(self, name) for name, option in flat.items() if name in self.model_fields_set}
        return self.embedding.model_copy(update=overrides)

    def chunking(self, redact: Callable[[str], str] = redact_secrets) -> Chunking:
        """Return how texts are split, with ``redact`` to hide secrets in text that people wrote."""
        return Chunking(self.chunk_max_tokens, self.chunk_overlap_tokens, redact)
