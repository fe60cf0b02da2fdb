"""Runs recall for every question of a data set, on temporary files and a temporary index."""

import asyncio
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.files.paths import MemoryPaths
from nanobot_memory_plugins.core.files.transcript import TranscriptRecord, render_transcript_line
from nanobot_memory_plugins.core.protocols import Store, VectorStore
from nanobot_memory_plugins.core.redaction import redact_text
from nanobot_memory_plugins.core.values import Hit, Level, Origin, Query, Scope, StoreStatus
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier
from nanobot_memory_plugins.tools.evaluation.dataset import Dataset, EvalDocument, EvalQuery

_ASSISTANT_ROLES = frozenset({"assistant", "ai", "bot", "model", "agent", "chatbot", "gpt", "助手", "助理"})
_TOOL_ROLES = frozenset({"tool", "function", "工具"})
# The modification time of the first file, in seconds since 1970, the same in every run.
_FIRST_FILE_TIME = 1_000_000_000
RANKED = 60
# A second search requests this many times more passages, since a long document has many of them.
_PASSAGE_FACTOR = 4
# The number of concurrent questions: one search may wait for its vector while another one ranks.
_CONCURRENCY = 3
# A time limit, in seconds, that no machine exceeds, since the evaluation does not measure time.
_NO_LIMIT = 3_600.0
_ATTEMPTS, _RETRY_SECONDS = 20, 1.0
# The time of a question without one, in a group without any times.
_DEFAULT_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EvaluationOutcome:
    """The result of an evaluation: the lines of the run, and the state of the store."""

    lines: tuple[str, ...]
    status: StoreStatus


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    """The document of each path and line. Redaction and cutting change texts, never line numbers."""

    ids: dict[tuple[str, int], str]

    def ids_of(self, hits: Iterable[Hit]) -> list[str]:
        """Return the documents of hits, each once, at the position of its first passage."""
        return list(dict.fromkeys(self.ids[hit.path, hit.line] for hit in hits if (hit.path, hit.line) in self.ids))


async def evaluate(
    dataset: Dataset,
    workspace: Path,
    config: MemoryConfig,
    *,
    embeddings: bool,
    shared: Mapping[str, Any] | None = None,
) -> EvaluationOutcome:
    """Write the documents, index them, and answer the questions.

    ``config`` holds the options of search and recall that are measured. ``shared`` holds the options of the
    ``postgres`` plugin if its server answers; otherwise the plugin is off, and its server gets no data.
    Raises `OSError` when the workspace cannot be written, and `StoreError` when there is no index.
    """
    places = await asyncio.to_thread(write_transcripts, workspace, dataset.documents)
    options, _ = plugin_options(config, "recall", RecallOptions)
    recall_options = options if isinstance(options, RecallOptions) else RecallOptions()
    own_config = _own_index(config, shared)
    async with opened_store(workspace, own_config, embeddings=embeddings, settles=False) as store:
        await _wait_for_index(store)
        recall_options = recall_options.model_copy(update={"recall_timeout": _NO_LIMIT})
        return EvaluationOutcome(await _answers(store, places, recall_options, dataset), store.status())


async def _wait_for_index(store: Store) -> None:
    """Wait until everything is searchable, by words and by meaning.

    It also waits for a database that cannot be opened yet. Until then a store can only search the files.
    """
    for _ in range(_ATTEMPTS):
        await store.flush()
        if isinstance(store, VectorStore):
            await store.vectors_complete()
        if store.status().level is not Level.MARKDOWN:
            break
        await asyncio.sleep(_RETRY_SECONDS)


async def _answers(store: Store, places: DocumentPlaces, options: RecallOptions, dataset: Dataset) -> tuple[str, ...]:
    """Return a line of JSON for each question, in order."""
    documents = Counter(document.group for document in dataset.documents)
    latest: dict[str, datetime] = {}
    for document in dataset.documents:
        if document.ts is not None:
            latest[document.group] = max(document.ts, latest.get(document.group, document.ts))
    free = asyncio.Semaphore(_CONCURRENCY)

    async def answer(query: EvalQuery) -> str:
        async with free:
            scope, asked_at = group_scope(query.group), query.ts or latest.get(query.group, _DEFAULT_TIME)
            recalled = await recall(store, query.text, options=options, scope=scope, asked_at=asked_at)
            # The order of a light search that was sufficient comes first, followed by that of a full search.
            ranked = places.ids_of(recalled.result.hits if recalled.tier is RecallTier.LIGHT else ())
            for limit in (RANKED, RANKED * _PASSAGE_FACTOR) if query.text.strip() else ():
                if len(ranked) < min(RANKED, documents[query.group]):
                    more = await store.search(Query(query.text, limit, scope=scope, asked_at=asked_at))
                    ranked = list(dict.fromkeys([*ranked, *places.ids_of(more.hits)]))
        injected = places.ids_of(recalled.injected_hits)
        return json.dumps({"query_id": query.id, "ranked": ranked[:RANKED], "injected": injected}, ensure_ascii=False)

    return tuple(await asyncio.gather(*map(answer, dataset.queries)))


def _own_index(config: MemoryConfig, shared: Mapping[str, Any] | None) -> MemoryConfig:
    """Return the configuration with an index in the workspace instead of the user's.

    It changes options of our own plugins, which another store's plugin ignores.
    """
    removed = {"db_path", "dbPath"}
    storage = {name: value for name, value in config.plugins.get("storage", {}).items() if name not in removed}
    plugins = {**config.plugins, "storage": storage, "postgres": dict(shared or {"enabled": False})}
    return config.model_copy(update={"plugins": plugins})


# --- the data set as memory files: a transcript for each group and session


def group_scope(group: str) -> Scope:
    """Return the scope of a group's searches. It is never empty, since an empty one would search everything."""
    return Scope(agent=f"group {group}")


def write_transcripts(workspace: Path, documents: Iterable[EvalDocument]) -> DocumentPlaces:
    """Write documents as redacted transcripts to an empty workspace. Raises `OSError`."""
    paths = MemoryPaths.of(workspace)
    sessions: dict[str, list[tuple[float, int, EvalDocument]]] = defaultdict(list)
    for position, document in enumerate(documents):
        session_position = document.order if document.order is not None else float(position)
        sessions[f"{document.group}/{document.session}"].append((session_position, position, document))
    ids: dict[tuple[str, int], str] = {}
    paths.sessions.mkdir(parents=True)
    for number, (key, members) in enumerate(sessions.items()):
        path = paths.transcript(key)
        ordered = [document for _, _, document in sorted(members, key=lambda member: member[:2])]
        path.write_bytes(b"".join(render_transcript_line(_record(document, key)) for document in ordered))
        # The index is filled in the order of age, and equal ranks keep that order.
        os.utime(path, (_FIRST_FILE_TIME + number, _FIRST_FILE_TIME + number))
        relative = paths.relative(path)
        ids |= {(relative, line): document.id for line, document in enumerate(ordered, 1)}
    return DocumentPlaces(ids)


def _record(document: EvalDocument, session_key: str) -> TranscriptRecord:
    """Return a document as a transcript record. An unknown role counts as a user's."""
    role_name = document.role.strip().casefold()
    role, origin = "user", Origin.USER
    if role_name in _ASSISTANT_ROLES:
        role, origin = "assistant", Origin.ASSISTANT
    elif role_name in _TOOL_ROLES:
        role, origin = "tool", Origin.TOOL
    elif role_name == "summary":
        role, origin = "assistant", Origin.SUMMARY
    scope = group_scope(document.group)
    speaker = redact_text(document.speaker.strip())
    return TranscriptRecord(
        role=role,
        text=redact_text(document.text),
        session_key=session_key,
        scope=Scope(agent=scope.agent, user=speaker if role == "user" else "", session=session_key),
        origin=origin,
        id="",
        time=document.ts,
        name=speaker if role != "user" else "",
    )
