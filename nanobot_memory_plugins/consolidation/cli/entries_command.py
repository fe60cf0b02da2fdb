"""``nanobot-memory entries``: view and change the scored entries. No language model is needed.

`remember` is imported in the command that uses it, so that the other commands start fast.
"""

from dataclasses import replace
from datetime import date
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.output import (
    WHO,
    change_row,
    entry_row,
    open_repository,
    run_row,
    show_entries,
    show_outcome,
    show_run,
)
from nanobot_memory_plugins.consolidation.model.entry import Category, group_sizes, in_group
from nanobot_memory_plugins.consolidation.model.scoring import Importance, current_entries, end_of, last_day
from nanobot_memory_plugins.consolidation.operations.changes import edit, forget, no_entry, restore, undo
from nanobot_memory_plugins.consolidation.store.document import sort_by_score
from nanobot_memory_plugins.consolidation.store.entry_text import write_entry
from nanobot_memory_plugins.core import SystemClock
from nanobot_memory_plugins.core.cli.options import (
    EverybodyOption,
    JsonOption,
    ProjectOption,
    SessionOption,
    UserOption,
    WorkspaceOption,
    owner_scope,
    print_json,
    requested_scope,
)
from nanobot_memory_plugins.core.cli.plain import say
from nanobot_memory_plugins.core.scopes.projects import named_project
from nanobot_memory_plugins.core.text.days import parse_moment
from nanobot_memory_plugins.core.values.entries import EntryEdit, Section
from nanobot_memory_plugins.redaction.script.messages import tr

entries = typer.Typer(help="The scored memories: list, remember, forget, undo.", no_args_is_help=True)

_Id = Annotated[str, typer.Argument(metavar="ID", help="The id, as `entries list` shows it.")]
_Ids = Annotated[list[str], typer.Argument(metavar="ID", help="The ids, as `entries list` shows them.")]


def _day_ahead(text: str) -> date:
    """Return the day in ``text``, or the last day of the month or year; raise `BadParameter` if it is over."""
    now = SystemClock().now().astimezone()
    try:
        day = parse_moment(text, end=True).astimezone().date()
    except ValueError as error:
        raise typer.BadParameter(tr("{why}: write 2026-02-16 or 2026-02.", why=error.args[0])) from error
    if day < now.date():
        raise typer.BadParameter(tr("{day} is over already.", day=text))
    return day


@entries.command("list")
def list_entries(
    group: Annotated[str, typer.Option("--group", help="Only this group, and those inside it.")] = "",
    section: Annotated[Section | None, typer.Option("--section", help="Only active or archived ones.")] = None,
    user: UserOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the entries by descending score, as of now."""
    project_key = named_project(project)
    repository = open_repository(workspace)
    snapshot = repository.load()
    viewed = requested_scope(repository.paths.workspace, user=user, session=session)
    found = [
        entry
        for entry in sort_by_score(current_entries(snapshot.entries.values(), repository.clock.now()))
        if in_group(entry, group) and section in (None, entry.section)
        if project_key in ("", entry.scope.project) and viewed.allows(entry.session_scope)
    ]
    if as_json:
        file = repository.paths.relative(repository.path)
        print_json(
            {"ok": True, "file": file, "entries": [entry_row(entry) for entry in found], "problems": snapshot.problems}
        )
        return
    if found:
        show_entries(found)
    else:
        say(tr("No entry meets these conditions." if snapshot.entries else "There are no entries."))


@entries.command("show")
def show_entry(entry_id: _Id, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Show an entry as it is in the file, and its history. A removed entry is shown, too."""
    repository = open_repository(workspace)
    runs = repository.history.runs(entry_id)
    snapshot = repository.load()
    found, current = snapshot.entries, snapshot.entries.get(entry_id)
    entry = current or snapshot.forgotten.get(entry_id) or repository.history.last_known(entry_id)
    if entry is None:
        raise no_entry([entry_id], found)
    if as_json:
        history = [{**run_row(run), **change_row(change)} for run in runs for change in run.changes]
        print_json({"ok": True, "entry": entry_row(entry), "gone": current is None, "history": history})
        return
    if current is None:
        say(tr("(gone)"))
    for line in write_entry(entry).splitlines():
        say(line)
    if entry.expires_at is not None:
        say(tr("Its last day: {day}", day=last_day(entry.expires_at)))
    for run in runs:
        show_run(run)


@entries.command("remember")
def remember_text(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to remember, in one sentence.")],
    category: Annotated[Category, typer.Option("--category", help="Its kind.")] = Category.FACT,
    importance: Annotated[Importance, typer.Option("--importance", help="How much it matters.")] = Importance.HIGH,
    group: Annotated[str, typer.Option("--group", help="A group, such as work/clients.")] = "",
    expires: Annotated[
        date | None,
        typer.Option(parser=_day_ahead, metavar="DAY", help="The last day on which it is valid (2026-02-16)."),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Always show it in the prompt.")] = False,
    project: ProjectOption = "",
    everybody: EverybodyOption = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember a text. An entry with the same text is marked as used instead of duplicated.

    An entry of a project is in the prompt only while you work in that project; others always are. Where several people
    may write to the agent, it belongs to the owner alone.
    """
    from nanobot_memory_plugins.consolidation.operations.remember import NewEntry, remember

    repository = open_repository(workspace)
    scope = replace(owner_scope(repository.paths.workspace, everybody=everybody), project=named_project(project))
    until = end_of(expires) if expires is not None else None
    new = NewEntry(" ".join(text), category, importance, group, until, scope=scope, pinned=pin)
    result = remember(repository, new, who=WHO)
    show_outcome(result.outcome, repository, as_json=as_json, entry=entry_row(result.entry), new=result.is_new)


@entries.command("confirm")
def confirm_entry(ids: _Ids, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Confirm what a model noted: it then counts as your own statement, and may be shown in the prompt."""
    repository = open_repository(workspace)
    show_outcome(edit(repository, ids, EntryEdit(confirmed=True), who=WHO, why="confirm"), repository, as_json=as_json)


@entries.command("forget")
def forget_entry(ids: _Ids, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Forget entries. `restore` brings them back, `purge` erases them for good.

    The messages that they came from are hidden with them; other messages and notes may still say it.
    """
    repository = open_repository(workspace)
    show_outcome(forget(repository, ids, who=WHO), repository, as_json=as_json)
    if not as_json:
        say(tr("Other messages and notes may still say it: `nanobot-memory purge --text WORDS` removes those."))


@entries.command("restore")
def restore_entry(entry_id: _Id, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Bring back an entry that was archived, forgotten or deleted."""
    repository = open_repository(workspace)
    show_outcome(restore(repository, entry_id, who=WHO), repository, as_json=as_json)


@entries.command("history")
def show_history(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="Show only the changes of this entry.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="The most runs to show.")] = 20,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who changed what, when and why, the last first."""
    repository = open_repository(workspace)
    runs = repository.history.runs(entry_id)
    if entry_id and not runs and entry_id not in (current := repository.load().entries):
        raise no_entry([entry_id], current)
    found = runs[-limit:]
    if as_json:
        rows = [{**run_row(run), "changes": list(map(change_row, run.changes))} for run in reversed(found)]
        print_json({"ok": True, "runs": rows})
        return
    for run in reversed(found):
        show_run(run)
    if not found:
        say(tr("Nothing has happened yet."))


@entries.command("undo")
def undo_run(
    run_id: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Without it, the last run that is not an edit of the file. Entries that it added are removed.",
        ),
    ] = "",
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Undo a run; undoing the undo brings it back. Later changes stay."""
    repository = open_repository(workspace)
    show_outcome(undo(repository, run_id, who=WHO), repository, as_json=as_json)


@entries.command("group")
def group_entries(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="The ids, as `entries list` shows them.")
    ] = None,
    name: Annotated[str | None, typer.Option("--to", metavar="GROUP", help="A group; empty: none.")] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put entries into a group with --to, such as work/clients; without ids, list the groups."""
    if bool(ids) != (name is not None):
        raise typer.BadParameter(tr("name the entries by their ids, and their group with --to"))
    repository = open_repository(workspace)
    if not ids:
        sizes = group_sizes(repository.load().entries.values())
        if as_json:
            print_json({"ok": True, "groups": sizes})
            return
        if not sizes:
            say(tr("There are no entries."))
        for group, size in sizes.items():
            say(f"{size:5}  {group or tr('(none)')}")
        return
    show_outcome(edit(repository, ids, EntryEdit(group=name), who=WHO, why="group"), repository, as_json=as_json)
