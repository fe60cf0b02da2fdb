"""How an import is shown: a bar while it runs, and what became of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from nanobot_memory_plugins.core.cli.console import console, shown
from nanobot_memory_plugins.core.transfer.importer import Part
from nanobot_memory_plugins.core.transfer.report import ImportReport
from nanobot_memory_plugins.core.transfer.written import TakenBack

# Reasons and files that are printed; --json has them all.
_ROWS = 20
_ONE = {"messages": "message", "notes": "note", "entries": "entry", "files": "file"}


class Shown(Protocol):
    """Takes the parts as they begin."""

    def __call__(self, part: Part, /) -> None:
        """Show that a part begins."""


@contextmanager
def bar(activity: str) -> Iterator[Shown]:
    """Show a bar on standard error, with the time left, where that is a terminal."""
    out = console(stderr=True, wraps=True)
    columns = (TextColumn(activity), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=out, disable=not out.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(part: Part) -> None:
            progress.update(task, description=shown(part.name[-40:]), completed=part.done, total=part.total)

        yield show


def print_report(report: ImportReport, *, everything: bool = False) -> None:
    """Print what became of an import, for people: a summary, or with ``everything`` each file."""
    rows = None if everything else _ROWS
    out = console()
    counts = [f"{count:,} {kind if count > 1 else _ONE[kind]}" for kind, count in sorted(report.taken.items()) if count]
    verb = "would be taken" if report.dry_run else "taken"
    out.print(f"{shown(report.source)}: {shown(report.label)} ([bold]{shown(report.format)}[/bold])")
    out.print(f"{verb}: {', '.join(counts) or 'nothing'}" + (f"; {report.known:,} taken before" * bool(report.known)))
    if report.replaced:
        verb = "would be replaced" if report.dry_run else "replaced"
        out.print(f"{verb}: {_counted(report.replaced, 'note')} of files that were changed or renamed")
    if report.read:
        left = len({file for file, _ in report.left})
        out.print(f"files: {report.read - left:,} read, {left:,} left" + (", for these reasons:" if left else ""))
    for why, (count, files) in _reasons(report).items():
        out.print(f"left: {shown(why)}" + (f" ({count:,})" if count > 1 else ""))
        _print_files(out, files, rows and rows // 4)
    for about, files in report.remarks.items():
        out.print(f"{shown(about)} ({len(files):,}):")
        _print_files(out, files, rows and rows // 4)
    if report.written and rows is None:
        out.print("written to:")
        for file, count in sorted(report.written.items()):
            out.print(f"  {shown(file)}: {count:,}")
    elif report.written:
        out.print(f"written to {_counted(len(report.written), 'file')}; --all names each")
    for notice in report.notices:
        out.print(shown(notice))
    if report.taken and not report.dry_run:
        out.print("What was taken is indexed when the agent runs next, or by `nanobot-memory index`.")


def print_taken_back(done: TakenBack) -> None:
    """Print what became of an import that was taken back, for people."""
    out = console()
    files, records = _counted(done.files, "file"), _counted(done.records, "record")
    out.print(f"{shown(done.source)}: taken back: {files}, {records}")
    if done.restored:
        out.print(f"brought back: {_counted(done.restored, 'note')} that it had replaced")
    if done.entries:
        out.print(f"Its entries went with the run {shown(done.entries)}; `nanobot-memory entries history` shows it.")
    for file, why in done.left:
        out.print(f"left: {shown(file)}: {shown(why)}")


def _print_files(out: Console, files: list[str], most: int | None) -> None:
    for file in files[:most]:
        out.print(f"  {shown(file)}")
    if most is not None and len(files) > most:
        out.print(f"  and {len(files) - most:,} more; --all names each")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)


def _reasons(report: ImportReport) -> dict[str, tuple[int, list[str]]]:
    """Return for each reason how much was left for it, and where."""
    found: dict[str, tuple[int, list[str]]] = {}
    for row in report.left.values():
        lines = f":{', '.join(map(str, row.lines))}" if row.lines else ""
        more = f" ({row.count:,} in all)" if row.count > max(1, len(row.lines)) else ""
        count, files = found.get(row.why, (0, []))
        found[row.why] = count + row.count, [*files, f"{row.file}{lines}{more}"]
    return found
