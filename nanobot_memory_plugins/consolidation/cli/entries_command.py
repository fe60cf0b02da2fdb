"""``nanobot-memory entries``: look at the scored memories, and change them. No language model is needed.

What changes entries is imported by the commands that do: a list is there at once.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nanobot_memory_plugins.consolidation.cli.completing import entry_ids, groups, restorable_ids, run_ids
from nanobot_memory_plugins.consolidation.cli.shown import (
    WHO,
    change_row,
    fields_told,
    local_minute,
    opened,
    outcome_row,
    proposal_row,
    row,
    said_who,
    said_why,
    say_more,
    show_entries,
    show_outcome,
    show_proposals,
    show_run,
)
from nanobot_memory_plugins.consolidation.cli.unknown_ids import no_entry, require_ids
from nanobot_memory_plugins.consolidation.model.entry import Category, Section, whole_scope
from nanobot_memory_plugins.consolidation.model.groups import group_sizes, of_group
from nanobot_memory_plugins.consolidation.model.scoring import Importance, faded
from nanobot_memory_plugins.consolidation.model.tags import has_tag
from nanobot_memory_plugins.consolidation.store.journal import is_told, last_known
from nanobot_memory_plugins.consolidation.store.nightly_records import Records
from nanobot_memory_plugins.consolidation.store.rendering import in_order
from nanobot_memory_plugins.consolidation.store.taken_out import most_went, taken_out_lately
from nanobot_memory_plugins.core import Scope
from nanobot_memory_plugins.core.cli import AsOfOption, EverybodyOption, moment_given, say_note, written_by_owner
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
from nanobot_memory_plugins.core.errors import WrongUseError
from nanobot_memory_plugins.core.scopes.projects import project_named
from nanobot_memory_plugins.core.values import Erasure
from nanobot_memory_plugins.redaction.script.messages import Sentence, together, tr

entries = typer.Typer(help="The scored memories: list, remember, forget, undo.", no_args_is_help=True)

_Id = Annotated[str, typer.Argument(metavar="ID", help="The id in brackets.", autocompletion=entry_ids)]
_GoneId = Annotated[str, typer.Argument(metavar="ID", help="The id in brackets.", autocompletion=restorable_ids)]


@entries.command("list")
def list_entries(
    group: Annotated[
        str, typer.Option("--group", help="Only this group, and those inside it.", autocompletion=groups)
    ] = "",
    section: Annotated[Section | None, typer.Option("--section", help="Only active or archived ones.")] = None,
    as_of: AsOfOption = "",
    agent: AgentOption = "",
    user: UserOption = "",
    channel: ChannelOption = "",
    session: SessionOption = "",
    project: ProjectOption = "",
    tag: Annotated[str, typer.Option("--tag", metavar="TAG", help="Only those with this tag.")] = "",
    due: Annotated[bool, typer.Option("--due", help="What is due within a week, today's first.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show a long list whole, as in a pipe.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the entries by descending score, as of now, or those that held on a day."""
    of_project = project_named(project)
    repository = opened(workspace, tells=False)
    snapshot = repository.load()
    day = moment_given("--as-of", as_of, end=True)
    if day is None:
        there = faded(snapshot.entries, repository.clock.now()).entries
    else:
        from nanobot_memory_plugins.consolidation.model.validity import end_of
        from nanobot_memory_plugins.consolidation.operations.as_of import held_at

        there = held_at(
            snapshot.entries, repository.journal.runs(), end_of(day.astimezone().date(), day.astimezone().tzinfo)
        )
    found = of_group(in_order(there.values()), group)
    whose = Scope(agent, user, channel, session)
    found = [entry for entry in found if section in (None, entry.section) and whose.allows(whole_scope(entry))]
    found = [entry for entry in found if of_project in ("", entry.scope.project)]
    found = [entry for entry in found if not tag or has_tag(entry.tags, tag)]
    if due:
        from nanobot_memory_plugins.consolidation.cli.due import due_first, show_due

        found = due_first(found, repository.clock.now())
    if as_json:
        file = repository.paths.relative(snapshot.path)
        print_json({"ok": True, "file": file, "entries": [row(one) for one in found], "problems": snapshot.problems})
        return
    if due:
        show_due(found, repository.clock.now())
    elif found:
        show_entries(found, console(), everything=everything)
    else:
        console().print(tr("No entry meets these conditions." if snapshot.entries else "There are no entries."))
    for problem in snapshot.problems:
        say_note(tr("{file}, {problem}", file=snapshot.path.name, problem=tr(problem)))
    if most_went(taken := taken_out_lately(repository, snapshot.entries), snapshot.entries):
        for one in taken:
            say_note(tr(one.told))


@entries.command("show")
def show_entry(entry_id: _Id, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Show an entry with all that is known of it, one that is gone included."""
    repository = opened(workspace)
    runs = repository.journal.runs()
    found = repository.load().entries
    there = found.get(entry_id)
    entry = there or last_known(runs, entry_id)
    if entry is None:
        raise no_entry([entry_id], found.values())
    history = [(run, change) for run in runs for change in run.changes if change.id == entry_id]
    if as_json:
        told = [
            {"run": run.id, "time": run.time, "who": run.who, "why": run.why, **change_row(c)} for run, c in history
        ]
        print_json({"ok": True, "entry": row(entry), "gone": there is None, "history": told})
        return
    out = console()
    out.print(f"[bold]{shown(entry.id)}[/bold]{' ' + tr('(gone)') if there is None else ''}  {shown(entry.content)}")
    for label, value in fields_told(entry):
        out.print(f"    {label}: {shown(value)}")
    for run, change in history:
        out.print(
            tr(
                "    {time}  {action} by {who}: {why}",
                time=shown(local_minute(run.time)),
                action=tr(change.action.value),
                who=shown(said_who(run)),
                why=shown(said_why(run)),
            ),
            style="dim",
        )


@entries.command("remember")
def remember_text(
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="What to remember, in one sentence.")] = None,
    category: Annotated[Category, typer.Option("--category", help="Its kind.")] = Category.FACT,
    importance: Annotated[Importance, typer.Option("--importance", help="How much it matters.")] = Importance.HIGH,
    group: Annotated[str, typer.Option("--group", help="A group, such as work/clients.", autocompletion=groups)] = "",
    expires: Annotated[
        str,
        typer.Option("--expires", metavar="DAY", help="The day with which it is over (2026-02-16, tomorrow), or when."),
    ] = "",
    pin: Annotated[bool, typer.Option("--pin", help="Let it always stand in the prompt.")] = False,
    project: ProjectOption = "",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="A word to find it by; may be repeated.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Show the bullets of a Markdown file, instead of TEXT."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --from: make entries of them.")] = False,
    everybody: EverybodyOption = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember a text. An entry with the same text is marked as used instead of duplicated.

    What is of a project stands in the prompt while that is worked in; all else stands there always. Where several may
    write to the agent, it is the owner's alone.
    """
    if (file is None) == (text is None):
        raise typer.BadParameter(tr("say what to remember: a text, or a file with --from"))
    from nanobot_memory_plugins.consolidation.cli.due import over_at
    from nanobot_memory_plugins.consolidation.operations.remember import MOST_CHARACTERS, NewEntry, remember

    repository = opened(workspace)
    whose = replace(written_by_owner(repository.paths.workspace, everybody=everybody), project=project_named(project))
    if file is not None:
        from nanobot_memory_plugins.consolidation.cli.remember_lines import remember_lines

        remember_lines(repository, file, whose, tuple(tag or ()), write=yes, as_json=as_json)
        return
    try:
        until = over_at(expires, repository.clock.now()) if expires else None
    except ValueError as error:
        told = together(
            Sentence("{why}.", why=error.args[0]), "Write 2026-02-16, 2026-02, tomorrow or 2026-02-16T18:30."
        )
        raise typer.BadParameter(told, param_hint="--expires") from error
    if until is not None and until <= repository.clock.now():
        raise WrongUseError(
            Sentence("--expires {day} is over already.", day=expires),
            hint="Nothing was written. Give today or a day to come.",
        )
    said = NewEntry(
        " ".join(text or ()), category, importance, group, until, scope=whose, pinned=pin, tags=tuple(tag or ())
    )
    done = remember(repository, said, who=WHO)
    if as_json:
        facts = {"entry": row(done.entry), "new": done.is_new, "cut": done.is_cut}
        print_json({**outcome_row(done.outcome, repository), **facts})
        return
    show_outcome(done.outcome, repository)
    if done.is_cut:
        say_note(tr("Only the beginning was kept, {most:,} characters.", most=MOST_CHARACTERS))
        say_note(tr("A longer text can be a file of its own below memory/, where it is searched."))


@entries.command("confirm")
def confirm_entry(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="The ids in brackets.", autocompletion=entry_ids)],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that what a model noted is so: from now on it counts as your own word, and may stand in the prompt."""
    from nanobot_memory_plugins.consolidation.operations.editing import confirm

    repository = opened(workspace)
    require_ids(ids, repository.load().entries.values())
    outcome = confirm(repository, ids, who=WHO)
    print_json(outcome_row(outcome, repository)) if as_json else show_outcome(outcome, repository)


@entries.command("forget")
def forget_entry(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="The ids in brackets.", autocompletion=entry_ids)],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take entries out of the memory. `restore` brings them back, `purge` does away with them for good.

    Where conversations and notes still hold their words is said; it is not brought up from there.
    """
    from nanobot_memory_plugins.consolidation.operations.remember import forget
    from nanobot_memory_plugins.core.erasure import plan_in_files

    repository = opened(workspace)
    require_ids(ids, repository.load().entries.values())
    outcome = forget(repository, ids, who=WHO)
    texts = tuple(change.before.content for change in outcome.changes if change.before)
    plan = plan_in_files(repository.paths, Erasure(tuple(ids), texts, nearly=True))
    if as_json:
        stands = [one for one in plan.to_json()["traces"] if one["removed"]]
        print_json({**outcome_row(outcome, repository), "stands": stands})
        return
    show_outcome(outcome, repository)
    if plan.removed:
        told = tr(
            "{files} still hold it; `{command}` shows the lines.", files=", ".join(plan.files), command=plan.command
        )
        console().print(shown(told))


@entries.command("restore")
def restore_entry(entry_id: _GoneId, workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Bring back an entry that was archived, forgotten or deleted."""
    from nanobot_memory_plugins.consolidation.operations.undo import restore

    repository = opened(workspace)
    outcome = restore(repository, entry_id, now=repository.clock.now(), who=WHO)
    print_json(outcome_row(outcome, repository)) if as_json else show_outcome(outcome, repository)


@entries.command("history")
def show_history(
    entry_id: Annotated[
        str, typer.Argument(metavar="ID", help="Only what became of this entry.", autocompletion=entry_ids)
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Runs at most.")] = 20,
    everything: Annotated[bool, typer.Option("--all", help="Show every change of a long run, as in a pipe.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who changed what, when and why, the last first."""
    repository = opened(workspace)
    runs = [run for run in repository.journal.runs() if is_told(run)]
    every = [run for run in runs if not entry_id or any(change.id == entry_id for change in run.changes)]
    if entry_id and not every:
        require_ids([entry_id], repository.load().entries.values())
    found = every[-limit:]
    if as_json:
        told = [
            {
                "run": run.id,
                "time": run.time,
                "who": run.who,
                "why": run.why,
                "undoes": run.undoes,
                "changes": [change_row(change) for change in run.changes],
            }
            for run in reversed(found)
        ]
        print_json({"ok": True, "runs": told})
        return
    for run in reversed(found):
        show_run(run, everything=everything)
    say_more(len(every), found, "--limit")
    if not found:
        console().print(tr("Nothing has happened yet."))


@entries.command("undo")
def undo_run(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN", help="The run; without it, the last one.", autocompletion=run_ids)
    ] = "",
    entry_id: Annotated[
        str, typer.Option("--entry", metavar="ID", help="Only what it did to this entry.", autocompletion=entry_ids)
    ] = "",
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take back a run, or one change of it. What was changed since then stays."""
    from nanobot_memory_plugins.consolidation.operations.undo import undo

    repository = opened(workspace)
    outcome = undo(repository, run_id, entry_id=entry_id, who=WHO)
    print_json(outcome_row(outcome, repository)) if as_json else show_outcome(outcome, repository)


@entries.command("group")
def group_entries(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="The ids in brackets.", autocompletion=entry_ids)
    ] = None,
    name: Annotated[
        str | None, typer.Option("--to", metavar="GROUP", help="A group; empty: none.", autocompletion=groups)
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Put this tag to them; may be repeated.")
    ] = None,
    untag: Annotated[
        list[str] | None, typer.Option("--untag", metavar="TAG", help="Take this tag from them; may be repeated.")
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put entries into a group with --to, such as work/clients, or tags to them; without ids, list the groups."""
    repository = opened(workspace)
    if not ids:
        sizes = group_sizes(repository.load().entries.values())
        if as_json:
            print_json({"ok": True, "groups": sizes})
            return
        if not sizes:
            console().print(tr("There are no entries."))
        for group, size in sizes.items():
            console().print(f"{size:5}  {shown(group) or tr('(none)')}")
        return
    if name is None and not tag and not untag:
        raise typer.BadParameter(tr("say into which group, with --to, or which tag, with --tag or --untag"))
    from nanobot_memory_plugins.consolidation.operations.remember import put_into_group, put_tags

    if tag or untag:
        outcome = put_tags(repository, ids, tag or (), untag or (), who=WHO)
    if name is not None:
        outcome = put_into_group(repository, ids, name, who=WHO)
    print_json(outcome_row(outcome, repository)) if as_json else show_outcome(outcome, repository)


@entries.command("proposals")
def list_proposals(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List sentences of yours in the memory that the daily consolidation takes for outdated. It removes none."""
    from nanobot_memory_plugins.consolidation.nightly.inputs import foreign_texts

    repository = opened(workspace)
    found = Records(repository.paths).proposals(foreign_texts(repository.paths, repository.load()))
    if as_json:
        print_json({"ok": True, "proposals": [proposal_row(one) for one in found]})
        return
    show_proposals(found)
    if not found:
        console().print(tr("Nothing is proposed."))
