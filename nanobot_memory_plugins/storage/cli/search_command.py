"""``nanobot-memory search``: lists hits and their places, each text once."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.core import (
    Hit,
    Level,
    MemoryConfig,
    Origin,
    Query,
    SearchResult,
    StoreStatus,
    Tier,
)
from nanobot_memory_plugins.core.cli.open_store import opened_store
from nanobot_memory_plugins.core.cli.options import (
    ConfigOption,
    JsonOption,
    ProjectOption,
    SessionOption,
    SinceOption,
    UntilOption,
    UserOption,
    WorkspaceOption,
    configuration_of,
    date_bounds,
    existing_workspace,
    print_json,
    requested_scope,
    run,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.scopes.projects import named_project
from nanobot_memory_plugins.core.text.markdown import one_line
from nanobot_memory_plugins.redaction.script.messages import tr

# Characters of a text that are shown.
_SNIPPET = 240
_INDENT = "       "
# The kinds of scored entries, which are their headings.
_KINDS = ("preference", "fact", "experience", "workflow", "decision", "skill_usage", "todo")


MemoryKind = StrEnum("MemoryKind", ["LONG_TERM", "NOTE", "OBSERVATION", "SUMMARY", "TRANSCRIPT", "DOCUMENT"])
"""The kinds of memory under their names in the index."""


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
    user: UserOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    workspace: WorkspaceOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search the memory: each hit with score, file, line, date, origin, heading and snippet, best first.

    Scores compare the hits of one search: the best has 1, however well it fits. A memory that is shared with other
    machines is searched on the server. A text that several hits share is shown once, with every place. With --project
    the memories of that project come first, and those of other projects last.
    """
    text = " ".join(query or ()).strip()
    if not text and not (since or until or origin or kind or tag or session):
        raise typer.BadParameter(
            tr("give words to search for, or a filter: --since, --origin, --kind, --tag or --session")
        )
    folder = existing_workspace(workspace)
    memory_config = configuration_of(config)
    start, end = date_bounds(since, until)
    request = Query(
        text,
        limit=limit,
        tier=tier,
        scope=requested_scope(folder, memory_config, user=user, session=session, project=named_project(project)),
        origins=frozenset(origin or ()),
        sources=frozenset(file_kind.value for file_kind in kind or ()),
        since=start,
        until=end,
        use_vectors=not no_embeddings,
        tags=frozenset(tag or ()),
    )
    result, status = run(_search(folder, memory_config, request))
    hits = sorted(result.hits, key=lambda hit: -hit.score)
    if as_json:
        print_json({"ok": True, "level": int(result.level), "hits": [_hit_row(hit) for hit in hits]})
        return
    _show(hits)
    if not hits:
        found = status.documents or result.level is Level.MARKDOWN
        say(tr("Nothing was found.") if found else tr("The memory is empty."))
    if status.reason and not (no_embeddings and result.level is Level.FULL_TEXT):
        show_level(status, err=True)


async def _search(folder: Path, config: MemoryConfig, query: Query) -> tuple[SearchResult, StoreStatus]:
    async with opened_store(folder, config, embeddings=query.use_vectors) as store:
        return await store.search(query), store.status()


def _hit_row(hit: Hit) -> dict[str, object]:
    return {
        "id": hit.id,
        "file": hit.path,
        "line": hit.line,
        "date": hit.time.isoformat() if hit.time else None,
        "heading": hit.heading,
        "snippet": _snippet_of(hit),
        "score": round(hit.score, 4),
        "origin": hit.origin.value,
        "speaker": hit.speaker,
        "session": hit.scope.session,
        "project": hit.scope.project,
        "kind": hit.source,
        "tags": list(hit.tags),
    }


def _snippet_of(hit: Hit) -> str:
    return hit.snippet or hit.text[:_SNIPPET]


def _show(hits: Iterable[Hit]) -> None:
    """Print the hits in their order; a text that several hits share is printed once."""
    hits_by_snippet: dict[str, list[Hit]] = {}
    for hit in hits:
        hits_by_snippet.setdefault(_normalized(_snippet_of(hit)), []).append(hit)
    for snippet, (hit, *others) in hits_by_snippet.items():
        date = f"  {hit.time.astimezone():%Y-%m-%d %H:%M}" if hit.time else ""
        say(f"{hit.score:.3f}  {hit.path}:{hit.line}{date}  {tr(hit.origin.value)}", fg="cyan")
        if about := _about(hit, snippet):
            say(f"{_INDENT}{about}", dim=True)
        say(f"{_INDENT}{snippet}")
        if others:
            places = ", ".join(f"{other.path}:{other.line}" for other in others)
            say(tr("{indent}also at {places}", indent=_INDENT, places=places), dim=True)


def _about(hit: Hit, snippet: str) -> str:
    """Return the heading, speaker, project and tags of a hit, without what its origin and snippet already say."""
    shown_already = {hit.origin.value, _normalized(snippet)}
    heading = tr(hit.heading) if hit.heading in _KINDS else hit.heading  # of an entry it is the kind
    parts = [part for part in (heading, hit.speaker) if part and _normalized(part) not in shown_already]
    parts += [tr("project {name}", name=hit.scope.project)] if hit.scope.project else []
    parts += [f"#{tag}" for tag in hit.tags]
    return "  ".join(dict.fromkeys(parts))


def _normalized(text: str) -> str:
    return " ".join(one_line(text).split())


def show_level(status: StoreStatus, *, err: bool = False) -> None:
    """Print the level of the search, the reason, and a hint."""
    reason, hint = tr(status.reason), tr(status.hint)
    say(tr("level {level}: {reason} {hint}", level=int(status.level), reason=reason, hint=hint), err=err, fg="yellow")
