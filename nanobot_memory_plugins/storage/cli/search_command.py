"""``nanobot-memory search``: what a search finds, and where it stands."""

import asyncio
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import Hit, Origin, Query, Scope, SearchResult, StoreError, StoreStatus, Tier
from nanobot_memory_plugins.core.cli.day_bounds import SinceOption, UntilOption, bounds_of
from nanobot_memory_plugins.core.cli.open_store import settled
from nanobot_memory_plugins.core.cli.options import (
    AgentOption,
    ChannelOption,
    ConfigOption,
    JsonOption,
    ProjectOption,
    SessionOption,
    UserOption,
    WorkspaceOption,
    print_json,
    run,
)
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.redaction.script.messages import tr
from nanobot_memory_plugins.storage.cli.hits_shown import in_order, show_hits, snippet_of
from nanobot_memory_plugins.storage.cli.opening import failing_in_words, opened_shared, opened_store

# Seconds that a search waits for the index and the model; what is not there by then is done without.
_PATIENCE = 20.0


class MemoryKind(StrEnum):
    """The kinds of memory, as the index names them."""

    LONG_TERM = "long_term"
    NOTE = "note"
    OBSERVATION = "observation"
    SUMMARY = "summary"
    TRANSCRIPT = "transcript"
    DOCUMENT = "document"


def search(
    query: Annotated[
        list[str] | None, typer.Argument(metavar="QUERY", help="Words, or a question; none with a filter.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="Hits at most.")] = 10,
    tier: Annotated[
        Tier, typer.Option("--tier", help="light: tl;dr, tags and titles; heavy: the whole text.")
    ] = Tier.HEAVY,
    since: SinceOption = "",
    until: UntilOption = "",
    origin: Annotated[
        list[Origin] | None, typer.Option("--origin", help="Only what comes from there; may be repeated.")
    ] = None,
    kind: Annotated[list[MemoryKind] | None, typer.Option("--kind", help="Only these kinds; may be repeated.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only notes with one of these; may be repeated.")
    ] = None,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    agent: AgentOption = "",
    user: UserOption = "",
    channel: ChannelOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the memory: each hit with score, file, line, date, origin, heading and snippet, best first.

    A memory that other machines share is searched on their server. What several hits say alike is shown once, with
    every place. With --project the memories of that project come first, and those of others last.
    """
    text = " ".join(query or ()).strip()
    if not text and not (since or until or origin or kind or tag or session):
        raise typer.BadParameter(tr("say what to look for, or which by --since, --origin, --kind, --tag or --session"))
    with failing_in_words(as_json):
        first, last = bounds_of(since, until)
        asked = Query(
            text,
            limit=limit,
            tier=tier,
            scope=Scope(agent, user, channel, session, project=project_named(project)),
            origins=frozenset(origin or ()),
            sources=frozenset(one.value for one in kind or ()),
            since=first,
            until=last,
            use_vectors=not no_embeddings,
            tags=frozenset(tag or ()),
        )
        result, status = run(_search(workspace, config, asked))
    if as_json:
        print_json({"ok": True, "level": int(result.level), "hits": [_row(hit) for hit in in_order(result.hits)]})
        return
    show_hits(result, status, text, by_words=no_embeddings)


async def _search(workspace: Path | None, config: Path | None, query: Query) -> tuple[SearchResult, StoreStatus]:
    async with opened_shared(workspace, config, embeddings=query.use_vectors) as shared:
        if shared is not None:
            await settled(shared)
            return await shared.search(query), shared.status()
    async with opened_store(workspace, config, embeddings=query.use_vectors) as store:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                with suppress(StoreError):  # it was said in the log, and the files are searched themselves
                    await store.flush(may_fail=True)
                await store.model_ready()
        return await store.search(query), await store.refreshed_status()


def _row(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.id,
        "file": hit.path,
        "line": hit.line,
        "date": hit.time.isoformat() if hit.time else None,
        "heading": hit.heading,
        "snippet": snippet_of(hit),
        "score": round(hit.score, 4),
        "origin": hit.origin.value,
        "speaker": hit.speaker,
        "session": hit.scope.session,
        "project": hit.scope.project,
        "kind": hit.source,
        "tags": list(hit.tags),
    }
