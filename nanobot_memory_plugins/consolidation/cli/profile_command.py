"""``nanobot-memory profile``: what is known of the user, or about somebody or something."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from nanobot_memory_plugins.consolidation.cli.shown import beginning, opened, row, say_more
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.model.scoring import faded
from nanobot_memory_plugins.consolidation.model.validity import last_day
from nanobot_memory_plugins.consolidation.operations.entry_access import RepositoryAccess
from nanobot_memory_plugins.consolidation.store.fields import shown_date
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import (
    AgentOption,
    ChannelOption,
    JsonOption,
    ProjectOption,
    SessionOption,
    UserOption,
    WorkspaceOption,
    print_json,
)
from nanobot_memory_plugins.core.files import exact_time
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.core.values import KnownEntry, Profile
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr


def show_profile(
    about: Annotated[str, typer.Option("--about", metavar="NAME", help="Only this person or thing.")] = "",
    agent: AgentOption = "",
    user: UserOption = "",
    channel: ChannelOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    everything: Annotated[bool, typer.Option("--all", help="Show long lists whole, as in a pipe.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is known of you, or about somebody, by kind: since when, and from which words. No model is asked.

    With --project what is about other projects is left out.
    """
    repository = opened(workspace)
    entries = faded(repository.load().entries, repository.clock.now()).entries
    whose = Scope(agent, user, channel, session)
    found = _of_project(RepositoryAccess(repository).profile(about, visible=whose), project_named(project))
    if as_json:
        known = {category: _rows(told, entries) for category, told in found.known.items()}
        print_json({"ok": True, "names": list(found.names), "known": known, "ended": _rows(found.ended, entries)})
        return
    out = console()
    if len(found.names) > 1:
        out.print(
            tr(
                "{name} is also called {others}.",
                name=shown(found.names[0]),
                others=shown(", ".join(found.names[1:])),
            )
        )
    for category, told in found.known.items():
        _show(category, told, entries, everything=everything)
    if found.ended:
        _show(Sentence("over, replaced or faded"), found.ended, entries, everything=everything)
    if not found.known and not found.ended:
        nothing = tr(
            "No entry is about {about}; `nanobot-memory search` looks in conversations and notes, too.",
            about=shown(about),
        )
        out.print(nothing if about else tr("Nothing is known yet."))


def _of_project(found: Profile, project: str) -> Profile:
    """Return a profile without what is about other projects than this one; the whole where none is named."""
    if not project:
        return found

    def kept(told: Sequence[KnownEntry]) -> list[KnownEntry]:
        return [one for one in told if one.entry.scope.project in ("", project)]

    known = {category: left for category, told in found.known.items() if (left := kept(told))}
    return replace(found, known=known, ended=kept(found.ended))


def _rows(told: Sequence[KnownEntry], entries: Mapping[str, Entry]) -> list[dict[str, Any]]:
    return [
        {
            **row(entries[one.entry.id]),
            "words": one.words,
            "said_at": exact_time(one.said_at) if one.said_at else None,
        }
        for one in told
    ]


def _show(heading: str, told: Sequence[KnownEntry], entries: Mapping[str, Entry], *, everything: bool) -> None:
    out = console()
    out.print(f"[bold]{shown(tr(heading))}[/bold]")
    first = beginning(told, everything=everything)
    for one in first:
        entry = entries[one.entry.id]
        out.print(f"  {shown(entry.content)}")
        since = shown_date(entry.created_at) if entry.created_at else ""
        until = f"{last_day(entry.held_until):%Y-%m-%d}" if entry.held_until else ""
        parts = [
            f"[{entry.id}]",
            tr("since {day}", day=since) if since else "",
            tr("until {day}", day=until) if until else "",
        ]
        if one.words:
            day = f", {shown_date(one.said_at)}" if one.said_at else ""
            parts.append(f"“{one.words}”{day}")
        elif entry.origin.value != "user":
            parts.append(tr("from: {origin}", origin=tr(entry.origin.value)))
        out.print(f"    {shown('  '.join(filter(None, parts)))}", style="dim")
    say_more(len(told), first)
