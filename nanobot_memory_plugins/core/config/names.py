"""The names that the design documents give to options, and where each is found here.

Five documents describe one memory under several names. Their objects are read as they stand: ``memory`` (smart
memory v3 and v5), and ``memory_search``, ``memory_flush`` and ``context.bootstrap`` (the upgrade plan).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic.alias_generators import to_snake

# The plugins of this project, which a configuration may name before they are installed.
STANDARD_PLUGINS: Final = (
    "storage",
    "recall",
    "observation",
    "flush",
    "summary",
    "bootstrap",
    "compaction",
    "consolidation",
    "nanobot",
)

# The default of a list that holds everything the document lists, and more.
AND_MORE: Final = "the document's, and more"

_ANCHORS = ("之前", "上次", "记得", "你说过", "我说过", "按之前", "查一下记录")
_UNCERTAIN = ("可能", "大概", "我猜", "不确定", "记不清")


@dataclass(frozen=True, slots=True)
class DocumentName:
    """One documented option.

    ``option`` is ``<plugin>.<option>`` (``*`` stands for every plugin of the set), ``document_default`` what the
    document says, ``default`` what holds here, and ``reason`` why they differ.
    """

    option: str
    document_default: object
    default: object
    reason: str = ""

    @property
    def plugin(self) -> str:
        """The plugin that has the option."""
        return self.option.partition(".")[0]

    @property
    def path(self) -> tuple[str, ...]:
        """The option's place in the plugin's options."""
        return tuple(self.option.split(".")[1:])


def _same(option: str, default: object) -> DocumentName:
    return DocumentName(option, default, default)


# By the document's key; groups inside an object (retrieval, tiers, routing, timeouts) are part of it.
DOCUMENT_NAMES: Final[Mapping[str, DocumentName]] = MappingProxyType(
    {
        "memory.enabled": DocumentName("*.enabled", False, True, "installing is the decision; v5 has it on"),
        "memory.embeddingModel": DocumentName(
            "storage.embedding_model",
            "BAAI/bge-small-zh-v1.5",
            "multilingual",
            "v3's alias, for a model that needs no model hub and knows both languages",
        ),
        "memory.recallTimeout": DocumentName(
            "recall.recall_timeout",
            0.15,
            None,
            "the limits go by tier: 80, 180 and 450 ms; a number here replaces them",
        ),
        "memory.recallTopK": DocumentName(
            "recall.recall_top_k", 5, 8, "v3's limit: three memories whole and five by snippet"
        ),
        "memory.maxContextTokens": _same("recall.max_context_tokens", 800),
        "memory.chunkMaxTokens": _same("storage.chunk_max_tokens", 256),
        "memory.vectorWeight": _same("storage.vector_weight", 0.6),
        "memory.ftsWeight": _same("storage.fts_weight", 0.4),
        "memory.summaryInterval": _same("summary.summary_interval", 300.0),
        "memory.summaryMode": DocumentName(
            "summary.summary_mode", "concat", "llm", "llm falls back to concat when no language model is wired"
        ),
        "memory.summaryLlmProvider": _same("summary.summary_llm_provider", None),
        "memory.observationMaxAgeDays": _same("storage.observation_max_age_days", 30),
        "memory.indexQueueMax": _same("storage.index_queue_max", 1_000),
        "memory.vectorRefreshTtl": _same("storage.vector_refresh_ttl", 30.0),
        "memory.dbPath": _same("storage.db_path", ""),
        "memory.enableObservations": _same("observation.enabled", True),
        "memory.enableSummaries": _same("summary.enabled", True),
        "memory.summaryMinTurns": _same("summary.summary_min_turns", 3),
        "memory.retrieval.limit": _same("recall.recall_top_k", 8),
        "memory.retrieval.maxFullDocs": _same("recall.max_full_docs", 3),
        "memory.retrieval.maxSnippets": _same("recall.max_snippets", 5),
        "memory.retrieval.rrfK": _same("storage.rrf_k", 60),
        "memory.retrieval.maxContextChars": DocumentName(
            "recall.inject_budget_chars", 3_000, 1_800, "the budget of the upgrade plan, beside 800 tokens"
        ),
        "memory_search.enabled": _same("recall.enabled", True),
        "memory_search.backend": _same("storage.backend", "builtin_fts"),
        "memory_search.tiers.enable_probe_on_off": _same("recall.enable_probe_on_off", True),
        "memory_search.tiers.light_top_k": _same("recall.light_top_k", 3),
        "memory_search.tiers.heavy_top_k": _same("recall.heavy_top_k", 8),
        "memory_search.tiers.heavy_max_snippet_chars": _same("recall.heavy_max_snippet_chars", 360),
        "memory_search.tiers.inject_budget_chars": _same("recall.inject_budget_chars", 1_800),
        "memory_search.routing.explicit_anchors": DocumentName(
            "recall.explicit_anchors", _ANCHORS, AND_MORE, "more words, in Chinese and English"
        ),
        "memory_search.routing.uncertain_markers": DocumentName(
            "recall.uncertain_markers", _UNCERTAIN, AND_MORE, "more words, in Chinese and English"
        ),
        "memory_search.timeouts.probe_ms": _same("recall.probe_ms", 80),
        "memory_search.timeouts.light_ms": _same("recall.light_ms", 180),
        "memory_search.timeouts.heavy_ms": _same("recall.heavy_ms", 450),
        "memory_flush.enabled": _same("flush.enabled", True),
        "memory_flush.reserve_floor": _same("flush.reserve_floor", 20_000),
        "memory_flush.soft_threshold": _same("flush.soft_threshold", 4_000),
        "context.bootstrap.max_chars": _same("bootstrap.max_chars", 20_000),
        "context.bootstrap.total_max_chars": _same("bootstrap.total_max_chars", 24_000),
        "context.bootstrap.head_ratio": _same("bootstrap.head_ratio", 0.7),
        "context.bootstrap.tail_ratio": _same("bootstrap.tail_ratio", 0.2),
        "context.bootstrap.min_budget": _same("bootstrap.min_budget", 64),
    }
)


def snake_path(key: str) -> tuple[str, ...]:
    """Return a dotted key in parts, each in snake_case: the form in which spellings are compared."""
    return tuple(to_snake(part) for part in key.split("."))


# The table by `snake_path`, for reading a document's object in either spelling.
BY_PATH: Final[Mapping[tuple[str, ...], DocumentName]] = MappingProxyType(
    {snake_path(key): name for key, name in DOCUMENT_NAMES.items()}
)
# The top-level objects of the documents.
DOCUMENT_OBJECTS: Final = frozenset(path[0] for path in BY_PATH)


def place_of(leaf: str) -> str:
    """Return the ``<plugin>.<option>`` that a document's last name stands for, or nothing."""
    wanted = to_snake(leaf)
    return next((name.option for path, name in BY_PATH.items() if path[-1] == wanted and wanted != "enabled"), "")
