"""``nanobot-memory search``: what a search finds, and where it stands."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import (
    AgentOption,
    ChannelOption,
    ConfigOption,
    Hit,
    JsonOption,
    Level,
    Query,
    Scope,
    SearchResult,
    SessionOption,
    StoreStatus,
    Tier,
    UserOption,
    WorkspaceOption,
    console,
    print_json,
    shown,
)
from nanobot_memory_plugins.core.cli import run
from nanobot_memory_plugins.storage.cli.opening import failing_in_words, opened_store

# Seconds that a search waits for the index and the model; what is not there by then is done without.
_PATIENCE = 20.0
_SNIPPET = 240


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, or a question.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1_000, help="Hits at most.")] = 10,
    tier: Annotated[
        Tier, typer.Option("--tier", help="light: tl;dr, tags and titles; heavy: the whole text.")
    ] = Tier.HEAVY,
    no_embeddings: Annotated[bool, typer.Option("--no-embeddings", help="Search by words only.")] = False,
    agent: AgentOption = "",
    user: UserOption = "",
    channel: ChannelOption = "",
    session: SessionOption = "",
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the memory and show each hit with its file, line, date, heading, snippet, score and origin."""
    whose = Scope(agent, user, channel, session)
    asked = Query(query, limit=limit, tier=tier, use_vectors=not no_embeddings, scope=whose)
    with failing_in_words(as_json):
        result, status = run(_search(workspace, config, asked))
    if as_json:
        print_json({"ok": True, "level": int(result.level), "hits": [_row(hit) for hit in result.hits]})
        return
    _show(result, status)


async def _search(workspace: Path | None, config: Path | None, query: Query) -> tuple[SearchResult, StoreStatus]:
    async with opened_store(workspace, config, embeddings=query.use_vectors) as store:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await store.flush()
                await store.model_ready()
        return await store.search(query), await store.refreshed_status()


def _row(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.id,
        "file": hit.path,
        "line": hit.line,
        "date": hit.time.isoformat() if hit.time else None,
        "heading": hit.heading,
        "snippet": _snippet(hit),
        "score": round(hit.score, 4),
        "origin": hit.origin.value,
        "speaker": hit.speaker,
        "session": hit.scope.session,
    }


def _snippet(hit: Hit) -> str:
    return hit.snippet or hit.text[:_SNIPPET]


def _show(result: SearchResult, status: StoreStatus) -> None:
    out = console()
    if not result.hits:
        nothing = "Nothing was found." if status.documents or result.level is Level.MARKDOWN else "The memory is empty."
        out.print(nothing)
    for hit in result.hits:
        date = f"{hit.time.astimezone():%Y-%m-%d %H:%M}  " if hit.time else ""
        about = "  ".join(filter(None, (hit.heading, hit.speaker)))
        out.print(f"[bold]{hit.score:.3f}[/bold]  [cyan]{shown(hit.path)}:{hit.line}[/cyan]  {date}{hit.origin.value}")
        if about:
            out.print(f"       {shown(about)}", style="dim")
        out.print(f"       {shown(' '.join(_snippet(hit).split()))}")
    if status.reason:
        notes = console(stderr=True)
        notes.print(f"[yellow]level {int(status.level)}: {shown(status.reason)}[/yellow] {shown(status.hint)}")
