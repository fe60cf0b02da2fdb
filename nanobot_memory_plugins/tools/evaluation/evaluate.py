"""Answering every question of a data set as recall would, on files and an index made for the purpose."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.config.models import MemoryConfig
from nanobot_memory_plugins.core.config.options import plugin_options
from nanobot_memory_plugins.core.protocols import Store, VectorStore
from nanobot_memory_plugins.core.values import Level, Query, StoreStatus
from nanobot_memory_plugins.recall.engine import recall
from nanobot_memory_plugins.recall.options import RecallOptions
from nanobot_memory_plugins.recall.routing import RecallTier
from nanobot_memory_plugins.redaction.script.messages import Sentence
from nanobot_memory_plugins.tools.evaluation.dataset import Dataset, EvalQuery
from nanobot_memory_plugins.tools.evaluation.dataset_workspace import DocumentPlaces, group_scope, write_transcripts

RANKED = 60
# Passages asked for where the first ones come from fewer documents than are wanted: long documents have many.
_MORE_PASSAGES = 4
# Questions under way at a time: a search waits for its vector while another one ranks.
_AT_A_TIME = 3
# Seconds: so long that no machine is too slow. What is measured is what is found, not how fast.
_NO_LIMIT = 3_600.0
_LOOKS, _LOOK_SECONDS = 20, 1.0
# "Now" for a question without a time, in a group without any.
_NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EvaluationOutcome:
    """What an evaluation brought: the lines of the run, and how the store stood."""

    lines: tuple[str, ...]
    status: StoreStatus


async def evaluate(
    dataset: Dataset,
    workspace: Path,
    config: MemoryConfig,
    *,
    embeddings: bool,
    stage: Callable[[str], object] = lambda name: None,
    shared: Mapping[str, Any] | None = None,
) -> EvaluationOutcome:
    """Write the documents, index them, and answer the questions.

    ``config`` holds the options of search and recall that are measured, ``shared`` those of the ``postgres`` plugin
    where its server is to answer; else what others share is not searched, and gets nothing of a data set. ``stage``
    is called with what begins.
    Raises `OSError` when the workspace cannot be written, and `StoreError` when there is no index.
    """
    stage(Sentence("writing"))
    places = await asyncio.to_thread(write_transcripts, workspace, dataset.documents)
    options, _ = plugin_options(config, "recall", RecallOptions)
    chosen = options if isinstance(options, RecallOptions) else RecallOptions()
    own_config = _own_index(config, shared)
    async with opened_store(workspace, own_config, embeddings=embeddings, settles=False) as store:
        stage(Sentence("indexing"))
        await _indexed(store)
        stage(Sentence("asking"))
        unhurried = chosen.model_copy(update={"recall_timeout": _NO_LIMIT})
        return EvaluationOutcome(await _answers(store, places, unhurried, dataset), store.status())


async def _indexed(store: Store) -> None:
    """Return once everything is searchable, by words and by meaning.

    A database that cannot be opened yet is waited for: meanwhile a store may have no more than the files to search.
    """
    for _ in range(_LOOKS):
        await store.flush()
        if isinstance(store, VectorStore):
            await store.vectors_complete()
        if store.status().level is not Level.MARKDOWN:
            break
        await asyncio.sleep(_LOOK_SECONDS)


async def _answers(store: Store, places: DocumentPlaces, options: RecallOptions, dataset: Dataset) -> tuple[str, ...]:
    """Return a line of JSON for each question, in their order."""
    documents = Counter(document.group for document in dataset.documents)
    latest: dict[str, datetime] = {}
    for document in dataset.documents:
        if document.ts is not None:
            latest[document.group] = max(document.ts, latest.get(document.group, document.ts))
    free = asyncio.Semaphore(_AT_A_TIME)

    async def answer(query: EvalQuery) -> str:
        async with free:
            scope, asked_at = group_scope(query.group), query.ts or latest.get(query.group, _NO_TIME)
            recalled = await recall(store, query.text, options=options, scope=scope, asked_at=asked_at)
            # A light search that was enough has an order of its own, before that of a search as wide as the run.
            ranked = places.ids_of(recalled.result.hits if recalled.tier is RecallTier.LIGHT else ())
            for limit in (RANKED, RANKED * _MORE_PASSAGES) if query.text.strip() else ():
                if len(ranked) < min(RANKED, documents[query.group]):
                    more = await store.search(Query(query.text, limit, scope=scope, asked_at=asked_at))
                    ranked = list(dict.fromkeys([*ranked, *places.ids_of(more.hits)]))
        injected = places.ids_of(recalled.injected)
        return json.dumps({"query_id": query.id, "ranked": ranked[:RANKED], "injected": injected}, ensure_ascii=False)

    return tuple(await asyncio.gather(*map(answer, dataset.queries)))


def _own_index(config: MemoryConfig, shared: Mapping[str, Any] | None) -> MemoryConfig:
    """Return the configuration with an index in the workspace, whatever it says of the user's own.

    The names are those of our own plugins; another store's plugin does not look at them.
    """
    replaced = {"db_path", "dbPath"}
    storage = {name: value for name, value in config.plugins.get("storage", {}).items() if name not in replaced}
    plugins = {**config.plugins, "storage": storage, "postgres": dict(shared or {"enabled": False})}
    return config.model_copy(update={"plugins": plugins})
