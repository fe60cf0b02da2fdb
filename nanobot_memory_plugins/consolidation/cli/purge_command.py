"""``nanobot-memory purge``: forget entries for good."""

import sys
from typing import Annotated

import typer
from rich.markup import escape

from nanobot_memory_plugins.consolidation.cli.shown import WHO, console, opened
from nanobot_memory_plugins.consolidation.journal import last_known
from nanobot_memory_plugins.consolidation.purging import purge as purge_entries
from nanobot_memory_plugins.core.cli.options import JsonOption, WorkspaceOption, print_json
from nanobot_memory_plugins.core.errors import InputError


def purge(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of entries, gone ones included.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove every trace of entries: file, backup, journal. It cannot be undone."""
    repository = opened(workspace)
    runs, there = repository.journal.runs(), repository.load().entries
    known = {id_: there.get(id_) or last_known(runs, id_) for id_ in ids}
    missing = [id_ for id_, entry in known.items() if entry is None]
    if missing:
        raise InputError(f"There is no entry {', '.join(missing)}.", mend="`nanobot-memory entries history` shows all.")
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise typer.BadParameter("nobody can be asked here; say --yes")
        for id_, entry in known.items():
            console().print(f"[bold]{escape(id_)}[/bold]  {escape(entry.content if entry else '')}")
        typer.confirm("Forget this for good?", abort=True)
    done = purge_entries(repository, ids, who=WHO)
    files = [repository.paths.relative(file) for file in done.files]
    if as_json:
        print_json({"ok": True, "ids": done.ids, "files": files, "sessions": done.sessions})
        return
    console().print(
        f"Forgotten for good: {', '.join(map(escape, done.ids))}. Cleaned: {', '.join(map(escape, files))}."
    )
