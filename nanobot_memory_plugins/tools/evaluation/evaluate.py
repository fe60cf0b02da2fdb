"""Answering every question of a data set as recall would, on files and an index made for the purpose."""

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

_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "agent", "chatbot", "gpt", "助手", "助理"})
_TOOLS = frozenset({"tool", "function", "工具"})
# When the first file was written, as its time says: seconds since 1970, the same in every run.
_FIRST_WRITTEN = 1_000_000_000
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


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    """Which document is on which line of which file. Redaction and cutting change texts, never lines."""

    ids: dict[tuple[str, int], str]

    def ids_of(self, hits: Iterable[Hit]) -> list[str]:
        """Return the documents that hits come from; one that was cut into several passages counts where it is first."""
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

    ``config`` holds the options of search and recall that are measured, ``shared`` those of the ``postgres`` plugin
    where its server is to answer; else what others share is not searched, and gets nothing of a data set.
    Raises `OSError` when the workspace cannot be written, and `StoreError` when there is no index.
    """
    places = await asyncio.to_thread(write_transcripts, workspace, dataset.documents)
    options, _ = plugin_options(config, "recall", RecallOptions)
    chosen = options if isinstance(options, RecallOptions) else RecallOptions()
    own_config = _own_index(config, shared)
    async with opened_store(workspace, own_config, embeddings=embeddings, settles=False) as store:
        await _indexed(store)
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
        injected = places.ids_of(recalled.injected_hits)
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


# --- a data set as the files that memory has: a transcript for each group and session


def group_scope(group: str) -> Scope:
    """Return the filter of a group's searches. It is never empty: an empty one would search everything."""
    return Scope(agent=f"group {group}")


def write_transcripts(workspace: Path, documents: Iterable[EvalDocument]) -> DocumentPlaces:
    """Write documents to a workspace without any memory, redacted as every memory file is. Raises `OSError`."""
    paths = MemoryPaths.of(workspace)
    sessions: dict[str, list[tuple[float, int, EvalDocument]]] = defaultdict(list)
    for position, document in enumerate(documents):
        place_in_session = document.order if document.order is not None else float(position)
        sessions[f"{document.group}/{document.session}"].append((place_in_session, position, document))
    ids: dict[tuple[str, int], str] = {}
    paths.sessions.mkdir(parents=True)
    for number, (key, members) in enumerate(sessions.items()):
        path = paths.transcript(key)
        ordered = [document for _, _, document in sorted(members, key=lambda member: member[:2])]
        path.write_bytes(b"".join(render_transcript_line(_record(document, key)) for document in ordered))
        # The index is filled by age, and rows that rank alike keep the order of filling.
        os.utime(path, (_FIRST_WRITTEN + number, _FIRST_WRITTEN + number))
        relative = paths.relative(path)
        ids |= {(relative, line): document.id for line, document in enumerate(ordered, 1)}
    return DocumentPlaces(ids)


def _record(document: EvalDocument, session_key: str) -> TranscriptRecord:
    """Return a document as the message that it would have been: what is neither assistant's nor tool's is a user's."""
    word = document.role.strip().casefold()
    role, origin = "user", Origin.USER
    if word in _ASSISTANTS:
        role, origin = "assistant", Origin.ASSISTANT
    elif word in _TOOLS:
        role, origin = "tool", Origin.TOOL
    elif word == "summary":
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
