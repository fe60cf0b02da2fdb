"""``nanobot-memory entries remember --from FILE``: the bullets of a Markdown file as entries, shown before."""

from pathlib import Path

from nanobot_memory_plugins.consolidation.cli.shown import WHO, outcome_row, row, show_outcome
from nanobot_memory_plugins.consolidation.model.entry import Entry
from nanobot_memory_plugins.consolidation.store.document import parse
from nanobot_memory_plugins.consolidation.store.plain_lines import new_entries, plain_lines
from nanobot_memory_plugins.consolidation.store.repository import EntryRepository
from nanobot_memory_plugins.core import InputError, Scope
from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.cli.options import print_json
from nanobot_memory_plugins.core.files import read_regular
from nanobot_memory_plugins.redaction.script.messages import Sentence, tr

# More is no list of facts.
_LARGEST = 1 << 20


def remember_lines(
    repository: EntryRepository, file: Path, scope: Scope, tags: tuple[str, ...], *, write: bool, as_json: bool
) -> None:
    """Show what bullets of a file would become entries; with ``write`` make them. The file stays as it is."""
    try:
        data = read_regular(file)
    except OSError as error:
        raise InputError(
            Sentence("{path} cannot be read: {why}.", path=file, why=error.strerror or type(error).__name__),
            hint="Name a Markdown file with --from.",
        ) from error
    if len(data) > _LARGEST:
        raise InputError(Sentence("{path} is larger than 1 MB.", path=file), hint="Take out what is to be remembered.")
    lines = plain_lines(parse(data), everywhere=True)

    def made(entries: dict[str, Entry]) -> dict[str, Entry]:
        return new_entries(repository, lines, entries, scope=scope, tags=tags)

    found = made(repository.load().entries)
    known = len(lines) - len(found)
    if not write:
        if as_json:
            print_json({"ok": True, "written": False, "entries": [row(one) for one in found.values()], "left": known})
            return
        _show(file, list(found.values()), known)
        return
    outcome = repository.update(lambda entries: {**entries, **made(entries)}, who=WHO, why="remember")
    if as_json:
        print_json({**outcome_row(outcome, repository), "written": True, "left": known})
        return
    show_outcome(outcome, repository)


def _show(file: Path, found: list[Entry], left: int) -> None:
    out = console()
    for one in found:
        out.print(f"{tr(one.category)}  {shown(one.content)}", soft_wrap=True)
    if left:
        out.print(tr("left: {count}, known already, secret or forgotten for good", count=left), style="dim")
    if found:
        out.print(
            tr(
                "{count} would become entries; --yes makes them. {name} stays as it is.",
                count=len(found),
                name=shown(file.name),
            )
        )
    else:
        out.print(tr("{name} has no bullet that would become an entry.", name=shown(file.name)))
